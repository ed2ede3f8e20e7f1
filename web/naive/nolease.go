package naive

import (
	"context"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/api"
	"chargeonce/web/control"
)

// noLease marks a key as in progress and leaves it at that.
//
// Wrong: a claim is a flag that its worker takes down when it is done, or when
// it gives up. A worker that is killed does neither. The flag stays up, every
// later attempt is told that the first one is still at work, and the key can
// never pay, although nobody is there any more.
//
// The public kind: a request whose process crashed is "in progress" for days,
// and so are its retries (VilledeMontreal/express-idempotency, issue 32;
// pathosDev/actor-ts, issue 984).
//
// Right: idem.Begin gives each claim a lease, the heartbeat of package ledger
// prolongs it for as long as the worker lives, and decideOpen lets the next
// request resume once it has ended.
func noLease() Mistake {
	return Mistake{
		ID: "no-lease", Label: "in progress without a lease",
		Gates: leaseGates, Gate: announce(leasePoints),
		Store: func(s ledger.Store) ledger.Store { return &endless{s} },
		Trace: tellEndless,
	}
}

// endless is a store in which no claim ever ends by itself.
type endless struct{ ledger.Store }

// Update implements [ledger.Store].
func (s *endless) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.Store.Update(ctx, func(tx ledger.Tx) error { return fn(&endlessTx{tx}) })
}

type endlessTx struct{ ledger.Tx }

// InsertKey implements [idem.Tx]: whoever finds a claim finds it as fresh as
// his own would be, whatever became of its worker. One that was given back is
// free here as well.
func (tx *endlessTx) InsertKey(claim idem.Record) (idem.Record, bool, error) {
	holder, inserted, err := tx.Tx.InsertKey(claim)
	if err == nil && !inserted && holder.Open() && !holder.LeaseUntil.IsZero() {
		holder.LeaseUntil = claim.LeaseUntil
	}
	return holder, inserted, err
}

// tellEndless leaves out what this side knows nothing of: an end.
func tellEndless(next api.Tracer) api.Tracer {
	return retold(next, func(e control.Event) (control.Event, bool) {
		if e.Kind != control.KindDecision {
			return e, true
		}
		e.LeaseMS = 0
		switch e.Outcome {
		case control.Started:
			e.Text = "STARTED: " + e.Reason + "; it is marked as in progress."
		case control.Busy:
			e.Reason = "the key is in progress"
			e.Text = "BUSY: the key is marked as in progress, and nothing but its worker can change that."
		}
		return e, true
	})
}
