package naive

import (
	"context"
	"fmt"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/api"
	"chargeonce/web/control"
)

// noFence lets whoever has finished write the result.
//
// Wrong: claims have leases, and a lease that has ended is taken over. But the
// worker that lost it may only have been slow: a garbage collection, a paused
// machine, a disk that hung. When it comes back it writes its result by the
// key alone, over the one that is there, and books the charge once more.
//
// The public kind: leases without fencing, so that a late finish overwrites the
// result of the attempt that replaced it (aegra/aegra, pull request 547;
// bslatkin/dpxdt, issue 46).
//
// Right: idem.Swappable accepts a write only under the fence that the record
// still has. Each take-over raises it, and finish of package ledger comes first
// in commit 2, so that a worker that has lost its claim books nothing at all.
func noFence() Mistake {
	return Mistake{
		ID: "no-fence", Label: "a lease without a fence",
		Gates: plainGates, Gate: announce(plainPoints),
		Store: func(s ledger.Store) ledger.Store { return &unfenced{s} },
		Trace: tellOverwritten,
	}
}

// unfenced is a store in which the last to finish wins.
type unfenced struct{ ledger.Store }

// Update implements [ledger.Store].
func (s *unfenced) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.Store.Update(ctx, func(tx ledger.Tx) error { return fn(&unfencedTx{again{Tx: tx}}) })
}

type unfencedTx struct{ again }

// SwapKey implements [idem.Tx]. Heartbeats and releases still mind the fence;
// a result is written whoever holds the key by now.
func (tx *unfencedTx) SwapKey(record idem.Record, fence uint64) (bool, error) {
	swapped, err := tx.Tx.SwapKey(record, fence)
	if err != nil || swapped || record.Open() {
		return swapped, err
	}
	holder, err := tx.holder(record)
	if err != nil {
		return false, err
	}
	tx.mine = record.Resource
	record.Fence = holder.Fence + 1 // no guard: only what the engine asks of a write
	return tx.Tx.SwapKey(record, holder.Fence)
}

// tellOverwritten says what a commit did that the right ledger refuses.
func tellOverwritten(next api.Tracer) api.Tracer {
	return retold(next, func(e control.Event) (control.Event, bool) {
		if line, found := secondLine(e); found {
			e.Text = fmt.Sprintf("Nobody asks whose claim it is by now: the stored answer is overwritten, and the charge is booked a second time, as %s.", line)
		}
		return e, true
	})
}
