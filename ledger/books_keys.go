package ledger

import (
	"encoding/hex"

	"chargeonce/idem"
)

// Writes of idempotency records: each goes to the engine, and the record's
// place on the agenda moves with it in the same transaction.

// InsertKey implements [idem.Tx].
func (tx *bookTx) InsertKey(record idem.Record) (idem.Record, bool, error) {
	holder, inserted, err := tx.inner.InsertKey(record)
	if err != nil || !inserted {
		return holder, inserted, err
	}
	tx.wrote(recordRow(record.Key))
	return holder, true, tx.schedule(nil, &record)
}

// SwapKey implements [idem.Tx].
func (tx *bookTx) SwapKey(record idem.Record, fence uint64) (bool, error) {
	old, _, err := tx.inner.Record(record.Key)
	if err != nil {
		return false, err
	}
	swapped, err := tx.inner.SwapKey(record, fence)
	if err != nil || !swapped {
		return swapped, err
	}
	tx.wrote(recordRow(record.Key))
	return true, tx.schedule(&old, &record)
}

// DropKey implements [Tx].
func (tx *bookTx) DropKey(record idem.Record) (bool, error) {
	old, _, err := tx.inner.Record(record.Key)
	if err != nil {
		return false, err
	}
	dropped, err := tx.inner.DropKey(record)
	if err != nil || !dropped {
		return dropped, err
	}
	tx.wrote(recordRow(record.Key))
	return true, tx.schedule(&old, nil)
}

// recordRow is where an engine keeps the record of a key.
func recordRow(key idem.Key) string {
	id := key.ID()
	return recordPrefix(key.Owner) + hex.EncodeToString(id[:])
}

func recordPrefix(owner string) string { return "k/" + owner + "/" }
