package shop

import (
	"context"
	"fmt"
	"net/http"

	"chargeonce/retrypolicy"
)

// Hooks are told what the shop does. Each may be nil; each is called from the
// payment loop, outside any lock and transaction, and must be safe for
// concurrent use.
type Hooks struct {
	// Attempt: the loop is about to send an attempt.
	Attempt func(Order, Sent)
	// Ended: an attempt has an ending, and this is what the policy makes of it.
	Ended func(Order, Sent, retrypolicy.Ended)
	// Wait: the loop is about to sleep before its next attempt.
	Wait func(Order, retrypolicy.Wait)
	// Settled: the order's outcome has become known (once for each order).
	Settled func(Order)
	// Answered: a payment loop got a definite answer, for the first time or
	// again.
	Answered func(Order)
	// Unconfirmed: the policy is exhausted and the outcome still unknown. The
	// shop goes on asking with the same key.
	Unconfirmed func(Order, error)
	// Queued: the breaker let nothing through, so nothing has happened. The shop
	// asks again after a while.
	Queued func(Order, error)
	// Delivered: a webhook request has been dealt with.
	Delivered func(Delivery)
}

// Sent is one attempt of one payment loop.
type Sent struct {
	Number, Of int
	Trace      string // goes out as Chargeonce-Trace
}

// Header names by which an attempt is recognised on the wire. They take no
// part in what the request means, so they may differ from attempt to attempt.
const (
	HeaderTrace   = "Chargeonce-Trace" // names an attempt, LOOP.NUMBER
	attemptHeader = "Chargeonce-Attempt"
)

// loopKey carries the payment loop's identity in a context.
type loopKey struct{}

type loop struct {
	order Order
	trace string
}

// sent is the attempt to which a context of the retry client belongs.
func sent(ctx context.Context, attempt retrypolicy.Attempt) (Order, Sent) {
	run, _ := ctx.Value(loopKey{}).(loop)
	return run.order, Sent{
		Number: attempt.Number, Of: attempt.Of,
		Trace: fmt.Sprintf("%s.%d", run.trace, attempt.Number),
	}
}

// clientHooks turns the retry client's hooks into the shop's.
func (h Hooks) clientHooks() retrypolicy.Hooks {
	return retrypolicy.Hooks{
		Attempt: func(ctx context.Context, a retrypolicy.Attempt) {
			if h.Attempt != nil {
				h.Attempt(sent(ctx, a))
			}
		},
		Ended: func(ctx context.Context, e retrypolicy.Ended) {
			if h.Ended != nil {
				order, attempt := sent(ctx, e.Attempt)
				h.Ended(order, attempt, e)
			}
		},
		Wait: func(ctx context.Context, w retrypolicy.Wait) {
			if h.Wait != nil {
				order, _ := sent(ctx, retrypolicy.Attempt{})
				h.Wait(order, w)
			}
		},
	}
}

func (h Hooks) settled(o Order) {
	if h.Settled != nil {
		h.Settled(o)
	}
}

func (h Hooks) answered(o Order) {
	if h.Answered != nil {
		h.Answered(o)
	}
}

func (h Hooks) unconfirmed(o Order, err error) {
	if h.Unconfirmed != nil {
		h.Unconfirmed(o, err)
	}
}

func (h Hooks) queued(o Order, err error) {
	if h.Queued != nil {
		h.Queued(o, err)
	}
}

func (h Hooks) delivered(d Delivery) {
	if h.Delivered != nil {
		h.Delivered(d)
	}
}

// labelled writes the attempt's number and trace on its way out.
type labelled struct{ next http.RoundTripper }

func (l labelled) RoundTrip(r *http.Request) (*http.Response, error) {
	if attempt, ok := retrypolicy.AttemptFrom(r.Context()); ok {
		_, s := sent(r.Context(), attempt)
		r = r.Clone(r.Context())
		r.Header.Set(HeaderTrace, s.Trace)
		r.Header.Set(attemptHeader, fmt.Sprintf("%d/%d", s.Number, s.Of))
	}
	return l.next.RoundTrip(r)
}
