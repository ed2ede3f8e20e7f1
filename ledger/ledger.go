package ledger

import (
	"context"

	"chargeonce/idem"
)

// Ledger makes charges. It is safe for concurrent use.
type Ledger struct {
	opts    Options
	waiters *idem.Waiters
}

// New checks the options and returns a ledger over its store. The error is
// [idem.ErrTerms] where the durations would charge twice.
func New(opts Options) (*Ledger, error) {
	return &Ledger{opts: opts, waiters: &idem.Waiters{Max: opts.MaxWaiters}}, nil
}

// Charge makes the charge that the request asks for, once per key.
func (l *Ledger) Charge(ctx context.Context, req ChargeRequest) (Result, error) {
	return Result{}, ErrClosed
}

// Close refuses new calls and waits for the work under way, also that whose
// clients have gone, until ctx ends.
func (l *Ledger) Close(ctx context.Context) error { return nil }

// MayCall reports whether the attempt that runs under ctx may start another
// provider call: nil, or [ErrClaimLost]. A provider that tries more than once
// asks it before each attempt.
func MayCall(ctx context.Context) error { return nil }
