package naive

import (
	"context"
	"strings"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/ledgertest"
	"chargeonce/web/api"
	"chargeonce/web/control"
)

// charger is one process's way to charge, with a mistake or with none.
func charger(t *testing.T, m Mistake, store ledger.Store, cards ledger.Provider, hooks ledger.Hooks) api.Charger {
	t.Helper()
	right := worker(t, m, store, cards, hooks)
	if m.Charger == nil {
		return right
	}
	if m.Store != nil {
		store = m.Store(store)
	}
	return m.Charger(api.Options{Charger: right, Store: store})
}

// dieAfterTheCommit has a process die when the first commit after the
// provider's answer has returned, and lets the next one have the same request.
func dieAfterTheCommit(t *testing.T, m Mistake, want idem.Outcome) (lines int, owed int64, captures int) {
	t.Helper()
	store, cards := openStore(t), &ledgertest.Provider{}
	mine := &mortal{Store: store}
	first := charger(t, m, mine, cards, ledger.Hooks{At: func(_ context.Context, point string) {
		if point == ledger.AtCommitted {
			mine.dead.Store(true)
		}
	}})
	_, _ = first.Charge(t.Context(), purchase()) // to nobody: its process is dead
	result, err := charger(t, m, store, cards, ledger.Hooks{}).Charge(t.Context(), purchase())
	if err != nil || result.Outcome != want {
		t.Errorf("after the restart: %v, %v; want %v", result.Outcome, err, want)
	}
	lines, owed = inBooks(t, store)
	return lines, owed, len(cards.Captures())
}

func TestACrashBetweenChargeAndRecordBooksTwice(t *testing.T) {
	if lines, owed, captures := dieAfterTheCommit(t, twoTransactions(), idem.Resumed); lines != 2 || owed != 10000 || captures != 1 {
		t.Errorf("%d lines, %d owed, %d captures; want two lines for one capture", lines, owed, captures)
	}
}

func TestTheSameCrashAfterOneTransactionBooksOnce(t *testing.T) {
	if lines, owed, captures := dieAfterTheCommit(t, Mistake{}, idem.Replay); lines != 1 || owed != 5000 || captures != 1 {
		t.Errorf("%d lines, %d owed, %d captures", lines, owed, captures)
	}
}

func TestWithoutACrashTwoTransactionsAreAsGoodAsOne(t *testing.T) {
	store, cards := openStore(t), &ledgertest.Provider{}
	for _, want := range []idem.Outcome{idem.Started, idem.Replay} {
		result, err := charger(t, twoTransactions(), store, cards, ledger.Hooks{}).Charge(t.Context(), purchase())
		if err != nil || result.Outcome != want || result.Record.Open() {
			t.Errorf("%v, %v, record at %s; want %v", result.Outcome, err, result.Record.Point, want)
		}
	}
	if lines, owed := inBooks(t, store); lines != 1 || owed != 5000 {
		t.Errorf("%d lines, %d owed", lines, owed)
	}
}

// The mistake is the second transaction, not a missing fence.
func TestAWithheldRecordMindsTheFence(t *testing.T) {
	store, rest := openStore(t), &pocket{}
	ctx := context.WithValue(t.Context(), pocketKey{}, rest)
	mine := idem.Record{Key: purchase().Key, Resource: "ch_1", Point: idem.Claimed, Fence: 2}
	done := mine
	done.Point = idem.Done
	err := twoTransactions().Store(store).Update(ctx, func(tx ledger.Tx) error {
		if _, _, err := tx.InsertKey(mine); err != nil {
			return err
		}
		done.Fence = 1
		if swapped, err := tx.SwapKey(done, 1); err != nil || swapped {
			t.Errorf("under a lost claim: %v, %v", swapped, err)
		}
		if _, _, found := rest.take(); found {
			t.Error("a record of a lost claim is withheld to be written later")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestThePanelIsToldOfTwoCommits(t *testing.T) {
	s := (&system{t: t}).start(twoTransactions())
	s.want(201, ask{})
	eventually(t, "the response is told", func() bool { return count(s.of("t"), control.KindResponse) == 1 })
	var texts []string
	booked := 0
	for _, e := range s.of("t") {
		if e.Kind == control.KindCommit {
			texts = append(texts, e.Text)
		}
		if e.Kind == control.KindCommit && e.Status == 201 {
			booked++
		}
	}
	if len(texts) != 3 || booked != 1 || !strings.Contains(texts[1], "another transaction") || !strings.Contains(texts[2], "Only now") {
		t.Errorf("%d bookings; commits: %q", booked, texts)
	}
	var told control.Event
	tellHalves(func(e control.Event) { told = e })(control.Event{
		Kind: control.KindCommit, Status: 201, Charge: "ch_1", Reason: "t/tr_ch_2 c/ch_2",
	})
	if !strings.Contains(told.Text, "a second time, as ch_2") {
		t.Errorf("told %q", told.Text)
	}
}
