package retrypolicy

import (
	"context"
	"net/http"
	"time"
)

// Client sends requests under a policy. The zero value is ready for use. It
// may be used concurrently as long as its fields are not changed meanwhile and
// what they hold is safe for concurrent use.
type Client struct {
	// Transport sends each attempt. Nil means http.DefaultTransport. It must
	// not repeat requests by itself (see "Honest attempts" above: net/http's
	// is kept from it) and must obey the request's context.
	Transport http.RoundTripper
	Policy    Policy
	Hooks     Hooks
	// Clock times attempts and waits. Nil means the wall clock.
	Clock Clock
	// Budget bounds the repeats of all calls together. Nil means no bound
	// beyond the policy's.
	Budget *Budget
	// Breaker refuses attempts to a server that is down. Nil means none.
	Breaker *Breaker
}

// Response is a whole answer: its body has been read and its connection given
// back, so there is nothing to close.
type Response struct {
	Status   int
	Header   http.Header
	Body     []byte // at most MaxAnswerBody bytes; empty, never nil
	Attempts int    // made, the answered one included

	raw *http.Response // as it came, with its body used up
}

// Do sends the request until an attempt is final or the policy is used up.
//
// The request must already carry its Idempotency-Key, if it is to have one:
// the key names the intent, so Do neither makes nor changes it. The body is
// read once, before the first attempt, and closed; every attempt sends the
// same bytes. Do leaves the request's other fields alone.
//
// An answer that is not worth repeating comes back with a nil error, whatever
// its status: 201, 402 and 404 alike. Otherwise the Response is nil and the
// error is one of
//
//   - ExceededError: attempts, elapsed time or deadline are used up, or would
//     be before the next attempt; then Do returns at once, without the wait.
//     So is the client's budget (the error then matches ErrBudget as well);
//   - OpenError: the breaker is open, or would still be after the next wait;
//     Do returns at once, so that nobody spins on it. Nothing was sent if the
//     error's Attempts is 0;
//   - WaitTooLongError: the answer asks for a wait above MaxRetryAfter;
//   - StoppedError: no answer, and repeating would be useless or unsafe;
//   - CanceledError: the request's context was cancelled. Do returns at once,
//     out of a wait as well;
//   - ErrBadRequest, ErrBadKey, ErrBodyTooLarge, ErrBodyLength or the body's
//     own error: nothing was sent.
//
// Redirects are followed where the request stays what it is: 307 and 308 keep
// method, body and key; 301, 302 and 303 are followed for GET and HEAD only,
// and are a RedirectError (inside a StoppedError) for all other methods. Another
// origin gets no Authorization, Cookie or Proxy-Authorization.
func (c *Client) Do(req *http.Request) (*Response, error) {
	return c.start(req.Context()).do(req)
}

func (c *Client) start(ctx context.Context) *call {
	run := &call{
		ctx: ctx, policy: c.Policy.withDefaults(), hooks: c.Hooks, transport: c.transport(),
		clock: c.Clock, budget: c.Budget, breaker: c.Breaker,
	}
	if run.clock == nil {
		run.clock = wallClock{}
	}
	return run
}

func (c *Client) transport() http.RoundTripper {
	if c.Transport == nil {
		return http.DefaultTransport
	}
	return c.Transport
}

// call is one Do. It lives on one goroutine.
type call struct {
	ctx       context.Context
	policy    Policy // defaults filled in
	hooks     Hooks
	transport http.RoundTripper
	clock     Clock
	budget    *Budget
	breaker   *Breaker
	out       *outgoing
	end       time.Time // when MaxElapsed is over
	handOver  bool      // redirects that keep the request are the caller's

	waited time.Duration // the client's own share of the last wait
	answer *Response     // the last whole one
	err    error         // of the last attempt; nil if it was answered
}

func (c *call) do(req *http.Request) (*Response, error) {
	out, err := readOutgoing(req)
	switch {
	case err != nil && c.ctx.Err() != nil:
		// The body's error is only the echo of the closing.
		return nil, c.givenUp(0)
	case err != nil:
		return nil, err
	}
	c.out, c.end = out, c.clock.Now().Add(c.policy.MaxElapsed)
	return c.loop()
}

func (c *call) loop() (*Response, error) {
	if c.ctx.Err() != nil {
		return nil, c.givenUp(0)
	}
	if c.budget != nil {
		c.budget.Call(c.clock.Now())
	}
	for number := 1; ; number++ {
		permit, err := c.permit(number)
		if err != nil {
			return nil, err
		}
		last := c.attempt(number, permit)
		if last.canceled {
			return nil, c.givenUp(number)
		}
		c.err = last.Err
		if last.Err == nil {
			c.answer = last.response()
		}
		if last.Verdict == Stop {
			return c.stopped(last)
		}
		if err := c.pause(last); err != nil {
			return nil, err
		}
	}
}
