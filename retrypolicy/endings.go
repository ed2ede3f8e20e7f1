package retrypolicy

import (
	"context"
	"fmt"
	"time"
)

// stopped ends the call with the last attempt's answer or error.
func (c *call) stopped(last outcome) (*Response, error) {
	if last.Err != nil {
		return nil, &StoppedError{Attempts: last.Number, Err: last.Err, Reason: last.Reason}
	}
	return c.answer, nil
}

func (c *call) exceeded(last outcome, limit string) error {
	return &ExceededError{
		Attempts: last.Number, Response: c.answer, Err: c.err,
		Reason: limit + "; last: " + last.Reason,
	}
}

func (c *call) overBudget(last outcome) error {
	return &ExceededError{
		Attempts: last.Number, Response: c.answer, Err: c.err, Budget: true,
		Reason: "the retry budget is used up; last: " + last.Reason,
	}
}

// refused completes the breaker's word with what was known before it.
func (c *call) refused(made int, open *OpenError) error {
	open.Attempts, open.Response, open.Err = made, c.answer, c.err
	return open
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
