package naive

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/ledgertest"
	"chargeonce/web/api"
	"chargeonce/web/control"
)

// afterAnOutage has a provider that is silent once, and then well, asked three
// times under one key.
func afterAnOutage(t *testing.T, m Mistake) (outcomes []idem.Outcome, statuses []int, captures int) {
	t.Helper()
	store, cards := openStore(t), &ledgertest.Provider{}
	cards.Script(ledgertest.Act{Lost: true})
	asked := charger(t, m, store, cards, ledger.Hooks{})
	if _, err := asked.Charge(t.Context(), purchase()); !errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Fatalf("attempt 1 during the outage: %v", err)
	}
	for range 2 {
		result, err := asked.Charge(t.Context(), purchase())
		if err != nil {
			t.Fatal(err)
		}
		outcomes, statuses = append(outcomes, result.Outcome), append(statuses, result.Record.Answer.Status)
	}
	return outcomes, statuses, len(cards.Captures())
}

func TestAFailureThatIsKeptComesBackForEver(t *testing.T) {
	outcomes, statuses, captures := afterAnOutage(t, storesFailures())
	for i := range outcomes {
		if outcomes[i] != idem.Replay || statuses[i] != http.StatusServiceUnavailable {
			t.Errorf("attempt %d: %v of %d; want a replay of the 503", i+2, outcomes[i], statuses[i])
		}
	}
	if captures != 0 {
		t.Errorf("%d captures", captures)
	}
}

func TestTheSameFailureThatIsNotKeptIsResumed(t *testing.T) {
	outcomes, statuses, captures := afterAnOutage(t, Mistake{})
	if outcomes[0] != idem.Resumed || outcomes[1] != idem.Replay || statuses[1] != http.StatusCreated || captures != 1 {
		t.Errorf("%v of %v, %d captures; want resumed, a replay of the 201, and 1", outcomes, statuses, captures)
	}
}

// An answer is stored as ever, and a request that was refused stores nothing.
func TestOnlyFailuresAreKeptWrongly(t *testing.T) {
	s := (&system{t: t}).start(storesFailures())
	first, again := s.want(http.StatusCreated, ask{}), s.want(http.StatusCreated, ask{trace: "t.2"})
	if first.body != again.body || again.header.Get(idem.HeaderReplayed) == "" {
		t.Errorf("not a replay: %v", again.header)
	}
	s.want(http.StatusBadRequest, ask{key: "order-2", amount: "0"})
	s.want(http.StatusCreated, ask{key: "order-2"})
}

// A client whose policy goes by the status alone must not be told to stop.
func TestAReplayedFailureSaysNothingOfRetries(t *testing.T) {
	for _, of := range []struct {
		status       int
		replayed, it string
	}{{503, "true", ""}, {503, "", "false"}, {402, "true", "false"}} {
		served := silentOnRetries(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Stripe-Should-Retry", "false")
			if of.replayed != "" {
				w.Header().Set(idem.HeaderReplayed, of.replayed)
			}
			w.WriteHeader(of.status)
		}))
		w := &recorded{header: http.Header{}}
		served.ServeHTTP(w, &http.Request{})
		if got := w.header.Get("Stripe-Should-Retry"); got != of.it || w.status != of.status {
			t.Errorf("%d, replayed %q: status %d says %q", of.status, of.replayed, w.status, got)
		}
	}
}

// recorded is a response that goes nowhere.
type recorded struct {
	header http.Header
	status int
}

func (r *recorded) Header() http.Header         { return r.header }
func (r *recorded) Write(p []byte) (int, error) { return len(p), nil }
func (r *recorded) WriteHeader(status int)      { r.status = status }

func TestThePanelIsToldWhatIsKept(t *testing.T) {
	store, cards := openStore(t), &ledgertest.Provider{}
	cards.Script(ledgertest.Act{Lost: true})
	var told []control.Event
	right := worker(t, Mistake{}, store, cards, ledger.Hooks{})
	asked := storesFailures().Charger(api.Options{
		Charger: right, Store: store, Trace: func(e control.Event) { told = append(told, e) },
	})
	_, _ = asked.Charge(t.Context(), purchase()) // its error is another test's
	if len(told) != 1 || told[0].Status != 503 || !strings.Contains(told[0].Text, "503 is stored") {
		t.Errorf("told %+v", told)
	}
	var note control.Event
	tellNoReturn(func(e control.Event) { note = e })(control.Event{Kind: control.KindNote, Charge: "ch_1", Text: "the next attempt resumes", Reason: "why"})
	if strings.Contains(note.Text, "resumes") || !strings.Contains(note.Text, "why") {
		t.Errorf("told %q", note.Text)
	}
}
