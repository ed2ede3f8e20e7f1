package badgerdb

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

func TestAClosedStoreSaysSo(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		for range 2 { // the second one is no error
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		fn := func(*Tx) error { t.Error("ran after Close"); return nil }
		if err := db.Update(context.Background(), fn); !errors.Is(err, ErrClosed) {
			t.Errorf("update: %v", err)
		}
		if err := db.View(context.Background(), fn); !errors.Is(err, ErrClosed) {
			t.Errorf("view: %v", err)
		}
	})
}

func TestCloseWaitsForRunningTransactionsAndTurnsAwayTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t, Options{InMemory: true})
		release, first := occupy(db)
		queued := make(chan error, 1)
		go func() {
			queued <- db.Update(context.Background(), func(*Tx) error { return errors.New("ran") })
		}()
		synctest.Wait() // queued
		closed := make(chan error, 2)
		for range 2 {
			go func() { closed <- db.Close() }()
		}
		if err := <-queued; !errors.Is(err, ErrClosed) {
			t.Errorf("queued: %v", err)
		}
		synctest.Wait() // both closers wait
		select {
		case err := <-closed:
			t.Errorf("closed under a running transaction: %v", err)
		default:
		}
		close(release)
		if err := <-first; err != nil {
			t.Errorf("the running one: %v", err)
		}
		for range 2 {
			if err := <-closed; err != nil {
				t.Errorf("close: %v", err)
			}
		}
	})
}

func TestATransactionCannotBeUsedAfterItsEnd(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		var leaked []*Tx
		keep := func(tx *Tx) error { leaked = append(leaked, tx); return nil }
		if err := errors.Join(db.Update(context.Background(), keep), db.View(context.Background(), keep)); err != nil {
			t.Fatal(err)
		}
		check := func(when string) {
			for _, tx := range leaked {
				_, _, getErr := tx.Get([]byte("a"))
				scanErr := tx.Scan(nil, ScanOptions{}, func(_, _ []byte) error { return nil })
				for _, err := range []error{getErr, scanErr, tx.Set([]byte("a"), nil), tx.Delete([]byte("a"))} {
					if !errors.Is(err, ErrTxDone) {
						t.Errorf("%s: %v", when, err)
					}
				}
			}
		}
		check("before Close")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		check("after Close")
	})
}

// Badger panics or hangs for ever if Close meets a transaction. The test ends
// by itself or in such a panic.
func TestClosingUnderLoadNeitherPanicsNorHangs(t *testing.T) {
	for range 40 {
		closeUnderLoad(t, Options{InMemory: true})
	}
	for range 10 {
		closeUnderLoad(t, Options{Dir: t.TempDir()})
	}
}

func closeUnderLoad(t *testing.T, options Options) {
	t.Helper()
	const workers = 12 // two writers to each reader
	db, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	var started, all sync.WaitGroup
	for worker := range workers {
		started.Add(1)
		all.Go(func() { work(t, db, worker%3 != 0, &started) })
	}
	started.Wait()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
}

// work runs transactions until the store is closed.
func work(t *testing.T, db *DB, writes bool, started *sync.WaitGroup) {
	for n := 0; ; n++ {
		var err error
		if writes {
			err = increment(db)
		} else {
			err = db.View(context.Background(), func(tx *Tx) error {
				return tx.Scan(nil, ScanOptions{}, func(_, _ []byte) error { return nil })
			})
		}
		if n == 0 {
			started.Done()
		}
		if errors.Is(err, ErrClosed) {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}
