package stage

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"chargeonce/web/control"
)

// maxOffset bounds how far the retention clock can be moved in all: beyond any
// retention that makes sense, and far below what a duration can hold.
const maxOffset = 100 * 365 * 24 * time.Hour

// retentionClock is how far one side's retention clock is ahead of the wall's.
// Answers and keys expire by it; leases, timeouts and signatures do not feel
// it. It never goes back, because what has expired would come to life again.
// The zero value is the wall clock. It is safe for concurrent use.
type retentionClock struct {
	mu      sync.Mutex // guards what follows
	offset  time.Duration
	moves   int                   // how often it was moved: names each move on the control channel
	waiting map[int]chan struct{} // moves of which the API process has not said that it goes by them
}

func (c *retentionClock) now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// move adds to the offset. The channel is closed when the API process goes by
// it. The error is [errBadClock].
func (c *retentionClock) move(advance time.Duration) (applied chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case advance <= 0:
		return nil, fmt.Errorf("%w: advance must be above 0; the clock does not go back", errBadClock)
	case advance > maxOffset-c.offset:
		return nil, fmt.Errorf("%w: the clock can be moved by %d days in all", errBadClock, maxOffset/(24*time.Hour))
	}
	c.offset += advance
	c.moves++
	if c.waiting == nil {
		c.waiting = make(map[int]chan struct{})
	}
	applied = make(chan struct{})
	c.waiting[c.moves] = applied
	return applied, nil
}

// line is what tells the API process of the latest move.
func (c *retentionClock) line() control.Down {
	c.mu.Lock()
	defer c.mu.Unlock()
	return control.Down{Type: "clock", Hold: strconv.Itoa(c.moves), OffsetMS: c.offset.Milliseconds()}
}

// confirm takes the news that the API process goes by a move, and so by every
// move before it.
func (c *retentionClock) confirm(move string) {
	latest, err := strconv.Atoi(move)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for n, applied := range c.waiting {
		if n <= latest {
			close(applied)
			delete(c.waiting, n)
		}
	}
}

// advance moves the side's retention clock on and returns how far ahead it is,
// once the API process goes by it. A process that is down is told at its start.
func (s *system) advance(ctx context.Context, by time.Duration) (time.Duration, error) {
	applied, err := s.clock.move(by)
	if err != nil {
		return 0, err
	}
	_ = s.child.send(s.clock.line()) // one that is down is told when it is ready, by onLife
	select {
	case <-applied:
	case <-ctx.Done():
		return 0, fmt.Errorf("move the retention clock: %w", context.Cause(ctx))
	}
	now := s.clock.now()
	s.emit(control.Event{
		Lane: control.LaneAPI, Kind: control.KindClock, Ms: by.Milliseconds(),
		Text: fmt.Sprintf("The retention clock is moved on by %s, to %s ahead.", by, now),
	})
	return now, nil
}
