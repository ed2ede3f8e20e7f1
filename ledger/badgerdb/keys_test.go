package badgerdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/idem/idemtest"
)

func TestKeysOnDisk(t *testing.T) {
	idemtest.Run(t, func(t testing.TB) idem.Store { return open(t, Options{Dir: t.TempDir()}).Keys() })
}

func TestKeysInMemory(t *testing.T) {
	idemtest.Run(t, func(t testing.TB) idem.Store { return open(t, Options{InMemory: true}).Keys() })
}

var noon = time.Date(2026, 5, 4, 12, 0, 0, 123456789, time.UTC)

func claimed(owner, value, resource string) idem.Record {
	return idem.Record{
		Key: idem.Key{Owner: owner, Value: value}, Resource: resource,
		Point: idem.Claimed, Fence: 1, LeaseUntil: noon.Add(time.Minute), Created: noon,
	}
}

func insertRecord(t testing.TB, db *DB, record idem.Record) {
	t.Helper()
	err := db.Update(context.Background(), func(tx *Tx) error {
		_, inserted, err := tx.InsertKey(record)
		if !inserted {
			t.Errorf("%v is taken", record.Key)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// stored reads the record of a key that must be there.
func stored(t testing.TB, db *DB, key idem.Key) (record idem.Record) {
	t.Helper()
	err := db.View(context.Background(), func(tx *Tx) error {
		var ok bool
		var err error
		if record, ok, err = tx.Record(key); err == nil && !ok {
			t.Errorf("%v has no record", key)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestAKeyThatJSONWouldChangeIsRefused(t *testing.T) {
	db := open(t, Options{InMemory: true})
	err := db.Update(context.Background(), func(tx *Tx) error {
		_, _, err := tx.InsertKey(claimed("shop", "a\xff", "ch_1"))
		return err
	})
	if !errors.Is(err, ErrKey) {
		t.Fatalf("got %v", err)
	}
}

func TestRecordsListsOneOwnerOnly(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		for _, owner := range []string{"shop", "shop_b", "sho", "run-1"} {
			for i := range 3 {
				insertRecord(t, db, claimed(owner, fmt.Sprint(i), owner+fmt.Sprint(i)))
			}
		}
		for limit, want := range map[int]int{0: 3, -1: 3, 2: 2, MaxRecords + 1: 3} {
			records := recordsOf(t, db, "shop", limit)
			if len(records) != want {
				t.Errorf("limit %d: %d records", limit, len(records))
			}
			for _, record := range records {
				if record.Key.Owner != "shop" {
					t.Errorf("a record of %s", record.Key.Owner)
				}
			}
		}
		if records := recordsOf(t, db, "nobody", 0); len(records) > 0 {
			t.Errorf("nobody has %d records", len(records))
		}
	})
}

func recordsOf(t testing.TB, db *DB, owner string, limit int) (records []idem.Record) {
	t.Helper()
	err := db.View(context.Background(), func(tx *Tx) (err error) {
		records, err = tx.Records(owner, limit)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// A '/' in an owner would reach into the rows of another one.
func TestAnInvalidOwnerReachesNoRow(t *testing.T) {
	db := open(t, Options{InMemory: true})
	for _, owner := range []string{"", "a/b", "a b", strings.Repeat("a", 65)} {
		key := idem.Key{Owner: owner, Value: "1"}
		err := db.View(context.Background(), func(tx *Tx) error { _, _, err := tx.Record(key); return err })
		if !errors.Is(err, ErrKey) {
			t.Errorf("record %q: %v", owner, err)
		}
		err = db.View(context.Background(), func(tx *Tx) error { _, err := tx.Records(owner, 1); return err })
		if !errors.Is(err, ErrKey) {
			t.Errorf("records %q: %v", owner, err)
		}
		err = db.Keys().Update(context.Background(), func(tx idem.Tx) error {
			_, _, err := tx.InsertKey(claimed(owner, "1", "ch_1"))
			return err
		})
		if !errors.Is(err, ErrKey) {
			t.Errorf("insert %q: %v", owner, err)
		}
	}
}
