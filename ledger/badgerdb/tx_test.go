package badgerdb

import (
	"context"
	"errors"
	"testing"
)

func TestCommittedRowsAreReadBack(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		set(t, db, "a", "1")
		if value, ok := get(t, db, "a"); !ok || value != "1" {
			t.Fatalf("got %q, %v", value, ok)
		}
		if _, ok := get(t, db, "b"); ok {
			t.Fatal("a row that was never written is there")
		}
	})
}

func TestAnEmptyValueIsNotAMissingRow(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		set(t, db, "a", "")
		if value, ok := get(t, db, "a"); !ok || value != "" {
			t.Fatalf("got %q, %v", value, ok)
		}
	})
}

func TestAnErrorRollsEverythingBack(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		refused := errors.New("refused")
		err := db.Update(context.Background(), func(tx *Tx) error {
			if err := tx.Set([]byte("a"), []byte("1")); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Fatalf("got %v", err)
		}
		if _, ok := get(t, db, "a"); ok {
			t.Fatal("a row survived the rollback")
		}
	})
}
