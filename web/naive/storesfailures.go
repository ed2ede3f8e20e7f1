package naive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/api"
	"chargeonce/web/control"
)

// storesFailures keeps whatever was answered, whatever it was.
//
// Wrong: the first response to a key is stored and replayed, a 503 like a 201.
// But a 503 is no answer to the purchase. It says that something was out of
// order for a moment, and now it says so for as long as the key is kept: each
// retry is told of a failure that is long over, and only a new key would help,
// which is what a client with an unknown outcome must not mint.
//
// The public kind: an idempotency layer that caches responses of 5xx, so that a
// passing failure comes back for a day (LabsCrypt/remitlend, issue 1329;
// pathosDev/actor-ts, issue 984).
//
// Right: giveUp of package ledger stores no answer where there is none. It
// gives the key back at its recovery point, idem.Begin lets the next attempt
// resume there, and idem.Finish accepts a definite answer only.
func storesFailures() Mistake {
	return Mistake{
		ID: "stores-failures", Label: "stores failures like answers",
		Gates: plainGates, Gate: announce(plainPoints),
		Charger: func(o api.Options) api.Charger { return &failureKeeper{o} },
		Handler: silentOnRetries,
		Trace:   tellNoReturn,
	}
}

// failureKeeper is the charger of storesFailures.
type failureKeeper struct{ api.Options }

// Charge implements [api.Charger]. The answer to this request is the right
// one; what is wrong is what becomes of the next.
func (m *failureKeeper) Charge(ctx context.Context, request ledger.ChargeRequest) (ledger.Result, error) {
	result, err := m.Charger.Charge(ctx, request)
	if errors.Is(err, ledger.ErrOutcomeUnknown) && result.Record.Open() && result.Record.Fence > 0 {
		if failed := m.keep(context.WithoutCancel(ctx), request, result.Record); failed != nil {
			return result, errors.Join(err, failed)
		}
	}
	return result, err
}

// keep makes a failure the final answer of a key that was given back.
func (m *failureKeeper) keep(ctx context.Context, of ledger.ChargeRequest, open idem.Record) error {
	kept := open.Clone()
	kept.Point, kept.LeaseUntil, kept.Finished = idem.Done, time.Time{}, idem.At(time.Now(), m.offset()).Retention
	kept.Fence++ // as for any change of a record that nobody holds
	problem := &api.Problem{Code: api.CodeOutcomeUnknown, Charge: open.Resource}
	kept.Answer = idem.Answer{
		Status: problem.Status(), Body: problem.Body(), Request: of.Request,
		Header: map[string]string{"Content-Type": "application/problem+json"},
	}
	kept.History = append(kept.History, idem.Step{At: time.Now().UTC(), What: fmt.Sprintf("done: %d stored", problem.Status())})
	var rows []string
	swapped := false
	err := m.Store.Update(ctx, func(tx ledger.Tx) (err error) {
		swapped, err = tx.SwapKey(kept, open.Fence)
		rows = tx.Rows()
		return err
	})
	if err != nil || !swapped { // not swapped: another attempt is at work
		return err
	}
	m.tellKept(ctx, of, kept, rows)
	return nil
}

func (m *failureKeeper) offset() time.Duration {
	if m.Offset == nil {
		return 0
	}
	return m.Offset()
}

// silentOnRetries serves what only stores and replays: of a replayed failure
// it has no word on whether to repeat. (The right API says no of whatever it
// replays, since it never replays an accident.)
func silentOnRetries(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(&wordless{w}, r) })
}

type wordless struct{ http.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (a *wordless) WriteHeader(status int) {
	if status >= http.StatusInternalServerError && a.Header().Get(idem.HeaderReplayed) != "" {
		a.Header().Del("Stripe-Should-Retry")
	}
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap leaves flushing and deadlines to the writer beneath.
func (a *wordless) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// tellKept tells that a failure was stored. It books no money.
func (m *failureKeeper) tellKept(ctx context.Context, of ledger.ChargeRequest, kept idem.Record, rows []string) {
	charge := ledger.Charge{
		ID: kept.Resource, Owner: of.Key.Owner, Key: of.Key.Value, Amount: of.Amount, Currency: of.Currency,
	}
	hooksOf(m.Trace, func(e *control.Event) {
		e.Text = fmt.Sprintf("The answer %d is stored under its key.", e.Status)
	}).Committed(ctx, ledger.Commit{Phase: 2, Work: ledger.Work{Charge: charge}, Record: kept, Rows: rows})
}

// tellNoReturn leaves out what is not so here: that the key waits to be resumed.
func tellNoReturn(next api.Tracer) api.Tracer {
	return retold(next, func(e control.Event) (control.Event, bool) {
		if e.Kind == control.KindNote && e.Charge != "" {
			e.Text = "The attempt stops without an outcome: " + cmp.Or(e.Reason, "nobody knows why") + "."
		}
		return e, true
	})
}
