package badgerdb

import (
	"context"
	"testing"
)

// each runs a test on both kinds of store.
func each(t *testing.T, test func(t *testing.T, db *DB)) {
	t.Helper()
	t.Run("disk", func(t *testing.T) { test(t, open(t, Options{Dir: t.TempDir()})) })
	t.Run("memory", func(t *testing.T) { test(t, open(t, Options{InMemory: true})) })
}

// open opens a store and closes it with the test.
func open(t testing.TB, options Options) *DB {
	t.Helper()
	options.Log = t.Logf
	db, err := Open(options)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := db.inner.Close(); err != nil { // left open by a store that has stopped
			t.Errorf("close badger: %v", err)
		}
	})
	return db
}

// set commits one row.
func set(t testing.TB, db *DB, key, value string) {
	t.Helper()
	err := db.Update(context.Background(), func(tx *Tx) error { return tx.Set([]byte(key), []byte(value)) })
	if err != nil {
		t.Fatalf("set %q: %v", key, err)
	}
}

// get reads one row in a transaction of its own.
func get(t testing.TB, db *DB, key string) (value string, ok bool) {
	t.Helper()
	err := db.View(context.Background(), func(tx *Tx) error {
		data, found, err := tx.Get([]byte(key))
		value, ok = string(data), found
		return err
	})
	if err != nil {
		t.Fatalf("get %q: %v", key, err)
	}
	return value, ok
}
