package naive

import (
	"context"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// noFingerprint lets the key alone decide.
//
// Wrong: a key that is known gets the stored answer, whatever it comes with. A
// client that has edited its request and kept its key, or that uses one key for
// a purchase and for its refund, is told that all went well, and nothing was
// done: it ships goods for another amount, or tells its customer of a refund
// that never happens.
//
// The public kind: a store of answers that looks at the key and not at the
// request (josipmusa/idempotency4j, issue 12; LabsCrypt/remitlend, pull request
// 1680, across endpoints as well).
//
// Right: decide of package idem compares fingerprints before it replays, and
// its conflict names what differs.
func noFingerprint() Mistake {
	return Mistake{
		ID: "no-fingerprint", Label: "no fingerprint",
		Gates: plainGates, Gate: announce(plainPoints),
		Store: func(s ledger.Store) ledger.Store { return &blind{s} },
	}
}

// blind is a store to which every request under a key is the key's own.
type blind struct{ ledger.Store }

// Update implements [ledger.Store].
func (s *blind) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.Store.Update(ctx, func(tx ledger.Tx) error { return fn(&blindTx{tx}) })
}

type blindTx struct{ ledger.Tx }

// InsertKey implements [idem.Tx]. Whatever the holder asked for, it is told as
// if it had asked for the same: there is nothing left to compare.
func (tx *blindTx) InsertKey(claim idem.Record) (idem.Record, bool, error) {
	holder, inserted, err := tx.Tx.InsertKey(claim)
	holder.Fingerprint = claim.Fingerprint
	return holder, inserted, err
}
