package badgerdb

import (
	"context"
	"errors"
	"testing"
)

type point struct{ X, Y int }

func TestJSONRows(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		set(t, db, "broken", `{"X":`)
		err := db.Update(context.Background(), func(tx *Tx) error { return SetJSON(tx, "p", point{1, 2}) })
		if err != nil {
			t.Fatal(err)
		}
		err = db.View(context.Background(), func(tx *Tx) error {
			if p, ok, err := GetJSON[point](tx, "p"); p != (point{1, 2}) || !ok || err != nil {
				t.Errorf("got %v, %v, %v", p, ok, err)
			}
			if p, ok, err := GetJSON[point](tx, "missing"); p != (point{}) || ok || err != nil {
				t.Errorf("missing: got %v, %v, %v", p, ok, err)
			}
			if p, ok, err := GetJSON[point](tx, "broken"); p != (point{}) || ok || !errors.Is(err, ErrCorrupt) {
				t.Errorf("broken: got %v, %v, %v", p, ok, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestAValueThatCannotBeEncodedRollsBack(t *testing.T) {
	db := open(t, Options{InMemory: true})
	err := db.Update(context.Background(), func(tx *Tx) error {
		_ = SetJSON(tx, "c", make(chan int)) // ignored by a careless caller
		return tx.Set([]byte("a"), nil)
	})
	if err == nil {
		t.Fatal("committed")
	}
	if _, ok := get(t, db, "a"); ok {
		t.Fatal("half of it was written")
	}
}
