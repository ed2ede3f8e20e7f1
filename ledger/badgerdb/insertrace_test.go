package badgerdb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"chargeonce/idem"

	"github.com/dgraph-io/badger/v4"
)

// overlap lets two transactions run at the same time, which the one writer of
// the runner never does: what is left to keep them apart is Badger's own
// detection of conflicts. It returns the error of the second commit.
func overlap(t *testing.T, db *DB, first, second func(*Tx) error) error {
	t.Helper()
	var txs [2]*Tx
	for i := range txs {
		txs[i] = &Tx{ctx: context.Background(), inner: db.inner.NewTransaction(true), writes: true}
		defer txs[i].end()
	}
	if err := errors.Join(first(txs[0]), second(txs[1])); err != nil {
		t.Fatal(err)
	}
	if err := txs[0].inner.Commit(); err != nil {
		t.Fatalf("first commit: %v", err)
	}
	return txs[1].inner.Commit()
}

// Two writes without a read both commit: the reason for the look in InsertKey.
func TestBlindWritesAreNoGuard(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		blind := func(tx *Tx) error { return tx.putRecord(claimed("shop", "order-1", "ch_blind")) }
		if err := overlap(t, db, blind, blind); err != nil {
			t.Fatalf("Badger now detects blind writes: %v", err)
		}
	})
}

func TestTheReadOfAnInsertGuardsTheKey(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		insert := func(resource string) func(*Tx) error {
			return func(tx *Tx) error {
				_, inserted, err := tx.InsertKey(claimed("shop", "order-1", resource))
				if !inserted {
					t.Errorf("%s found the key taken", resource)
				}
				return err
			}
		}
		if err := overlap(t, db, insert("ch_1"), insert("ch_2")); !errors.Is(err, badger.ErrConflict) {
			t.Fatalf("the second insert: %v", err)
		}
		if record := stored(t, db, idem.Key{Owner: "shop", Value: "order-1"}); record.Resource != "ch_1" {
			t.Fatalf("the key belongs to %s", record.Resource)
		}
	})
}

func TestTheReadOfASwapGuardsTheFence(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		record := claimed("shop", "order-1", "ch_1")
		insertRecord(t, db, record)
		next := record
		next.Fence = 2
		takeOver := func(tx *Tx) error {
			swapped, err := tx.SwapKey(next, 1)
			if !swapped {
				t.Error("not swapped")
			}
			return err
		}
		if err := overlap(t, db, takeOver, takeOver); !errors.Is(err, badger.ErrConflict) {
			t.Fatalf("the second take-over: %v", err)
		}
	})
}

// One customer's payment never waits for another's.
func TestDifferentKeysDoNotConflict(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		insert := func(owner string) func(*Tx) error {
			return func(tx *Tx) error {
				_, _, err := tx.InsertKey(claimed(owner, "order-1", "ch_"+owner))
				return err
			}
		}
		if err := overlap(t, db, insert("a"), insert("b")); err != nil {
			t.Fatal(err)
		}
	})
}

func TestOneOfManyInsertsWinsWithItsSideRow(t *testing.T) {
	const rounds, writers = 20, 64
	each(t, func(t *testing.T, db *DB) {
		for round := range rounds {
			value := fmt.Sprint(round)
			var all sync.WaitGroup
			for writer := range writers {
				all.Go(func() { claimWithSideRow(t, db, value, fmt.Sprintf("ch_%d", writer)) })
			}
			all.Wait()
			rows := scan(t, db, "side/"+value+"/", ScanOptions{})
			winner := stored(t, db, idem.Key{Owner: "shop", Value: value}).Resource
			if len(rows) != 1 || rows[0] != "side/"+value+"/"+winner {
				t.Fatalf("round %d: %s won, side rows %q", round, winner, rows)
			}
		}
	})
}

// claimWithSideRow writes its row only if it is the one that got the key.
func claimWithSideRow(t *testing.T, db *DB, value, resource string) {
	err := db.Update(context.Background(), func(tx *Tx) error {
		_, inserted, err := tx.InsertKey(claimed("shop", value, resource))
		if err != nil || !inserted {
			return err
		}
		row := []byte("side/" + value + "/" + resource)
		return tx.Set(row, row)
	})
	if err != nil {
		t.Error(err)
	}
}
