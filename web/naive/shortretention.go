package naive

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/api"
	"chargeonce/web/control"
)

// keptFor is how long a key is remembered by shortRetention: long enough for
// the retries of one impatient client, and for nobody else's. Queues and batch
// jobs come back after hours.
const keptFor = 10 * time.Minute

// shortRetention forgets a key as soon as the hurry is over.
//
// Wrong: finished keys are deleted after ten minutes, answer, fingerprint and
// all, although somebody may send the request again for longer than that. Who
// comes then is new to the API, and the card is charged once more.
//
// The public kind: a window of deduplication that ends before the last retry,
// which then counts as new (camunda/camunda, issue 55476;
// Mesh-America/supply-drop-bbs, issue 162).
//
// Right: idem.Terms.Validate refuses, at start-up, a retention that does not
// exceed the clients' retry window; and decide of package idem keeps a tombstone
// for far longer than the answer, so that a key that comes too late is told so
// and runs nothing.
func shortRetention() Mistake {
	return Mistake{
		ID: "short-retention", Label: "keys are kept for ten minutes",
		Gates: plainGates, Gate: announce(plainPoints),
		Charger: func(o api.Options) api.Charger { return &forgetsEarly{o} },
	}
}

// forgetsEarly is the charger of shortRetention.
type forgetsEarly struct{ api.Options }

// Charge implements [api.Charger].
func (m *forgetsEarly) Charge(ctx context.Context, request ledger.ChargeRequest) (ledger.Result, error) {
	if err := m.forget(ctx, request.Key); err != nil {
		return ledger.Result{}, err
	}
	return m.Charger.Charge(ctx, request)
}

// forget deletes the record of a key that was finished too long ago.
func (m *forgetsEarly) forget(ctx context.Context, key idem.Key) error {
	var record idem.Record
	found := false
	err := m.Store.View(ctx, func(books ledger.Reader) (err error) {
		record, found, err = books.Record(key)
		return err
	})
	if err != nil {
		return fmt.Errorf("look for an old key: %w", err)
	}
	age := m.now().Sub(record.Finished)
	if !found || record.Open() || age < keptFor {
		return nil
	}
	dropped := false
	err = m.Store.Update(ctx, func(tx ledger.Tx) (err error) {
		dropped, err = tx.DropKey(record)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete an old key: %w", err)
	}
	if dropped && m.Trace != nil {
		m.Trace(api.Event(ctx, control.KindNote, fmt.Sprintf(
			"The record of this key is %s old and was kept for %s only: it is gone.", short(age.Round(time.Minute)), short(keptFor))))
	}
	return nil
}

// short leaves out what a duration has none of: "25h", "10m".
func short(d time.Duration) string {
	text := strings.TrimSuffix(d.String(), "0s")
	return strings.Replace(text, "h0m", "h", 1)
}

// now is the time on the retention clock.
func (m *forgetsEarly) now() time.Time {
	var offset time.Duration
	if m.Offset != nil {
		offset = m.Offset()
	}
	return idem.At(time.Now(), offset).Retention
}
