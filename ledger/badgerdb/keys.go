package badgerdb

import (
	"context"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"chargeonce/idem"
)

// MaxRecords bounds what [Tx.Records] returns.
const MaxRecords = 1000

var _ idem.Tx = (*Tx)(nil)

// InsertKey implements [idem.Tx]. The look before the write is what makes the
// key unique: Badger counts the read, found or not, and refuses the commit if
// another transaction has written the key in between. Two writes without a
// read would both commit.
func (tx *Tx) InsertKey(record idem.Record) (holder idem.Record, inserted bool, err error) {
	holder, taken, err := tx.Record(record.Key)
	if err != nil || taken {
		return holder, false, err
	}
	if err := tx.putRecord(record); err != nil {
		return idem.Record{}, false, err
	}
	return record, true, nil
}

// SwapKey implements [idem.Tx]; the rule is [idem.Swappable].
func (tx *Tx) SwapKey(record idem.Record, fence uint64) (swapped bool, err error) {
	stored, ok, err := tx.Record(record.Key)
	if err != nil || !ok || !idem.Swappable(stored, record, fence) {
		return false, err
	}
	if err := tx.putRecord(record); err != nil {
		return false, err
	}
	return true, nil
}

// DropKey forgets the key of a record that is done, if the stored one is still
// the given one: of this claim's life and not of a later one. It reports
// whether it did. An open record is never dropped: a second effect would follow.
func (tx *Tx) DropKey(record idem.Record) (dropped bool, err error) {
	stored, ok, err := tx.Record(record.Key)
	if err != nil || !ok || stored.Open() || stored.Fence != record.Fence || stored.Resource != record.Resource {
		return false, err
	}
	at, err := recordKey(record.Key)
	if err != nil {
		return false, tx.refuse(err)
	}
	return true, tx.Delete(at)
}

// Record reads the record of a key, for display; decisions go through
// [idem.Begin]. A record that cannot be read is [ErrCorrupt].
func (tx *Tx) Record(key idem.Key) (idem.Record, bool, error) {
	at, err := recordKey(key)
	if err != nil {
		return idem.Record{}, false, err
	}
	data, ok, err := tx.Get(at)
	if err != nil || !ok {
		return idem.Record{}, false, err
	}
	record, err := decodeRecord(data)
	if err != nil {
		return idem.Record{}, false, fmt.Errorf("record of %v: %w", key, err)
	}
	if record.Key != key {
		return idem.Record{}, false, fmt.Errorf("%w: record of %v lies under %v", ErrCorrupt, record.Key, key)
	}
	return record, true, nil
}

// Records reads up to limit records of one owner, in no meaningful order; a
// limit of 0 or less, or above [MaxRecords], means [MaxRecords].
func (tx *Tx) Records(owner string, limit int) ([]idem.Record, error) {
	if !idem.ValidOwner(owner) {
		return nil, fmt.Errorf("%w: owner", ErrKey)
	}
	if limit <= 0 || limit > MaxRecords {
		limit = MaxRecords
	}
	var records []idem.Record
	err := tx.Scan([]byte(recordPrefix+owner+"/"), ScanOptions{Limit: limit}, func(_, value []byte) error {
		record, err := decodeRecord(value)
		records = append(records, record)
		return err
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

// RecordsBehind reads up to limit records of all owners, in the order of their
// places, from the first one behind a place on (nil: from the first of all). It
// returns the place to go on from; nil says that there are no more.
func (tx *Tx) RecordsBehind(place []byte, limit int) (records []idem.Record, last []byte, err error) {
	err = tx.Scan([]byte(recordPrefix), ScanOptions{After: place, Limit: limit}, func(key, value []byte) error {
		record, err := decodeRecord(value)
		records, last = append(records, record), key
		return err
	})
	return records, last, err
}

func (tx *Tx) putRecord(record idem.Record) error {
	at, err := recordKey(record.Key)
	if err != nil {
		return tx.refuse(err)
	}
	data, err := encodeRecord(record)
	if err != nil {
		return tx.refuse(err)
	}
	return tx.Set(at, data)
}

// recordPrefix is the corner of the key space in which records live.
const recordPrefix = "k/"

// recordKey hashes what the client chose, so that no choice of it can reach
// into another row. The owner stays readable; it has no '/' in it.
func recordKey(key idem.Key) ([]byte, error) {
	if !idem.ValidOwner(key.Owner) {
		return nil, fmt.Errorf("%w: owner", ErrKey)
	}
	if !utf8.ValidString(key.Value) { // JSON would change it, and nobody find it again
		return nil, fmt.Errorf("%w: not UTF-8", ErrKey)
	}
	id := key.ID()
	return []byte(recordPrefix + key.Owner + "/" + hex.EncodeToString(id[:])), nil
}

// Keys shows the store as nothing but a store of idempotency keys.
func (db *DB) Keys() idem.Store { return keyStore{db} }

type keyStore struct{ db *DB }

func (s keyStore) Update(ctx context.Context, fn func(idem.Tx) error) error {
	return s.db.Update(ctx, func(tx *Tx) error { return fn(tx) })
}
