package ledger

import (
	"bytes"
	"context"
	"strings"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

// memoryTx is one transaction in memory: a snapshot that is its own. Records
// lie beside the rows and not in them, as clones: they need no encoding.
type memoryTx struct {
	snapshot
	ctx    context.Context
	writes bool // false: inside View
	over   bool // its function has returned
}

func (tx *memoryTx) end() { tx.over = true }

// Get implements [rows].
func (tx *memoryTx) Get(key []byte) ([]byte, bool, error) {
	if err := tx.usable(false); err != nil {
		return nil, false, err
	}
	value, found := tx.rows.get(string(key))
	return bytes.Clone(value), found, nil
}

// Set implements [rows].
func (tx *memoryTx) Set(key, value []byte) error {
	if err := tx.usable(true); err != nil {
		return err
	}
	tx.rows = tx.rows.with(string(key), bytes.Clone(value))
	return nil
}

// Delete implements [rows].
func (tx *memoryTx) Delete(key []byte) error {
	if err := tx.usable(true); err != nil {
		return err
	}
	tx.rows = tx.rows.without(string(key))
	return nil
}

// Scan implements [rows]. It goes through the rows as they were when it began,
// whatever fn writes.
func (tx *memoryTx) Scan(prefix []byte, options badgerdb.ScanOptions, fn func(key, value []byte) error) error {
	if err := tx.usable(false); err != nil {
		return err
	}
	first, after := string(prefix), string(options.After)
	all := tx.rows.up(func(key string) bool {
		return key < first || after != "" && key <= after
	})
	if options.Reverse {
		all = tx.rows.down(func(key string) bool {
			return key > first && !strings.HasPrefix(key, first) || after != "" && key >= after
		})
	}
	left := options.Limit
	for key, value := range all {
		if !strings.HasPrefix(key, first) {
			break
		}
		if err := fn([]byte(key), bytes.Clone(value)); err != nil {
			return err
		}
		if left--; left == 0 {
			break
		}
	}
	return nil
}

// InsertKey implements [idem.Tx].
func (tx *memoryTx) InsertKey(record idem.Record) (idem.Record, bool, error) {
	if err := tx.usable(true); err != nil {
		return idem.Record{}, false, err
	}
	if holder, taken := tx.records.get(recordRow(record.Key)); taken {
		return holder.Clone(), false, nil
	}
	tx.put(record)
	return record, true, nil
}

// SwapKey implements [idem.Tx].
func (tx *memoryTx) SwapKey(record idem.Record, fence uint64) (bool, error) {
	if err := tx.usable(true); err != nil {
		return false, err
	}
	stored, found := tx.records.get(recordRow(record.Key))
	if !found || !idem.Swappable(stored, record, fence) {
		return false, nil
	}
	tx.put(record)
	return true, nil
}

func (tx *memoryTx) put(record idem.Record) {
	tx.records = tx.records.with(recordRow(record.Key), record.Clone())
}

// DropKey implements [keys].
func (tx *memoryTx) DropKey(record idem.Record) (bool, error) {
	if err := tx.usable(true); err != nil {
		return false, err
	}
	row := recordRow(record.Key)
	stored, found := tx.records.get(row)
	if !found || stored.Open() || stored.Fence != record.Fence || stored.Resource != record.Resource {
		return false, nil
	}
	tx.records = tx.records.without(row)
	return true, nil
}

// Record implements [keys].
func (tx *memoryTx) Record(key idem.Key) (idem.Record, bool, error) {
	if err := tx.usable(false); err != nil {
		return idem.Record{}, false, err
	}
	record, found := tx.records.get(recordRow(key))
	return record.Clone(), found, nil
}

// Records implements [keys].
func (tx *memoryTx) Records(owner string, limit int) ([]idem.Record, error) {
	if err := tx.usable(false); err != nil {
		return nil, err
	}
	if limit <= 0 || limit > badgerdb.MaxRecords {
		limit = badgerdb.MaxRecords
	}
	var records []idem.Record
	first := recordPrefix(owner)
	for row, record := range tx.records.up(func(row string) bool { return row < first }) {
		if !strings.HasPrefix(row, first) || len(records) == limit {
			break
		}
		records = append(records, record.Clone())
	}
	return records, nil
}
