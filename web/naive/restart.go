package naive

import (
	"context"
	"fmt"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// restartForgets cleans up when it starts: whatever was in progress is deleted.
//
// Wrong: a claim from before this process was born is taken for a leftover.
// But the process that made it may have died after the card was charged, and
// the claim is all that led to that charge: to its id, and so to the key under
// which the card provider would have said "captured already". The retry begins
// anew, with a new charge and a new provider key, and the card is charged
// again. The old charge stays pending for ever: no record leads to it.
//
// The public kind: a start-up sweep that frees locks or puts running jobs back
// to the start, so that side effects happen twice (mlflow/mlflow, pull request
// 25555; SamSaffron/term-llm, pull request 732).
//
// Right: idem.Begin never forgets an open record. While its lease runs the
// answer is busy; afterwards the next request resumes the same charge, and
// askProvider of package ledger asks the provider by the old key before it
// sends anything.
func restartForgets() Mistake {
	return Mistake{
		ID: "restart-forgets", Label: "forgets claims on restart",
		Gates: plainGates, Gate: announce(plainPoints),
		Store: func(s ledger.Store) ledger.Store { return &forgetful{s, time.Now()} },
		Trace: tellForgotten,
	}
}

// forgetful is a store that finds no open claim older than itself.
type forgetful struct {
	ledger.Store
	born time.Time // of this process, wall clock
}

// Update implements [ledger.Store].
func (s *forgetful) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.Store.Update(ctx, func(tx ledger.Tx) error { return fn(&forgetfulTx{tx, s.born}) })
}

type forgetfulTx struct {
	ledger.Tx
	born time.Time
}

// InsertKey implements [idem.Tx], but for leftovers: the new claim takes the
// place of one, as if the key had never been seen.
func (tx *forgetfulTx) InsertKey(claim idem.Record) (idem.Record, bool, error) {
	holder, inserted, err := tx.Tx.InsertKey(claim)
	if err != nil || inserted || !tx.leftover(holder) {
		return holder, inserted, err
	}
	claim.Fence = holder.Fence + 1 // so that the old claim, were it still alive, could write no more
	claim.History = []idem.Step{{At: claim.Created, What: fmt.Sprintf("unfinished claim deleted at the restart; claimed anew, fence %d", claim.Fence)}}
	swapped, err := tx.SwapKey(claim, holder.Fence)
	if err != nil || !swapped {
		return holder, false, err
	}
	return claim, true, nil
}

// leftover takes every unfinished claim of an earlier process for rubbish, at
// whatever point it stopped and whether or not its lease still runs.
func (tx *forgetfulTx) leftover(holder idem.Record) bool {
	return holder.Open() && holder.Created.Before(tx.born)
}
