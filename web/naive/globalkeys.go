package naive

import (
	"context"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// everybody is the one owner under whom all keys are kept.
const everybody = "everybody"

// globalKeys keeps all keys in one drawer.
//
// Wrong: the key is looked up by what the client sent, and not by who sent it.
// Keys are minted by clients, who know nothing of each other: two shops that
// number their orders use the same ones. If the requests look alike too, the
// second shop is told that it was paid, with the first one's answer in its
// hands, and its customer's card is never charged.
//
// The public kind: a store of answers without the caller in its key, so that
// one tenant is sent another's (paveg/hono-idempotency, issue 126;
// nensii21/devlink, issue 773).
//
// Right: ParseKey of package idem makes an owner part of the key itself, and
// the API takes that owner from the credential.
func globalKeys() Mistake {
	return Mistake{
		ID: "global-keys", Label: "keys are global",
		Gates: plainGates, Gate: announce(plainPoints),
		Store: func(s ledger.Store) ledger.Store { return &ownerless{s} },
	}
}

// ownerless is a store in which a key is everybody's. Charges, postings and
// events keep their owners: only the records lose them.
type ownerless struct{ ledger.Store }

// Update implements [ledger.Store].
func (s *ownerless) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.Store.Update(ctx, func(tx ledger.Tx) error { return fn(&ownerlessTx{tx}) })
}

// View implements [ledger.Store].
func (s *ownerless) View(ctx context.Context, fn func(ledger.Reader) error) error {
	return s.Store.View(ctx, func(r ledger.Reader) error { return fn(ownerlessReader{r}) })
}

type ownerlessTx struct{ ledger.Tx }

// InsertKey implements [idem.Tx]. Whoever holds the key, the caller takes the
// record for its own: that is the mistake.
func (tx *ownerlessTx) InsertKey(record idem.Record) (idem.Record, bool, error) {
	holder, inserted, err := tx.Tx.InsertKey(ofEverybody(record))
	holder.Key.Owner = record.Key.Owner
	return holder, inserted, err
}

// SwapKey implements [idem.Tx].
func (tx *ownerlessTx) SwapKey(record idem.Record, fence uint64) (bool, error) {
	return tx.Tx.SwapKey(ofEverybody(record), fence)
}

// DropKey implements [ledger.Tx].
func (tx *ownerlessTx) DropKey(record idem.Record) (bool, error) {
	return tx.Tx.DropKey(ofEverybody(record))
}

type ownerlessReader struct{ ledger.Reader }

// Record implements [ledger.KeyReader].
func (r ownerlessReader) Record(key idem.Key) (idem.Record, bool, error) {
	record, found, err := r.Reader.Record(idem.Key{Owner: everybody, Value: key.Value})
	record.Key.Owner = key.Owner
	return record, found, err
}

// Records implements [ledger.KeyReader]: everybody's records are each one's.
func (r ownerlessReader) Records(owner string, limit int) ([]idem.Record, error) {
	records, err := r.Reader.Records(everybody, limit)
	for i := range records {
		records[i].Key.Owner = owner
	}
	return records, err
}

// ofEverybody is the record as it is kept.
func ofEverybody(record idem.Record) idem.Record {
	record.Key.Owner = everybody
	return record
}
