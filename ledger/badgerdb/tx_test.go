package badgerdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestCommittedRowsAreReadBack(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		set(t, db, "a", "1")
		set(t, db, "empty", "") // not the same as a missing row
		for key, want := range map[string]string{"a": "1", "empty": ""} {
			if value, ok := get(t, db, key); !ok || value != want {
				t.Errorf("%s: got %q, %v", key, value, ok)
			}
		}
		if _, ok := get(t, db, "b"); ok {
			t.Error("a row that was never written is there")
		}
	})
}

func TestATransactionReadsItsOwnWrites(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		set(t, db, "gone", "1")
		err := db.Update(context.Background(), func(tx *Tx) error {
			if err := errors.Join(tx.Set([]byte("a"), []byte("1")), tx.Delete([]byte("gone"))); err != nil {
				return err
			}
			value, ok, err := tx.Get([]byte("a"))
			_, gone, goneErr := tx.Get([]byte("gone"))
			if string(value) != "1" || !ok || gone {
				t.Errorf("got %q, %v; deleted row there: %v", value, ok, gone)
			}
			return errors.Join(err, goneErr)
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestAnErrorRollsEverythingBack(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		refused := errors.New("refused")
		err := db.Update(context.Background(), func(tx *Tx) error {
			return errors.Join(tx.Set([]byte("a"), []byte("1")), refused)
		})
		if !errors.Is(err, refused) {
			t.Fatalf("got %v", err)
		}
		if _, ok := get(t, db, "a"); ok {
			t.Fatal("a row survived the rollback")
		}
	})
}

func TestAViewWritesNothing(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		err := db.View(context.Background(), func(tx *Tx) error {
			for _, err := range []error{tx.Set([]byte("a"), nil), tx.Delete([]byte("a")), SetJSON(tx, "a", 1)} {
				if !errors.Is(err, ErrReadOnly) {
					t.Errorf("got %v", err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestAViewIsASnapshot(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		set(t, db, "a", "1")
		err := db.View(context.Background(), func(tx *Tx) error {
			set(t, db, "a", "2") // another transaction, committed in between
			value, _, err := tx.Get([]byte("a"))
			if string(value) != "1" {
				t.Errorf("the snapshot moved to %q", value)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestInvalidKeysAreRefusedWithoutPrintingThem(t *testing.T) {
	db := open(t, Options{InMemory: true})
	secret := "someone@example.com"
	for _, test := range []struct {
		key  string
		want error
	}{
		{"", ErrKey},
		{"!badger!" + secret, ErrKey},
		{strings.Repeat(secret, 100), ErrTooBig},
	} {
		check := func(op string, err error) {
			if !errors.Is(err, test.want) || strings.Contains(err.Error(), secret) {
				t.Errorf("%s %.20q: %v", op, test.key, err)
			}
		}
		check("get", db.View(context.Background(), func(tx *Tx) error {
			_, _, err := tx.Get([]byte(test.key))
			return err
		}))
		check("set", db.Update(context.Background(), func(tx *Tx) error { return tx.Set([]byte(test.key), nil) }))
		check("delete", db.Update(context.Background(), func(tx *Tx) error { return tx.Delete([]byte(test.key)) }))
	}
}

func TestSlicesMayBeReusedAsSoonAsTheCallReturns(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		err := db.Update(context.Background(), func(tx *Tx) error {
			key, value := []byte("a"), []byte("1")
			if err := tx.Set(key, value); err != nil {
				return err
			}
			read, _, err := tx.Get(key) // of a write that still waits for its commit
			clear(read)
			key[0], value[0] = 'b', '2'
			return errors.Join(err, tx.Set(key, value))
		})
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{"a": "1", "b": "2"} {
			if got, _ := get(t, db, key); got != want {
				t.Errorf("%s: got %q", key, got)
			}
		}
	})
}

// A value that pointed into Badger's memory would change under a later write
// or vanish with a compaction; the race detector watches.
func TestValuesOutliveTheirTransaction(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		const rows, size = 20, 4 << 10
		for i := range rows {
			set(t, db, fmt.Sprintf("r/%02d", i), strings.Repeat("x", size))
		}
		var all sync.WaitGroup
		all.Go(func() { // enough to rotate memtables
			for i := range 60 {
				set(t, db, fmt.Sprintf("r/%02d", i%rows), strings.Repeat("x", MaxValueSize))
				set(t, db, fmt.Sprintf("r/%02d", i%rows), strings.Repeat("x", size))
			}
		})
		for range 4 {
			all.Go(func() { readAndScribble(t, db) })
		}
		all.Wait()
	})
}

// readAndScribble keeps values beyond their transaction and writes into them,
// which may disturb nobody.
func readAndScribble(t *testing.T, db *DB) {
	for range 50 {
		var kept [][]byte
		err := db.View(context.Background(), func(tx *Tx) error {
			value, _, err := tx.Get([]byte("r/00"))
			kept = append(kept, value)
			return errors.Join(err, tx.Scan([]byte("r/"), ScanOptions{}, func(_, value []byte) error {
				kept = append(kept, value)
				return nil
			}))
		})
		if err != nil {
			t.Error(err)
		}
		for _, value := range kept {
			if strings.Trim(string(value), "x") != "" {
				t.Error("a value was overwritten")
			}
			clear(value)
		}
	}
}
