package ledgertest

import (
	"sync"
	"time"
)

// Clock is a wall clock that moves only when told to, so that a lease ends
// because the test says so and not because the machine was slow. It is safe
// for concurrent use.
type Clock struct {
	mu  sync.Mutex // guards what follows
	now time.Time
	off time.Duration
}

// NewClock starts at a fixed date.
func NewClock() *Clock {
	return &Clock{now: time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)}
}

// Now is for [ledger.Options.Now].
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Offset is for [ledger.Options.Offset].
func (c *Clock) Offset() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.off
}

// Advance moves the wall clock, on which leases live.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// AdvanceRetention moves the retention clock alone.
func (c *Clock) AdvanceRetention(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off += d
}
