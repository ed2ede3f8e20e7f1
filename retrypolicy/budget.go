package retrypolicy

import (
	"sync"
	"time"
)

// What a zero Budget means. Ten repeats at once are more than a healthy client
// ever needs; one a second lets a lone call go on; one for ten calls keeps the
// load of a full outage within 1.1 times the usual.
const (
	defaultBurst     = 10
	defaultPerSecond = 1
	defaultPerCall   = 0.1
)

// Budget is a token bucket of repeats, shared by all calls of the clients that
// point to it. Every attempt after a call's first takes one token; without a
// token the call ends at once with an [ExceededError] that matches [ErrBudget].
//
// It bounds what a [Policy] cannot: five attempts a call are five times the
// load when every call fails, which is just when the server can bear it least.
// Backoff only spreads that load, the budget limits it: over a time t with n
// calls there are at most Burst + PerSecond × t + PerCall × n repeats. A lone
// call finds the bucket full and may use all of its attempts.
//
// The idea is that of Finagle's RetryBudget and of gRPC's retry throttling:
// https://github.com/grpc/proposal/blob/master/A6-client-retries.md
//
// The zero value is ready for use. It may be used concurrently, but its fields
// must not be changed after the first use. Its methods take the time as an
// argument, so all clients of one budget should use the same [Clock].
type Budget struct {
	// Burst is how many tokens the bucket holds, full at first. 0 or less
	// means 10.
	Burst int
	// PerSecond is how many tokens come back each second. 0 means 1; negative:
	// none.
	PerSecond float64
	// PerCall is how many tokens each new call brings. 0 means 0.1; negative:
	// none.
	PerCall float64

	mu     sync.Mutex // guards what follows
	opened bool
	tokens float64
	filled time.Time // when tokens was last brought up to date
}

// Call pays in for a call that begins now.
func (b *Budget) Call(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(now, orDefault(b.PerCall, defaultPerCall))
}

// Take takes the token of one repeat, and reports false if there is none.
func (b *Budget) Take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(now, 0)
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// Return gives back the token of a repeat that was not made after all.
func (b *Budget) Return(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(now, 1)
}

// fill needs the lock. It adds what the time since the last filling brings,
// and what comes on top.
func (b *Budget) fill(now time.Time, extra float64) {
	limit := float64(positiveOr(b.Burst, defaultBurst))
	if !b.opened {
		b.opened, b.tokens, b.filled = true, limit, now
	}
	// Not negative, for a goroutine that read the clock before another one and
	// got the lock after it.
	since := max(0, now.Sub(b.filled))
	b.filled = b.filled.Add(since)
	// Converted, so that no processor fuses product and sum: a storm must give
	// the same figures everywhere.
	gained := float64(since.Seconds() * orDefault(b.PerSecond, defaultPerSecond))
	b.tokens = min(limit, b.tokens+gained+extra)
}

// orDefault is positiveOr for a rate, where none at all makes sense.
func orDefault(value, fallback float64) float64 {
	if value == 0 {
		return fallback
	}
	return max(0, value)
}
