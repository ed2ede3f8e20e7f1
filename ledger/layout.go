package ledger

import (
	"context"
	"fmt"

	"chargeonce/ledger/badgerdb"
)

// layout is the version of the rows that this program writes. Version 1 had no
// row that says so, and in its beginning neither the agenda nor the lists of
// events by type: data of then would never be completed or reaped.
const layout = 2

// upgradeBatch bounds the records or events that one transaction of the upgrade
// writes the rows of: some 200 bytes each, of the 1.2 MB that it may hold.
const upgradeBatch = 256

// upgrade writes the rows that older versions left out, once. It runs before
// anybody else has the store. Each row follows from what is there, so that an
// upgrade that was cut off is simply begun again.
func (s badgerStore) upgrade(ctx context.Context) error {
	stands := 0
	err := s.db.View(ctx, func(tx *badgerdb.Tx) (err error) {
		stands, _, err = badgerdb.GetJSON[int](tx, rowLayout)
		return err
	})
	switch {
	case err != nil || stands == layout:
		return err
	case stands > layout:
		return fmt.Errorf("%w: %d, this one writes %d", ErrLaterVersion, stands, layout)
	}
	for _, index := range []func(*badgerdb.Tx, []byte) ([]byte, error){indexRecords, indexEvents} {
		if err := s.index(ctx, index); err != nil {
			return err
		}
	}
	return s.db.Update(ctx, func(tx *badgerdb.Tx) error { return badgerdb.SetJSON(tx, rowLayout, layout) })
}

// index goes through rows batch by batch, each a transaction of its own.
func (s badgerStore) index(ctx context.Context, batch func(tx *badgerdb.Tx, place []byte) (next []byte, err error)) error {
	for place, first := []byte(nil), true; first || place != nil; first = false {
		var next []byte
		if err := s.db.Update(ctx, func(tx *badgerdb.Tx) (err error) {
			next, err = batch(tx, place)
			return err
		}); err != nil {
			return err
		}
		place = next
	}
	return nil
}

// indexRecords puts records onto the agenda.
func indexRecords(tx *badgerdb.Tx, place []byte) (next []byte, err error) {
	records, next, err := tx.RecordsBehind(place, upgradeBatch)
	books := bookTx{bookReader: bookReader{tx}}
	for _, record := range records {
		if err == nil {
			err = books.schedule(nil, &record)
		}
	}
	return next, err
}

// indexEvents lists events by their types.
func indexEvents(tx *badgerdb.Tx, place []byte) (next []byte, err error) {
	books := bookTx{bookReader: bookReader{tx}}
	err = tx.Scan([]byte(rowEvent), badgerdb.ScanOptions{After: place, Limit: upgradeBatch}, func(key, value []byte) error {
		e, err := decode[Event](value)
		if err != nil {
			return err
		}
		next = key
		return books.setNumbered(eventList(e.Owner, e.Type), e.Seq, e.ID)
	})
	return next, err
}
