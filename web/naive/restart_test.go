package naive

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/idem/idemtest"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/ledger/ledgertest"
	"chargeonce/web/control"
)

// mortal is the store as one process sees it: when the process is killed, it
// writes no more.
type mortal struct {
	ledger.Store
	dead atomic.Bool
}

var errDead = errors.New("killed")

func (s *mortal) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	if s.dead.Load() {
		return errDead
	}
	return s.Store.Update(ctx, fn)
}

// worker is one process's ledger over a store with a mistake, or with none. Its
// lease is short enough to be waited out by a request that finds it busy.
func worker(t *testing.T, m Mistake, store ledger.Store, cards ledger.Provider, hooks ledger.Hooks) *ledger.Ledger {
	t.Helper()
	if m.Store != nil {
		store = m.Store(store)
	}
	l, err := ledger.New(ledger.Options{
		Store: store, Provider: cards, Terms: idem.Terms{Lease: time.Second},
		BusyWait: patience, ProviderSpan: 500 * time.Millisecond, Hooks: hooks,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		closed(t, func() error { return l.Close(ctx) })
	})
	return l
}

func purchase() ledger.ChargeRequest {
	return ledger.ChargeRequest{
		Key: idem.Key{Owner: "shop", Value: "order-1"}, Operation: "POST /v1/charges", Request: "req_1",
		Fingerprint: idem.NewFingerprint(http.MethodPost, "/v1/charges", nil, idem.Params{"amount": "5000"}),
		Amount:      5000, Currency: "eur", Card: "tok_visa",
	}
}

// dieAfterTheCapture has a process charge and dies, before it can commit what
// the provider has answered. What is left of it ends with the test.
func dieAfterTheCapture(t *testing.T, m Mistake, store ledger.Store, cards ledger.Provider) {
	t.Helper()
	mine := &mortal{Store: store}
	captured, end := make(chan struct{}), make(chan struct{})
	first := worker(t, m, mine, cards, ledger.Hooks{At: func(_ context.Context, point string) {
		if point == ledger.AtProviderCalled {
			close(captured)
			<-end
		}
	}})
	t.Cleanup(func() { close(end) })
	ctx, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	gone := make(chan error, 1)
	go func() {
		_, err := first.Charge(ctx, purchase())
		gone <- err
	}()
	<-captured
	mine.dead.Store(true)
	hangUp()
	if err := <-gone; !errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Fatalf("the client of the dead process is told %v", err)
	}
}

// afterARestart kills a process in mid-charge and lets the next one have the
// same request. It returns the provider's book.
func afterARestart(t *testing.T, m Mistake, want idem.Outcome) (store ledger.Store, cards *ledgertest.Provider) {
	t.Helper()
	store, cards = openStore(t), &ledgertest.Provider{}
	dieAfterTheCapture(t, m, store, cards)
	result, err := worker(t, m, store, cards, ledger.Hooks{}).Charge(t.Context(), purchase())
	if err != nil || result.Outcome != want || result.Record.Answer.Status != http.StatusCreated {
		t.Fatalf("after the restart: %v, status %d, %v; want %v", result.Outcome, result.Record.Answer.Status, err, want)
	}
	return store, cards
}

func TestAClaimForgottenAtTheRestartChargesAgainUnderAFreshProviderKey(t *testing.T) {
	store, cards := afterARestart(t, restartForgets(), idem.Started)
	if keys := slices.Collect(maps.Keys(cards.Captures())); len(keys) != 2 {
		t.Errorf("captured under %v; want two keys", keys)
	}
	statuses := map[ledger.Status]int{}
	err := store.View(t.Context(), func(books ledger.Reader) error {
		charges, _, err := books.Charges("shop", ledger.Page{})
		for _, charge := range charges {
			statuses[charge.Status]++
		}
		return err
	})
	if err != nil || !maps.Equal(statuses, map[ledger.Status]int{ledger.Pending: 1, ledger.Succeeded: 1}) {
		t.Errorf("the ledger has %v, %v; want the old charge pending for ever and a new one", statuses, err)
	}
}

func TestTheSameCrashWithoutTheMistakeCapturesOnce(t *testing.T) {
	_, cards := afterARestart(t, Mistake{}, idem.Resumed)
	if n := len(cards.Captures()); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
}

func TestTheNewClaimTellsItsHistoryAndOutranksTheOld(t *testing.T) {
	store, _ := afterARestart(t, restartForgets(), idem.Started)
	err := store.View(t.Context(), func(books ledger.Reader) error {
		record, found, err := books.Record(purchase().Key)
		if !found || record.Fence != 2 || !strings.Contains(record.History[0].What, "deleted at the restart") {
			t.Errorf("found %v, fence %d, history %v", found, record.Fence, record.History)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWithoutARestartNothingIsForgotten(t *testing.T) {
	store, cards := openStore(t), &ledgertest.Provider{}
	gate := ledgertest.NewGate()
	cards.Script(ledgertest.Act{After: gate, Silent: true})
	l := worker(t, restartForgets(), store, cards, ledger.Hooks{})
	ended := make(chan error, 1)
	go func() {
		_, err := l.Charge(context.Background(), purchase())
		ended <- err
	}()
	<-gate.Arrived()
	impatient := purchase()
	impatient.Wait = -1
	if result, err := l.Charge(t.Context(), impatient); err != nil || result.Outcome != idem.Busy {
		t.Errorf("while the first is at work: %v, %v; want busy", result.Outcome, err)
	}
	gate.Open()
	if err := <-ended; !errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Errorf("a silent provider: %v", err)
	}
	result, err := l.Charge(t.Context(), purchase())
	if err != nil || result.Outcome != idem.Resumed || len(cards.Captures()) != 1 {
		t.Errorf("then %v, %v, %d captures; want resumed and 1", result.Outcome, err, len(cards.Captures()))
	}
}

func TestAFinishedRecordOutlivesTheRestart(t *testing.T) {
	store, cards := openStore(t), &ledgertest.Provider{}
	for i, want := range []idem.Outcome{idem.Started, idem.Replay} {
		result, err := worker(t, restartForgets(), store, cards, ledger.Hooks{}).Charge(t.Context(), purchase())
		if err != nil || result.Outcome != want {
			t.Errorf("process %d: %v, %v; want %v", i+1, result.Outcome, err, want)
		}
	}
	if n := len(cards.Captures()); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
}

// A store that was born before all its claims is the right store.
func TestTheForgetfulStoreIsSoundUntilItsRestart(t *testing.T) {
	idemtest.Run(t, func(t testing.TB) idem.Store {
		store, err := ledger.OpenBadger(badgerdb.Options{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return keysOnly{&forgetful{Store: store}}
	})
}

// keysOnly shows a ledger's store as a store of keys.
type keysOnly struct{ ledger.Store }

func (k keysOnly) Update(ctx context.Context, fn func(idem.Tx) error) error {
	return k.Store.Update(ctx, func(tx ledger.Tx) error { return fn(tx) })
}

func TestThePanelIsToldWhatWasForgotten(t *testing.T) {
	var told []control.Event
	trace := tellForgotten(func(e control.Event) { told = append(told, e) })
	decision := control.Event{Kind: control.KindDecision, Outcome: control.Started, Reason: "the key is new", Fence: 1, Text: "as is"}
	trace(decision)
	decision.Fence = 2
	trace(decision)
	decision.Reason = "the key was used before, but its tombstone is over"
	trace(decision)
	if told[0].Text != "as is" || !strings.Contains(told[1].Text, "deleted at the restart") || told[2].Text != "as is" {
		t.Errorf("told %+v", told)
	}
}
