package ledger_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/ledger/ledgertest"
)

func open(t testing.TB, options badgerdb.Options) ledger.Store {
	t.Helper()
	options.Log = t.Logf
	store, err := ledger.OpenBadger(options)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func inMemory(t testing.TB) ledger.Store { return open(t, badgerdb.Options{InMemory: true}) }

func onDisk(t testing.TB) ledger.Store { return open(t, badgerdb.Options{Dir: t.TempDir()}) }

func TestSuiteInMemory(t *testing.T) { ledgertest.Run(t, inMemory) }

func TestSuiteOnDisk(t *testing.T) { ledgertest.Run(t, onDisk) }

// on is a ledger over a store.
func on(t *testing.T, store ledger.Store, provider ledger.Provider) *ledger.Ledger {
	t.Helper()
	l, err := ledger.New(ledger.Options{Store: store, Provider: provider})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// photograph copies a data directory as it lies there at this moment: what the
// next process would find if this one died now.
func photograph(t *testing.T, dir string) string {
	t.Helper()
	shot := t.TempDir()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(shot, file.Name()), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return shot
}

func TestWhatWasAnsweredIsOnDisk(t *testing.T) {
	dir := t.TempDir()
	provider := &ledgertest.Provider{}
	store := open(t, badgerdb.Options{Dir: dir})
	first, err := on(t, store, provider).Charge(t.Context(), request("k"))
	if err != nil {
		t.Fatal(err)
	}
	reborn := open(t, badgerdb.Options{Dir: photograph(t, dir)})
	again, err := on(t, reborn, provider).Charge(t.Context(), request("k"))
	if err != nil || again.Outcome != idem.Replay || again.Charge != first.Charge {
		t.Errorf("got %v of %q, %v", again.Outcome, again.Charge, err)
	}
	if string(again.Record.Answer.Body) != string(first.Record.Answer.Body) {
		t.Errorf("%q was replayed as %q", first.Record.Answer.Body, again.Record.Answer.Body)
	}
	for _, store := range []ledger.Store{store, reborn} {
		if err := store.View(t.Context(), ledgertest.Audit); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAProcessThatDiesAfterTheCaptureIsResumedOnItsDisk(t *testing.T) {
	dir := t.TempDir()
	provider := &ledgertest.Provider{}
	store := open(t, badgerdb.Options{Dir: dir})
	clock := ledgertest.NewClock()
	var shot string
	dying, err := ledger.New(ledger.Options{
		Store: store, Provider: provider, Now: clock.Now,
		Hooks: ledger.Hooks{At: func(_ context.Context, point string) {
			if point == ledger.AtProviderCalled {
				shot = photograph(t, dir)
			}
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := dying.Charge(t.Context(), request("k"))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}

	reborn := open(t, badgerdb.Options{Dir: shot})
	clock.Advance(idem.DefaultLease)
	next, err := ledger.New(ledger.Options{Store: reborn, Provider: provider, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	got, err := next.Charge(t.Context(), request("k"))
	if err != nil || got.Outcome != idem.Resumed || got.Charge != first.Charge || got.Record.Fence != 2 {
		t.Errorf("got %v of %q under fence %d, %v", got.Outcome, got.Charge, got.Record.Fence, err)
	}
	if calls := provider.Calls(); len(calls) != 2 || !calls[1].Lookup || len(provider.Captures()) != 1 {
		t.Errorf("calls %v", calls)
	}
	if err := reborn.View(t.Context(), ledgertest.Audit); err != nil {
		t.Error(err)
	}
	if err := reborn.Close(); err != nil {
		t.Error(err)
	}
}

func TestADirectoryIsOneProcessAlone(t *testing.T) {
	dir := t.TempDir()
	store := open(t, badgerdb.Options{Dir: dir})
	if _, err := ledger.OpenBadger(badgerdb.Options{Dir: dir}); !errors.Is(err, ledger.ErrLocked) {
		t.Errorf("got %v", err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

func TestAClosedStoreSaysSo(t *testing.T) {
	store := inMemory(t)
	l := on(t, store, &ledgertest.Provider{})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Charge(t.Context(), request("k")); !errors.Is(err, ledger.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := store.View(t.Context(), ledgertest.Audit); !errors.Is(err, ledger.ErrClosed) {
		t.Errorf("got %v", err)
	}
	select {
	case <-store.Failed():
		t.Error("to be closed is not to fail")
	default:
	}
}

func TestTheNamedRowsAreThoseThatAreThere(t *testing.T) {
	dir := t.TempDir()
	store := open(t, badgerdb.Options{Dir: dir})
	rows := make(map[int][]string)
	l, err := ledger.New(ledger.Options{
		Store: store, Provider: &ledgertest.Provider{},
		Hooks: ledger.Hooks{Committed: func(_ context.Context, c ledger.Commit) { rows[c.Phase] = c.Rows }},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.Charge(t.Context(), request("k"))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	record := slices.IndexFunc(rows[1], func(row string) bool { return strings.HasPrefix(row, "k/shop/") })
	if record < 0 {
		t.Fatalf("commit 1 names no record: %v", rows[1])
	}
	want := []string{"a/open/", "c/" + got.Charge, "k/shop/", "l/shop/1", "n/charge", "o/shop"}
	names := slices.Clone(rows[1])
	if due := slices.IndexFunc(names, func(row string) bool { return strings.HasPrefix(row, "a/open/") }); due >= 0 {
		names[due] = "a/open/"
	}
	names[record] = "k/shop/"
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("commit 1 wrote %v", names)
	}

	db, err := badgerdb.Open(badgerdb.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(t.Context(), func(tx *badgerdb.Tx) error {
		for _, row := range []string{rows[1][record], "c/" + got.Charge, "o/shop", "t/tr_" + got.Charge} {
			if _, ok, err := tx.Get([]byte(row)); err != nil || !ok {
				t.Errorf("%s is not there: %v", row, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestRecordsAndOwnersAreListed(t *testing.T) {
	store := inMemory(t)
	clock := ledgertest.NewClock()
	l, err := ledger.New(ledger.Options{Store: store, Provider: &ledgertest.Provider{}, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b", "c"} {
		if _, err := l.Charge(t.Context(), request(key)); err != nil {
			t.Fatal(err)
		}
		clock.Advance(1)
	}
	err = store.View(t.Context(), func(r ledger.Reader) error {
		records, err := r.Records("shop", 2)
		if err != nil || len(records) != 2 || records[0].Key.Value != "c" || records[1].Key.Value != "b" {
			t.Errorf("records %+v, %v", records, err)
		}
		owners, err := r.Owners(10)
		if err != nil || len(owners) != 1 || owners[0].Name != "shop" || owners[0].Succeeded != 3 || owners[0].Charged["eur"] != 15000 {
			t.Errorf("owners %+v, %v", owners, err)
		}
		postings, err := r.Postings(3)
		if err != nil || len(postings) != 3 || postings[0].Seq != 6 || postings[2].Seq != 4 {
			t.Errorf("postings %+v, %v", postings, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}
