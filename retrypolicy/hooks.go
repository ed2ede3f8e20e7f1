package retrypolicy

import (
	"context"
	"net/http"
	"time"
)

// Hooks observe a call. Each may be nil. They run on the goroutine of
// [Client.Do], in the order of events, and delay the call while they run; the
// client holds no lock meanwhile. The context is the one of the request, so
// that a caller can carry its own ids to its hooks.
type Hooks struct {
	// Attempt is called before each attempt is sent.
	Attempt func(context.Context, Attempt)
	// Ended is called after each attempt, whatever became of it.
	Ended func(context.Context, Ended)
	// Wait is called before each wait, when it is certain that another attempt
	// is meant to follow.
	Wait func(context.Context, Wait)
}

// Attempt names one attempt: number 2 of 5, say.
type Attempt struct {
	Number int    // from 1
	Of     int    // the policy's limit
	Key    string // the Idempotency-Key as sent, so to be shortened in logs; empty if there is none
}

// Ended tells how an attempt came out.
type Ended struct {
	Attempt
	Status  int           // 0 where no answer came
	Header  http.Header   // of the answer; shared with the Response, not to be changed
	Code    string        // error code in a 409's body ("error.code"): tells its kinds apart; else empty
	Err     error         // nil where a whole answer came
	Timeout bool          // the time ran out: the outcome is unknown, not failed
	Unsent  bool          // it is certain that no byte of the request left
	Elapsed time.Duration // from sending to the last byte or the error
	Verdict Verdict       // as Classify gave it; limits may still end the call
	Reason  string        // as Classify gave it
}

// Wait tells what the client waits for, and how long.
type Wait struct {
	Next       int           // number of the attempt that will follow
	Of         int           // the policy's limit
	Delay      time.Duration // jitter included
	RetryAfter bool          // the server's Retry-After decided the delay
	Reason     string        // why there will be another attempt
}

func (h Hooks) attempt(ctx context.Context, a Attempt) {
	if h.Attempt != nil {
		h.Attempt(ctx, a)
	}
}

func (h Hooks) ended(ctx context.Context, e Ended) {
	if h.Ended != nil {
		h.Ended(ctx, e)
	}
}

func (h Hooks) wait(ctx context.Context, w Wait) {
	if h.Wait != nil {
		h.Wait(ctx, w)
	}
}

type attemptKey struct{}

// AttemptFrom returns the attempt that a request's context belongs to, so that
// a RoundTripper under the client can label it on the wire. It reports false
// for a context that did not come from a [Client].
func AttemptFrom(ctx context.Context) (Attempt, bool) {
	a, ok := ctx.Value(attemptKey{}).(Attempt)
	return a, ok
}

func withAttempt(ctx context.Context, a Attempt) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}
