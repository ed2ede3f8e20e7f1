package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/ledger/ledgertest"
)

// bare opens the rows of a directory without what lies over them.
func bare(t *testing.T, dir string, fn func(*badgerdb.Tx) error) {
	t.Helper()
	db, err := badgerdb.Open(badgerdb.Options{Dir: dir, Log: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(context.Background(), fn); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// aged takes from a directory what the first version did not write.
func aged(t *testing.T, dir string) {
	bare(t, dir, func(tx *badgerdb.Tx) error {
		gone := 0
		for _, prefix := range []string{"a/", "xt/", "n/layout"} {
			var rows [][]byte
			if err := tx.Scan([]byte(prefix), badgerdb.ScanOptions{}, func(key, _ []byte) error {
				rows = append(rows, key)
				return nil
			}); err != nil {
				return err
			}
			for _, row := range rows {
				gone++
				if err := tx.Delete(row); err != nil {
					return err
				}
			}
		}
		if gone < 3 {
			t.Errorf("only %d rows were taken away", gone)
		}
		return nil
	})
}

func announced(o *ledger.Options) {
	o.Announce = func(_ context.Context, e ledger.Event, _ ledger.Work) ledger.Event { e.Body = []byte("{}"); return e }
}

func closed(t *testing.T, l *ledger.Ledger, store ledger.Store) {
	t.Helper()
	if err := errors.Join(l.Close(t.Context()), store.Close()); err != nil {
		t.Error(err)
	}
}

// TestDataOfTheFirstVersionIsIndexedOnce: without the upgrade the open key of the
// dead attempt would stand on no list, and nobody would ever complete it.
func TestDataOfTheFirstVersionIsIndexedOnce(t *testing.T) {
	dir, provider, clock := t.TempDir(), &ledgertest.Provider{}, ledgertest.NewClock()
	store := open(t, badgerdb.Options{Dir: dir})
	options := ledger.Options{Store: store, Provider: provider, Now: clock.Now, Offset: clock.Offset}
	announced(&options)
	l, err := ledger.New(options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Charge(t.Context(), request("paid")); err != nil {
		t.Fatal(err)
	}
	provider.Script(ledgertest.Act{Silent: true})
	if _, err := l.Charge(t.Context(), request("lost")); !errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Fatal(err)
	}
	for n := range 300 { // more than one batch
		req := ledger.IncrementRequest{Key: request(fmt.Sprint("i", n)).Key, Fingerprint: idem.Fingerprint{Sum: "i"}, Cart: "c", SKU: "s", By: 1}
		if _, err := l.Increment(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, l, store)
	aged(t, dir)

	for range 2 { // the second time there is nothing to do
		store = open(t, badgerdb.Options{Dir: dir})
		if err := store.View(t.Context(), func(r ledger.Reader) error {
			count := 0
			for _, list := range ledger.Lists {
				if err := r.Agenda(list, time.Time{}, func(ledger.Due) (bool, error) { count++; return true, nil }); err != nil {
					return err
				}
			}
			if count != 302 {
				t.Errorf("%d records are on a list, want 302", count)
			}
			return ledgertest.Audit(r)
		}); err != nil {
			t.Error(err)
		}
		if err := store.View(t.Context(), func(r ledger.Reader) error {
			events, more, err := r.EventsOf("shop", ledger.ChargeSucceeded, ledger.Page{})
			if len(events) != 1 || more {
				t.Errorf("events %+v, more %v", events, more)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}

	store = open(t, badgerdb.Options{Dir: dir})
	completed := make(chan struct{})
	options.Store, options.CompleteAfter = store, time.Millisecond
	options.Hooks.Committed = func(_ context.Context, c ledger.Commit) {
		if c.Phase == 2 && c.Record.Key.Value == "lost" {
			close(completed)
		}
	}
	clock.Advance(time.Hour)
	if l, err = ledger.New(options); err != nil {
		t.Fatal(err)
	}
	select {
	case <-completed:
	case <-time.After(30 * time.Second):
		t.Error("nobody completes the open key")
	}
	closed(t, l, store)
}

func TestDataOfALaterVersionIsNotOpened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	if err := open(t, badgerdb.Options{Dir: dir}).Close(); err != nil {
		t.Fatal(err)
	}
	bare(t, dir, func(tx *badgerdb.Tx) error { return badgerdb.SetJSON(tx, "n/layout", 99) })
	if _, err := ledger.OpenBadger(badgerdb.Options{Dir: dir}); !errors.Is(err, ledger.ErrLaterVersion) {
		t.Errorf("got %v", err)
	}
	bare(t, dir, func(*badgerdb.Tx) error { return nil }) // the lock was given back
}
