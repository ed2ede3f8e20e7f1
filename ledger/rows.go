package ledger

import (
	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

// rows is what the books need of an engine's transaction: an ordered map of
// rows, with idempotency records beside them in the same transaction. One
// layout of rows over every engine: what an engine has to get right by itself
// is snapshots, uniqueness and all-or-nothing, and the suite measures that.
type rows interface {
	// Get, Set, Delete and Scan are as [badgerdb.Tx] has them. A value that
	// comes out is a copy, and so is what goes in.
	Get(key []byte) (value []byte, ok bool, err error)
	Set(key, value []byte) error
	Delete(key []byte) error
	Scan(prefix []byte, options badgerdb.ScanOptions, fn func(key, value []byte) error) error
	keys
}

// keys is the part of [rows] that keeps idempotency records.
type keys interface {
	idem.Tx
	// DropKey forgets a record that is done, if it is still the given one.
	DropKey(record idem.Record) (dropped bool, err error)
	Record(key idem.Key) (record idem.Record, found bool, err error)
	// Records reads some of one owner's, at most [badgerdb.MaxRecords].
	Records(owner string, limit int) ([]idem.Record, error)
}

var (
	_ rows = (*badgerdb.Tx)(nil)
	_ rows = (*memoryTx)(nil)
)
