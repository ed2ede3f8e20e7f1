package api

import (
	"context"
	"net/http"
	"runtime/debug"
	"time"

	"chargeonce/idem"
)

// guarded runs a handler within the limit of requests in flight, and turns a
// panic into a 500 so that one bad request costs no other.
func (s *server) guarded(ctx context.Context, c *call, run handler) (answer reply) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return refuse(&Problem{Code: CodeRateLimited, RetryAfter: leastRetryAfter})
	}
	defer func() {
		if value := recover(); value != nil {
			// The value may repeat what was sent; the stack does not.
			s.Log.Error("handler panicked", "request", c.id, "route", c.route, "stack", string(debug.Stack()))
			answer = refuse(&Problem{Code: CodeInternal})
		}
	}()
	return run(ctx, c)
}

// owned admits callers with a credential.
func (s *server) owned(next handler) handler {
	return func(ctx context.Context, c *call) reply {
		owner, problem := ownerOf(c.r.Header)
		if problem != nil {
			return refuse(problem)
		}
		c.owner = owner
		return next(ctx, c)
	}
}

// keyed admits callers with a credential and an idempotency key, in this
// order: without the one, nothing is said about the other.
func (s *server) keyed(next handler) handler {
	return s.owned(func(ctx context.Context, c *call) reply {
		key, problem := keyOf(c.owner, c.r.Header)
		if problem != nil {
			return refuse(problem)
		}
		c.key = key
		s.gate(ctx, c, AtReceived)
		if c.link.isCut() {
			return reply{dropped: true}
		}
		return next(ctx, c)
	})
}

// answered reports a reply that has been sent.
func (s *server) answered(c *call, answer reply) {
	if c.key != (idem.Key{}) {
		_ = http.NewResponseController(c.w).Flush() // before the gate, or a kill there would take the answer along
	}
	if c.looksOn() {
		return
	}
	s.logged(c, answer)
	s.trace(responseEvent(c, answer))
	if c.key != (idem.Key{}) && !c.link.isCut() {
		s.gate(c.r.Context(), c, AtAnswered)
	}
}

func (s *server) gate(ctx context.Context, c *call, point string) {
	if s.Gate != nil {
		s.Gate(withCall(ctx, c), point)
	}
}

// logged writes the access log: the route as a pattern, the key as its hash.
func (s *server) logged(c *call, answer reply) {
	key := ""
	if c.key != (idem.Key{}) {
		key = c.key.String()
	}
	s.Log.Info("answered", "request", c.id, "route", c.route, "status", answer.code(),
		"owner", c.owner, "key", key, "decision", answer.decision, "charge", answer.charge,
		"ms", time.Since(c.began).Milliseconds())
}

// health says whether the process can still tell the truth.
func (s *server) health(context.Context, *call) reply {
	select {
	case <-s.Store.Failed():
		return refuse(&Problem{Code: CodeUnavailable, RetryAfter: leastRetryAfter, Message: "The store is in doubt; the process is about to end."})
	default:
		return reply{status: http.StatusOK, header: map[string]string{"Content-Type": typeJSON}, body: []byte("{\"status\":\"ok\"}\n")}
	}
}
