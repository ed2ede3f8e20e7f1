package ledger

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"chargeonce/idem"
)

type attemptKey struct{}

// MayCall reports whether the attempt that runs under ctx may start another
// provider call: nil, or [ErrClaimLost] once its heartbeat has failed or its
// lease is over, for another attempt may be at work by then. A provider that
// tries more than once asks it before each attempt. A context that is no
// attempt's may always call.
func MayCall(ctx context.Context) error {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return nil
	}
	return a.mayCall()
}

func (a *attempt) mayCall() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.lost != nil:
		return fmt.Errorf("%w: %w", ErrClaimLost, a.lost)
	case a.ended:
		return fmt.Errorf("%w: the attempt is over", ErrClaimLost)
	case a.record.LeaseLeft(a.ledger.opts.now()) <= 0:
		return fmt.Errorf("%w: the lease is over", ErrClaimLost)
	}
	return nil
}

// askProvider is the part between the commits. Whoever resumes asks by key
// first: an earlier attempt may have moved the money and died before it could
// say so.
func (a *attempt) askProvider(ctx context.Context) (Captured, error) {
	work, provider := a.claim.work, a.ledger.opts.Provider
	if a.claim.Outcome == idem.Resumed {
		answer := a.call(ctx, true, func(ctx context.Context, answer *ProviderAnswer) {
			answer.Captured, answer.Found, answer.Err = provider.Lookup(ctx, work.ProviderKey())
		})
		if answer.Err != nil || answer.Found {
			return answer.Captured, answer.Err
		}
	}
	answer := a.call(ctx, false, func(ctx context.Context, answer *ProviderAnswer) {
		if work.IsRefund() {
			answer.Captured, answer.Err = provider.Refund(ctx, work.ProviderKey(), work.Refund.Capture, work.Refund.Amount)
			return
		}
		answer.Captured, answer.Err = provider.Capture(ctx, work.ProviderKey(), order(work.Charge))
	})
	return answer.Captured, answer.Err
}

// call makes one call of the provider, with the hooks around it.
func (a *attempt) call(ctx context.Context, lookup bool, fn func(context.Context, *ProviderAnswer)) ProviderAnswer {
	if err := a.mayCall(); err != nil {
		return ProviderAnswer{Err: err}
	}
	a.called = true
	opts := a.ledger.opts
	opts.Hooks.providerCall(ctx, ProviderCall{Work: a.claim.work, Lookup: lookup})
	began := opts.Now()
	answer := a.bounded(ctx, fn)
	answer.Work, answer.Lookup, answer.Elapsed = a.claim.work, lookup, opts.Now().Sub(began)
	if answer.Err == nil && (!lookup || answer.Found) && answer.Captured.ID == "" && !answer.Captured.Declined {
		answer.Err = fmt.Errorf("%w: neither done nor declined", ErrOutcomeUnknown)
	}
	if answer.Err != nil {
		answer.Captured, answer.Found = Captured{}, false
		answer.Err = definite(answer.Err)
	}
	opts.Hooks.providerAnswered(ctx, answer)
	return answer
}

// bounded gives up on a call after [Options.ProviderSpan] even if the client
// does not listen to its context: a call that hangs for ever would keep its
// key busy for ever. A call that is left behind goes on holding its slot.
func (a *attempt) bounded(ctx context.Context, fn func(context.Context, *ProviderAnswer)) ProviderAnswer {
	ctx, cancel := context.WithTimeout(ctx, a.ledger.opts.ProviderSpan)
	defer cancel()
	done := make(chan ProviderAnswer, 1)
	a.slot.hold()
	go func() {
		defer a.slot.release()
		// Stands if the call leaves without returning (runtime.Goexit).
		answer := ProviderAnswer{Err: fmt.Errorf("%w: the call ended early", ErrOutcomeUnknown)}
		defer func() {
			if value := recover(); value != nil {
				answer = ProviderAnswer{Err: &PanicError{Value: value, Stack: debug.Stack()}}
			}
			done <- answer
		}()
		fn(ctx, &answer)
	}()
	select {
	case answer := <-done:
		return answer
	case <-ctx.Done():
		return ProviderAnswer{Err: fmt.Errorf("%w: no answer within %v", ErrOutcomeUnknown, a.ledger.opts.ProviderSpan)}
	}
}

// definite makes every error either a refusal, a lost claim or an unknown
// outcome: what nobody can classify may have moved money.
func definite(err error) error {
	if errors.Is(err, ErrProviderRefused) || errors.Is(err, ErrClaimLost) || errors.Is(err, ErrOutcomeUnknown) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
}
