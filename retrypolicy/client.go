package retrypolicy

import (
	"context"
	"fmt"
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
}

// Response is a whole answer: its body has been read and its connection given
// back, so there is nothing to close.
type Response struct {
	Status   int
	Header   http.Header
	Body     []byte // at most MaxAnswerBody bytes; empty, never nil
	Attempts int    // made, the answered one included
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
//     be before the next attempt; then Do returns at once, without the wait;
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
	run := &call{
		ctx: req.Context(), policy: c.Policy.withDefaults(),
		hooks: c.Hooks, transport: c.Transport, clock: c.Clock,
	}
	if run.transport == nil {
		run.transport = http.DefaultTransport
	}
	if run.clock == nil {
		run.clock = wallClock{}
	}
	out, err := readOutgoing(req)
	switch {
	case err != nil && run.ctx.Err() != nil:
		// The body's error is only the echo of the closing.
		return nil, run.givenUp(0)
	case err != nil:
		return nil, err
	}
	run.out, run.end = out, run.clock.Now().Add(run.policy.MaxElapsed)
	return run.loop()
}

// call is one Do. It lives on one goroutine.
type call struct {
	ctx       context.Context
	policy    Policy // defaults filled in
	hooks     Hooks
	transport http.RoundTripper
	clock     Clock
	out       *outgoing
	end       time.Time // when MaxElapsed is over

	answer *Response // the last whole one
	err    error     // of the last attempt; nil if it was answered
}

func (c *call) loop() (*Response, error) {
	if c.ctx.Err() != nil {
		return nil, c.givenUp(0)
	}
	for number := 1; ; number++ {
		last := c.attempt(number)
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

// stopped ends the call with the last attempt's answer or error.
func (c *call) stopped(last outcome) (*Response, error) {
	if last.Err != nil {
		return nil, &StoppedError{Attempts: last.Number, Err: last.Err, Reason: last.Reason}
	}
	return c.answer, nil
}

// pause waits for the next attempt, or says why there will be none.
func (c *call) pause(last outcome) error {
	if last.Number >= c.policy.MaxAttempts {
		return c.exceeded(last, "attempts used up")
	}
	asked, _ := RetryAfter(last.Header, time.Now())
	if asked > c.policy.MaxRetryAfter {
		return c.waitTooLong(last, asked)
	}
	delay, wished := c.policy.delay(last.Number, asked)
	// Both limits are asked before the wait, so that nobody sleeps towards an
	// attempt that could not be made.
	if deadline, ok := c.ctx.Deadline(); ok && delay >= time.Until(deadline) {
		return c.exceeded(last, fmt.Sprintf("the next wait of %v would pass the deadline", delay))
	}
	if delay >= c.end.Sub(c.clock.Now()) {
		return c.exceeded(last, fmt.Sprintf("the next wait of %v would pass the limit of %v in all",
			delay, c.policy.MaxElapsed))
	}
	c.hooks.wait(c.ctx, Wait{
		Next: last.Number + 1, Of: c.policy.MaxAttempts,
		Delay: delay, RetryAfter: wished, Reason: last.Reason,
	})
	sleep(c.ctx, c.clock, delay)
	// Asked whatever ended the sleep: both may be ready together, and no
	// attempt may follow a cancellation.
	if c.ctx.Err() != nil {
		return c.givenUp(last.Number)
	}
	// A slow hook may have used up more than the wait.
	if !c.clock.Now().Before(c.end) {
		return c.exceeded(last, fmt.Sprintf("the limit of %v in all passed during the wait", c.policy.MaxElapsed))
	}
	return nil
}

func (c *call) exceeded(last outcome, limit string) error {
	return &ExceededError{
		Attempts: last.Number, Response: c.answer, Err: c.err,
		Reason: limit + "; last: " + last.Reason,
	}
}

func (c *call) waitTooLong(last outcome, asked time.Duration) error {
	long := &WaitTooLongError{Wait: asked, Limit: c.policy.MaxRetryAfter, Attempts: last.Number}
	if last.Err == nil {
		long.Response = c.answer
	}
	return long
}

// givenUp ends the call because the request's context is done. A passed
// deadline is one of the limits; a cancellation is the caller's own wish.
func (c *call) givenUp(made int) error {
	cause := context.Cause(c.ctx)
	if c.ctx.Err() == context.DeadlineExceeded {
		if c.err != nil {
			cause = fmt.Errorf("%w; before that: %w", cause, c.err)
		}
		return &ExceededError{
			Attempts: made, Response: c.answer, Err: cause, Reason: "the deadline passed",
		}
	}
	return &CanceledError{Attempts: made, Cause: cause, Err: c.err}
}
