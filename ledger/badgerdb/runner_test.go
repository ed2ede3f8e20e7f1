package badgerdb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/dgraph-io/badger/v4"
)

func TestParallelIncrementsAreSerial(t *testing.T) {
	const writers, rounds = 100, 5
	each(t, func(t *testing.T, db *DB) {
		var all sync.WaitGroup
		for range writers {
			all.Go(func() {
				for range rounds {
					if err := increment(db); err != nil {
						t.Errorf("a writer was turned away: %v", err)
					}
				}
			})
		}
		all.Wait()
		if value, _ := get(t, db, "n"); value != strconv.Itoa(writers*rounds) {
			t.Fatalf("counted %s", value)
		}
	})
}

func increment(db *DB) error {
	return db.Update(context.Background(), func(tx *Tx) error {
		data, _, err := tx.Get([]byte("n"))
		if err != nil {
			return err
		}
		n, _ := strconv.Atoi(string(data)) // missing: 0
		return tx.Set([]byte("n"), []byte(strconv.Itoa(n+1)))
	})
}

func TestWaitingForTheTurnHonoursTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t, Options{InMemory: true})
		release, first := occupy(db)
		ctx, cancel := context.WithCancel(context.Background())
		second := make(chan error, 1)
		go func() { second <- db.Update(ctx, func(*Tx) error { return errors.New("ran") }) }()
		synctest.Wait() // the second is waiting now
		cancel()
		if err := <-second; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		close(release)
		if err := <-first; err != nil {
			t.Error(err)
		}
	})
}

// occupy starts a transaction that holds the turn until release is closed.
func occupy(db *DB) (release chan struct{}, result <-chan error) {
	release = make(chan struct{})
	running, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.Update(context.Background(), func(tx *Tx) error {
			close(running)
			<-release
			return tx.Set([]byte("occupied"), []byte("1"))
		})
	}()
	<-running
	return release, done
}

func TestACancelledCallerRunsNothing(t *testing.T) {
	db := open(t, Options{InMemory: true})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fn := func(*Tx) error { return errors.New("ran") }
	if err := db.Update(ctx, fn); !errors.Is(err, context.Canceled) {
		t.Errorf("update: %v", err)
	}
	if err := db.View(ctx, fn); !errors.Is(err, context.Canceled) {
		t.Errorf("view: %v", err)
	}
}

func TestALostRaceRunsAgain(t *testing.T) {
	lose := 3
	db := open(t, Options{InMemory: true, commit: func(txn *badger.Txn) error {
		if lose--; lose >= 0 {
			return badger.ErrConflict
		}
		return txn.Commit()
	}})
	runs := 0
	err := db.Update(context.Background(), func(tx *Tx) error {
		runs++
		return tx.Set([]byte("run"), []byte(strconv.Itoa(runs)))
	})
	if value, _ := get(t, db, "run"); err != nil || runs != 4 || value != "4" {
		t.Fatalf("%v after %d runs, stored %q", err, runs, value)
	}
}

func TestRerunsAreBounded(t *testing.T) {
	db := open(t, Options{InMemory: true, commit: func(*badger.Txn) error { return badger.ErrConflict }})
	runs := 0
	err := db.Update(context.Background(), func(tx *Tx) error { runs++; return nil })
	if !errors.Is(err, ErrConflict) || runs != MaxRuns {
		t.Fatalf("%v after %d runs", err, runs)
	}
	select {
	case <-db.Failed():
		t.Fatal("a lost race is a definite outcome, yet the store stopped")
	default:
	}
}

func TestRerunsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	db := open(t, Options{InMemory: true, commit: func(*badger.Txn) error { cancel(); return badger.ErrConflict }})
	if err := db.Update(ctx, func(*Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestAPanicRollsBackAndFreesTheTurn(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		for name, run := range map[string]func(context.Context, func(*Tx) error) error{"update": db.Update, "view": db.View} {
			func() {
				defer func() {
					if got := recover(); got != "boom" {
						t.Errorf("%s: recovered %v", name, got)
					}
				}()
				_ = run(context.Background(), func(tx *Tx) error {
					_ = tx.Set([]byte("a"), []byte("1"))
					panic("boom")
				})
			}()
		}
		if _, ok := get(t, db, "a"); ok {
			t.Error("a row survived the panic")
		}
		set(t, db, "b", "1") // would wait for ever if the turn were lost
	})
}

func TestAnOversizedTransactionWritesNothing(t *testing.T) {
	overflow := map[string]func(*Tx) error{
		"bytes": func(tx *Tx) error { return fill(tx, 10, MaxValueSize) },
		"rows":  func(tx *Tx) error { return fill(tx, 100_000, 1) },
		"value": func(tx *Tx) error { return tx.Set([]byte("v"), make([]byte, MaxValueSize+1)) },
		"key":   func(tx *Tx) error { return tx.Set([]byte(strings.Repeat("k", MaxKeySize+1)), nil) },
	}
	each(t, func(t *testing.T, db *DB) {
		for name, write := range overflow {
			for _, ignore := range []bool{false, true} {
				err := db.Update(context.Background(), func(tx *Tx) error {
					if err := tx.Set([]byte("a"), []byte("1")); err != nil {
						return err
					}
					if err := write(tx); !ignore {
						return err
					}
					return nil
				})
				if !errors.Is(err, ErrTooBig) {
					t.Errorf("%s, ignored %v: %v", name, ignore, err)
				}
				if _, ok := get(t, db, "a"); ok {
					t.Errorf("%s, ignored %v: half of it was written", name, ignore)
				}
			}
		}
	})
}

func fill(tx *Tx, rows, size int) error {
	for i := range rows {
		if err := tx.Set(fmt.Append(nil, i), make([]byte, size)); err != nil {
			return err
		}
	}
	return nil
}

func TestATransactionThatBadgerRefusesForItsSizeIsDefinite(t *testing.T) {
	db := open(t, Options{InMemory: true, commit: func(*badger.Txn) error { return badger.ErrTxnTooBig }})
	err := db.Update(context.Background(), func(tx *Tx) error { return tx.Set([]byte("a"), nil) })
	if !errors.Is(err, ErrTooBig) {
		t.Fatalf("got %v", err)
	}
	if _, ok := get(t, db, "a"); ok {
		t.Fatal("a row is there")
	}
}
