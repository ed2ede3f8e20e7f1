package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"chargeonce/idem"
)

// attempt is one worker's try at a charge or a refund under a claim of its own: from the
// commit that gave it the claim to the one that ends it.
type attempt struct {
	ledger *Ledger
	slot   *slot
	claim  claimed

	// mu lets the attempt and its heartbeat write one after the other: each
	// write carries the whole record. It is held over a commit.
	mu     sync.Mutex
	record idem.Record // the latest copy of our own
	ended  bool        // settled or released: no heartbeat may follow
	lost   error       // a heartbeat failed: no provider call may follow

	called bool // the provider was called; belongs to the goroutine of run
}

func newAttempt(l *Ledger, c claimed, s *slot) *attempt {
	return &attempt{ledger: l, slot: s, claim: c, record: c.Record}
}

// run takes the attempt to its end. Whatever panics on the way (the provider's
// client, a hook, the rendering) is caught here: it ends this attempt and no
// other, and the key is released like after any unknown outcome.
func (a *attempt) run(ctx context.Context) (result Result, err error) {
	ctx = context.WithValue(ctx, attemptKey{}, a)
	stop := a.keepAlive(ctx)
	defer stop()
	defer func() {
		if value := recover(); value != nil {
			result, err = a.panicked(ctx, &PanicError{Value: value, Stack: debug.Stack()})
		}
	}()
	hooks := a.ledger.opts.Hooks
	hooks.decided(ctx, a.claim.Record.Key, a.claim.Decision)
	hooks.committed(ctx, Commit{Phase: 1, Work: a.claim.work, Record: a.claim.Record, Rows: a.claim.rows})
	hooks.at(ctx, AtClaimed)
	captured, err := a.askProvider(ctx)
	if err != nil {
		return a.giveUp(ctx, err)
	}
	hooks.at(ctx, AtProviderCalled)
	return a.settle(ctx, captured)
}

// settle makes commit 2. What cannot be committed is unknown to the client,
// although we know what the provider did: the next attempt asks it again.
func (a *attempt) settle(ctx context.Context, captured Captured) (Result, error) {
	next := a.claim.work.settledBy(captured)
	rendered := a.ledger.opts.render(next)
	// The answer is this request's own, though another may have begun the work.
	rendered.Request = cmp.Or(a.claim.request, rendered.Request)
	answer, err := storable(rendered, next.Request())
	if err != nil {
		return a.giveUp(ctx, err)
	}
	tell := a.ledger.announcement(ctx, next)
	var done settled
	err = a.write(ctx, true, func(tx Tx, mine idem.Record, now idem.Now) (idem.Record, error) {
		var err error
		done, err = settle(tx, mine, next, now, answer, tell)
		return done.record, err
	})
	if err != nil {
		return a.giveUp(ctx, fmt.Errorf("commit 2: %w", err))
	}
	a.ledger.opts.Hooks.committed(ctx, Commit{Phase: 2, Work: done.work, Record: done.record, Rows: done.rows})
	a.wake()
	a.ledger.opts.Hooks.at(ctx, AtCommitted)
	result := a.claim.result()
	result.Record = done.record
	return result, nil
}

// giveUp ends the attempt without an outcome of its own.
func (a *attempt) giveUp(ctx context.Context, cause error) (Result, error) {
	err := a.release(ctx, cause)
	a.wake()
	hooks := a.ledger.opts.Hooks
	if errors.Is(cause, idem.ErrFenced) || errors.Is(err, idem.ErrFenced) {
		hooks.fenced(ctx, a.claim.work, a.held())
		return Result{}, errLost
	}
	if errors.Is(cause, ErrClaimLost) {
		return Result{}, errLost // nobody took it yet; we ask for it again
	}
	cause = definite(cause)
	hooks.unknown(ctx, a.claim.work, cause)
	result := a.claim.unknown()
	result.Record = a.held()
	if errors.Is(cause, ErrProviderRefused) {
		result.RetryAfter = 0 // coming again would not help: we sent something wrong
	}
	return result, cause
}

// panicked is giveUp for a panic. A second one, out of a hook, is swallowed:
// nothing may get past here, since it would take the whole process with it.
func (a *attempt) panicked(ctx context.Context, cause *PanicError) (result Result, err error) {
	defer func() {
		if recover() != nil {
			a.wake()
			result, err = a.claim.unknown(), cause
		}
	}()
	return a.giveUp(ctx, cause)
}

// release makes the key free at its recovery point, unless it is too late.
// The words go into the record's history, which its owner may read.
func (a *attempt) release(ctx context.Context, cause error) error {
	why := "the outcome is unknown"
	switch {
	case errors.Is(cause, ErrProviderRefused):
		why = "the card provider refused the call"
	case errors.Is(cause, ErrClaimLost):
		why = "the lease was not renewed in time"
	}
	return a.write(ctx, true, func(tx Tx, mine idem.Record, now idem.Now) (idem.Record, error) {
		return setBack(tx, mine, now, a.called, why)
	})
}

func (a *attempt) wake() { a.ledger.waiters.Wake(a.claim.Record.Key) }
