package naive

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/ledgertest"
	"chargeonce/web/control"
)

// dieWithTheClaim has a process claim the key and die before it does anything
// else. It returns when no lease of it can run any more on the right side.
func dieWithTheClaim(t *testing.T, m Mistake, store ledger.Store, cards ledger.Provider) {
	t.Helper()
	mine := &mortal{Store: store}
	claimed, end := make(chan struct{}), make(chan struct{})
	first := worker(t, m, mine, cards, ledger.Hooks{
		Beat: func(context.Context, ledger.Work) bool { return false },
		At: func(_ context.Context, point string) {
			if point == ledger.AtClaimed {
				close(claimed)
				<-end
			}
		},
	})
	t.Cleanup(func() { close(end) })
	ctx, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	gone := make(chan error, 1)
	go func() {
		_, err := first.Charge(ctx, purchase())
		gone <- err
	}()
	<-claimed
	mine.dead.Store(true)
	hangUp()
	if err := <-gone; !errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Fatalf("the client of the dead process is told %v", err)
	}
	eventually(t, "the lease is over", func() (over bool) {
		err := store.View(t.Context(), func(books ledger.Reader) error {
			record, found, err := books.Record(purchase().Key)
			over = found && record.LeaseLeft(idem.At(time.Now(), 0)) == 0
			return err
		})
		return err == nil && over
	})
}

func TestAClaimWithoutALeaseOutlivesItsWorkerForEver(t *testing.T) {
	store, cards := openStore(t), &ledgertest.Provider{}
	dieWithTheClaim(t, noLease(), store, cards)
	impatient := purchase()
	impatient.Wait = -1
	for attempt := range 3 {
		result, err := worker(t, noLease(), store, cards, ledger.Hooks{}).Charge(t.Context(), impatient)
		if err != nil || result.Outcome != idem.Busy {
			t.Errorf("attempt %d: %v, %v; want busy", attempt+2, result.Outcome, err)
		}
	}
	if n := len(cards.Captures()); n != 0 {
		t.Errorf("%d captures", n)
	}
}

func TestTheSameDeathWithALeaseIsResumed(t *testing.T) {
	store, cards := openStore(t), &ledgertest.Provider{}
	dieWithTheClaim(t, Mistake{}, store, cards)
	result, err := worker(t, Mistake{}, store, cards, ledger.Hooks{}).Charge(t.Context(), purchase())
	if err != nil || result.Outcome != idem.Resumed || len(cards.Captures()) != 1 {
		t.Errorf("%v, %v, %d captures; want resumed and 1", result.Outcome, err, len(cards.Captures()))
	}
}

// What is given back, or done, needs no lease.
func TestWhoGivesAClaimBackBlocksNobody(t *testing.T) {
	store, cards := openStore(t), &ledgertest.Provider{}
	cards.Script(ledgertest.Act{Silent: true})
	l := worker(t, noLease(), store, cards, ledger.Hooks{})
	if _, err := l.Charge(t.Context(), purchase()); !errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Fatalf("a silent provider: %v", err)
	}
	for _, want := range []idem.Outcome{idem.Resumed, idem.Replay} {
		result, err := l.Charge(t.Context(), purchase())
		if err != nil || result.Outcome != want {
			t.Errorf("%v, %v; want %v", result.Outcome, err, want)
		}
	}
}

func TestThePanelIsToldOfNoLease(t *testing.T) {
	var told []control.Event
	trace := tellEndless(func(e control.Event) { told = append(told, e) })
	for _, outcome := range []control.Outcome{control.Started, control.Busy, control.Replay} {
		trace(control.Event{Kind: control.KindDecision, Outcome: outcome, Reason: "why", Text: "as is", LeaseMS: 3000})
	}
	trace(control.Event{Kind: control.KindCommit, Text: "as is", LeaseMS: 1})
	for _, e := range told[:3] {
		if e.LeaseMS != 0 || strings.Contains(e.Text, "lease") {
			t.Errorf("tells of a lease: %+v", e)
		}
	}
	if !strings.Contains(told[0].Text, "why") || !strings.HasPrefix(told[1].Text, "BUSY") || told[2].Text != "as is" || told[3].LeaseMS != 1 {
		t.Errorf("told %+v", told)
	}
}
