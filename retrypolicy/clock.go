package retrypolicy

import (
	"context"
	"time"
)

// Clock is what a [Client] tells the time by and waits with: the timeout of an
// attempt, the time in all, the wait between attempts, and [Ended.Elapsed].
// The context's deadline stays on the wall clock, since the caller set it
// there, and so does an HTTP-date in Retry-After, since the server did. An
// implementation must be safe for concurrent use.
//
// It is a seam for whoever has to stop the time while a request is held: the
// client under it neither times out nor loses patience meanwhile.
type Clock interface {
	// Now returns the time. It never goes backwards.
	Now() time.Time
	// AfterFunc calls f once, on a goroutine of its own, when d has passed; at
	// once if d is 0 or less. It does not wait for f. stop calls that off and
	// reports whether it came in time, as that of a time.Timer does.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// wallClock is the clock of a client that is given none.
type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}

// withTimeout returns a context that is cancelled with a *TimeoutError once d
// has passed on the clock. Its Err is then context.Canceled, and it has no
// deadline that could be asked for: nobody can say when a clock that may be
// stopped will reach it.
func withTimeout(ctx context.Context, clock Clock, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	timeout := &TimeoutError{After: d}
	if d <= 0 {
		// Not left to the clock, so that nothing is sent in the meantime.
		end(timeout)
	}
	stop := clock.AfterFunc(d, func() { end(timeout) })
	return ctx, func() { stop(); end(nil) }
}

// sleep ends after the delay, or as soon as the context is done.
func sleep(ctx context.Context, clock Clock, delay time.Duration) {
	over := make(chan struct{})
	stop := clock.AfterFunc(delay, func() { close(over) })
	defer stop()
	select {
	case <-ctx.Done():
	case <-over:
	}
}
