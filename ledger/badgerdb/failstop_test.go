package badgerdb

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/dgraph-io/badger/v4"
)

var errDisk = errors.New("the disk is gone")

// ambiguous commits in memory and then says that it failed: the worst that
// Badger can do.
func ambiguous(txn *badger.Txn) error {
	if err := txn.Commit(); err != nil {
		return err
	}
	return errDisk
}

func TestAnAmbiguousCommitStopsTheStore(t *testing.T) {
	db := open(t, Options{InMemory: true, commit: ambiguous})
	select {
	case <-db.Failed():
		t.Fatal("failed before anything happened")
	default:
	}
	runs := 0
	err := db.Update(context.Background(), func(tx *Tx) error { runs++; return tx.Set([]byte("a"), []byte("1")) })
	if !errors.Is(err, ErrOutcomeUnknown) || !errors.Is(err, errDisk) {
		t.Fatalf("got %v, want the unknown outcome and its cause", err)
	}
	if runs != 1 {
		t.Fatalf("an unknown outcome was run %d times", runs)
	}
	select {
	case <-db.Failed():
	default:
		t.Fatal("nobody is told")
	}
	checkStopped(t, db)
}

func checkStopped(t *testing.T, db *DB) {
	t.Helper()
	fn := func(*Tx) error { t.Error("a stopped store ran a transaction"); return nil }
	if err := db.Update(context.Background(), fn); !errors.Is(err, ErrOutcomeUnknown) {
		t.Errorf("update: %v", err)
	}
	if err := db.View(context.Background(), fn); !errors.Is(err, ErrOutcomeUnknown) {
		t.Errorf("view: %v", err)
	}
}

func TestAPanicInsideACommitIsAmbiguous(t *testing.T) {
	db := open(t, Options{InMemory: true, commit: func(*badger.Txn) error { panic("boom") }})
	func() {
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = db.Update(context.Background(), func(*Tx) error { return nil })
	}()
	checkStopped(t, db)
}

func TestWritersThatWaitAreToldWhenTheStoreStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t, Options{InMemory: true, commit: ambiguous})
		release, first := occupy(db)
		const writers = 8
		others := make(chan error, writers)
		for range writers {
			go func() {
				others <- db.Update(context.Background(), func(*Tx) error { return errors.New("ran") })
			}()
		}
		synctest.Wait() // all of them are waiting now
		close(release)
		if err := <-first; !errors.Is(err, ErrOutcomeUnknown) {
			t.Errorf("the failing one: %v", err)
		}
		for range writers {
			if err := <-others; !errors.Is(err, ErrOutcomeUnknown) {
				t.Errorf("a waiting one: %v", err)
			}
		}
	})
}

// The rows of an ambiguous commit are visible in Badger's memory between the
// commit and the stop. A reader that comes in just then must not be told.
func TestNobodyReadsWhatMayNotBeOnDisk(t *testing.T) {
	var db *DB
	reader := make(chan error, 1)
	db = open(t, Options{InMemory: true, commit: func(txn *badger.Txn) error {
		err := ambiguous(txn)
		go func() { reader <- db.View(context.Background(), func(*Tx) error { return nil }) }()
		for !inside(db, 2) && len(reader) == 0 {
			runtime.Gosched()
		}
		// The reader is counted in. Give it every chance to slip through.
		for range 10_000 {
			runtime.Gosched()
		}
		return err
	}})
	err := db.Update(context.Background(), func(tx *Tx) error { return tx.Set([]byte("a"), []byte("1")) })
	if !errors.Is(err, ErrOutcomeUnknown) {
		t.Errorf("writer: %v", err)
	}
	if err := <-reader; !errors.Is(err, ErrOutcomeUnknown) {
		t.Errorf("reader: %v", err)
	}
}

// inside reports whether n transactions are counted in.
func inside(db *DB, n int) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.active == n
}

func TestASnapshotFromBeforeTheStopStaysTrue(t *testing.T) {
	fail := false
	db := open(t, Options{InMemory: true, commit: func(txn *badger.Txn) error {
		if fail {
			return ambiguous(txn)
		}
		return txn.Commit()
	}})
	set(t, db, "a", "1")
	fail = true
	err := db.View(context.Background(), func(view *Tx) error {
		err := db.Update(context.Background(), func(tx *Tx) error { return tx.Set([]byte("a"), []byte("2")) })
		if !errors.Is(err, ErrOutcomeUnknown) {
			t.Errorf("update: %v", err)
		}
		if value, _, err := view.Get([]byte("a")); err != nil || string(value) != "1" {
			t.Errorf("the snapshot says %q, %v", value, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An orderly close would write the doubtful rows down as if they were true.
func TestClosingAStoppedStoreLeavesBadgerAlone(t *testing.T) {
	db := open(t, Options{Dir: t.TempDir(), commit: ambiguous})
	_ = db.Update(context.Background(), func(tx *Tx) error { return tx.Set([]byte("a"), []byte("1")) })
	for range 2 {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if db.inner.IsClosed() {
		t.Fatal("Badger was closed in order, and has flushed its memtable")
	}
	checkStopped(t, db)
}
