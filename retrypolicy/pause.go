package retrypolicy

import (
	"fmt"
	"time"
)

// pause waits for the next attempt, or says why there will be none. All limits
// are asked before the wait, so that nobody sleeps towards an attempt that
// could not be made; the budget is asked last, so that nothing is taken from it
// for an attempt that another limit forbids.
func (c *call) pause(last outcome) error {
	if last.Number >= c.policy.MaxAttempts {
		return c.exceeded(last, "attempts used up")
	}
	asked, _ := RetryAfter(last.Header, time.Now())
	if asked > c.policy.MaxRetryAfter {
		return c.waitTooLong(last, asked)
	}
	wait := c.nextWait(last, asked)
	if err := c.forbids(last, wait.Delay); err != nil {
		return err
	}
	c.hooks.wait(c.ctx, wait)
	sleep(c.ctx, c.clock, wait.Delay)
	if err := c.overslept(last); err != nil {
		c.refund()
		return err
	}
	return nil
}

func (c *call) nextWait(last outcome, asked time.Duration) Wait {
	random := c.policy.Random()
	c.waited = c.policy.Delay(last.Number, c.waited, random)
	delay, wished := c.policy.floor(c.waited, asked, random)
	return Wait{
		Next: last.Number + 1, Of: c.policy.MaxAttempts,
		Delay: delay, RetryAfter: wished, Reason: last.Reason,
	}
}

// forbids says why there can be no attempt after this delay.
func (c *call) forbids(last outcome, delay time.Duration) error {
	if deadline, ok := c.ctx.Deadline(); ok && delay >= time.Until(deadline) {
		return c.exceeded(last, fmt.Sprintf("the next wait of %v would pass the deadline", delay))
	}
	now := c.clock.Now()
	if delay >= c.end.Sub(now) {
		return c.exceeded(last, fmt.Sprintf("the next wait of %v would pass the limit of %v in all",
			delay, c.policy.MaxElapsed))
	}
	if c.breaker != nil {
		if left := c.breaker.left(now); left > delay {
			return c.refused(last.Number, &OpenError{State: Open, After: left})
		}
	}
	if c.budget != nil && !c.budget.Take(now) {
		return c.overBudget(last)
	}
	return nil
}

// overslept says what has made the next attempt pointless during the wait.
func (c *call) overslept(last outcome) error {
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

// permit asks the breaker for the attempt with this number. It is nil where
// there is no breaker.
func (c *call) permit(number int) (*Permit, error) {
	if c.breaker == nil {
		return nil, nil
	}
	permit, open := c.breaker.allow(c.clock.Now())
	if open == nil {
		return permit, nil
	}
	if number > 1 {
		c.refund()
	}
	return nil, c.refused(number-1, open)
}

// refund gives back the token of a repeat that is not made.
func (c *call) refund() {
	if c.budget != nil {
		c.budget.Return(c.clock.Now())
	}
}
