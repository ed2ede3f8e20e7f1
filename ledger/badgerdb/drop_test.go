package badgerdb

import (
	"context"
	"errors"
	"testing"

	"chargeonce/idem"
)

func drop(t *testing.T, db *DB, record idem.Record) (dropped bool) {
	t.Helper()
	err := db.Update(context.Background(), func(tx *Tx) (err error) {
		dropped, err = tx.DropKey(record)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dropped
}

func TestOnlyADoneRecordOfTheSameLifeIsDropped(t *testing.T) {
	db := open(t, Options{InMemory: true})
	done := claimed("shop", "done", "ch_1")
	done.Point, done.Fence = idem.Done, 3
	held := claimed("shop", "open", "ch_2")
	insertRecord(t, db, done)
	insertRecord(t, db, held)

	earlier, another := done, done
	earlier.Fence--
	another.Resource = "ch_0"
	for name, record := range map[string]idem.Record{
		"an open one": held, "an earlier claim": earlier, "another life": another, "one that is not there": claimed("shop", "none", "ch_3"),
	} {
		if drop(t, db, record) {
			t.Errorf("%s was dropped", name)
		}
	}
	if got := stored(t, db, done.Key); got.Fence != 3 {
		t.Errorf("the record became %+v", got)
	}
	if !drop(t, db, done) || drop(t, db, done) {
		t.Error("a done record is not dropped once")
	}
	insertRecord(t, db, claimed("shop", "done", "ch_4")) // the key is free again
}

func TestNothingIsDroppedInAView(t *testing.T) {
	db := open(t, Options{InMemory: true})
	done := claimed("shop", "done", "ch_1")
	done.Point = idem.Done
	insertRecord(t, db, done)
	err := db.View(context.Background(), func(tx *Tx) error {
		_, err := tx.DropKey(done)
		return err
	})
	if !errors.Is(err, ErrReadOnly) {
		t.Errorf("got %v", err)
	}
}
