package idem_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
)

var (
	noon  = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	terms = idem.Terms{Lease: 3 * time.Second, Retain: 24 * time.Hour, Tombstone: 240 * time.Hour}
	order = idem.Claim{
		Key:         idem.Key{Owner: "shop", Value: "order-1"},
		Fingerprint: fingerprint(idem.Params{"amount": "5000"}),
		Operation:   "POST /v1/charges", Resource: "ch_1",
	}
	created = idem.Answer{Status: 201, Header: map[string]string{"Location": "/v1/charges/ch_1"}, Body: []byte(`{"id":"ch_1"}`), Request: "req_1"}
)

func after(d time.Duration) idem.Now { return idem.At(noon.Add(d), 0) }

// in runs one step in a transaction of its own and fails the test on an error.
func in[T any](t *testing.T, store idem.Store, step func(idem.Tx) (T, error)) T {
	t.Helper()
	result, err := try(t, store, step)
	if err != nil {
		t.Fatalf("transaction: %v", err)
	}
	return result
}

func try[T any](t *testing.T, store idem.Store, step func(idem.Tx) (T, error)) (result T, err error) {
	t.Helper()
	err = store.Update(t.Context(), func(tx idem.Tx) (err error) {
		result, err = step(tx)
		return err
	})
	return result, err
}

func begin(t *testing.T, store idem.Store, claim idem.Claim, now idem.Now) idem.Decision {
	t.Helper()
	return in(t, store, func(tx idem.Tx) (idem.Decision, error) { return idem.Begin(tx, claim, now, terms) })
}

func finish(t *testing.T, store idem.Store, mine idem.Record, now idem.Now) idem.Record {
	t.Helper()
	return in(t, store, func(tx idem.Tx) (idem.Record, error) { return idem.Finish(tx, mine, created, now) })
}

// want checks the outcome and the parts of the record that go with it.
func want(t *testing.T, got idem.Decision, outcome idem.Outcome, fence uint64, resource string) {
	t.Helper()
	if got.Outcome != outcome || got.Record.Fence != fence || got.Record.Resource != resource || got.Reason == "" {
		t.Errorf("got %v, fence %d, resource %s (%q); want %v, fence %d, resource %s",
			got.Outcome, got.Record.Fence, got.Record.Resource, got.Reason, outcome, fence, resource)
	}
}

func TestBeginClaimsANewKey(t *testing.T) {
	got := begin(t, &idem.Memory{}, order, after(0))
	want(t, got, idem.Started, 1, "ch_1")
	record := got.Record
	if record.Key != order.Key || !record.Fingerprint.Equal(order.Fingerprint) || record.Operation != order.Operation {
		t.Errorf("the record is not the claim's: %+v", record)
	}
	if record.Point != idem.Claimed || !record.Open() || !record.Created.Equal(noon) || !record.LeaseUntil.Equal(noon.Add(terms.Lease)) {
		t.Errorf("a fresh claim reads %+v", record)
	}
	if len(record.History) != 1 || record.History[0].What != "claimed, fence 1" {
		t.Errorf("history: %v", record.History)
	}
}

func TestASecondBeginNeverHolds(t *testing.T) {
	var store idem.Memory
	begin(t, &store, order, after(0))
	again, other := order, order
	again.Resource, other.Resource = "ch_2", "ch_2"
	other.Fingerprint = fingerprint(idem.Params{"amount": "8000"})
	want(t, begin(t, &store, again, after(time.Second)), idem.Busy, 1, "ch_1")
	want(t, begin(t, &store, other, after(time.Second)), idem.Conflict, 1, "ch_1")
}

func TestAReplayCarriesTheStoredAnswer(t *testing.T) {
	var store idem.Memory
	finished := finish(t, &store, begin(t, &store, order, after(0)).Record, after(time.Second))
	if finished.Open() || !finished.LeaseUntil.IsZero() || !finished.Finished.Equal(noon.Add(time.Second)) {
		t.Errorf("a finished record reads %+v", finished)
	}
	got := begin(t, &store, order, after(2*time.Second))
	want(t, got, idem.Replay, 1, "ch_1")
	answer := got.Record.Answer
	if answer.Status != 201 || string(answer.Body) != string(created.Body) || answer.Request != "req_1" ||
		answer.Header["Location"] != "/v1/charges/ch_1" {
		t.Errorf("the answer came back as %+v", answer)
	}
}

func TestRetentionCountsFromTheFinish(t *testing.T) {
	var store idem.Memory
	late := 100 * time.Hour // the work took longer than answers are kept
	finish(t, &store, begin(t, &store, order, after(0)).Record, after(late))
	want(t, begin(t, &store, order, after(late+terms.Retain-1)), idem.Replay, 1, "ch_1")
	want(t, begin(t, &store, order, after(late+terms.Retain)), idem.ResultExpired, 1, "ch_1")
}

func TestAnAnswerStoredUnderAMovedClockIsKeptFromThere(t *testing.T) {
	var store idem.Memory
	moved := func(d time.Duration) idem.Now { return idem.At(noon.Add(d), 25*time.Hour) }
	finished := finish(t, &store, begin(t, &store, order, moved(0)).Record, moved(0))
	if !finished.Finished.Equal(noon.Add(25 * time.Hour)) {
		t.Errorf("finished at %v", finished.Finished)
	}
	want(t, begin(t, &store, order, moved(terms.Retain-1)), idem.Replay, 1, "ch_1")
	want(t, begin(t, &store, order, moved(terms.Retain)), idem.ResultExpired, 1, "ch_1")
}

func TestAKeyPastItsTombstoneStartsAnewUnderTheNextFence(t *testing.T) {
	var store idem.Memory
	zombie := begin(t, &store, order, after(0)).Record
	finish(t, &store, zombie, after(0))
	next := order
	next.Resource, next.Fingerprint = "ch_2", fingerprint(idem.Params{"amount": "8000"})
	got := begin(t, &store, next, after(terms.Tombstone))
	want(t, got, idem.Started, 2, "ch_2")
	if last := got.Record.History; len(last) != 1 || last[0].What != "claimed, fence 2" {
		t.Errorf("history: %v", last)
	}
	if got.Record.Answer.Status != 0 || !got.Record.Finished.IsZero() || !got.Record.Open() {
		t.Errorf("the old answer is still there: %+v", got.Record)
	}
	if _, err := try(t, &store, func(tx idem.Tx) (idem.Record, error) { return idem.Renew(tx, zombie, after(0), terms) }); !errors.Is(err, idem.ErrFenced) {
		t.Errorf("the old claim's heartbeat got %v", err)
	}
}

func TestAReleasedKeyIsResumedAtItsRecoveryPoint(t *testing.T) {
	var store idem.Memory
	mine := begin(t, &store, order, after(0)).Record
	in(t, &store, func(tx idem.Tx) (idem.Record, error) {
		called, err := idem.Advance(tx, mine, "provider_called", after(time.Second))
		if err != nil {
			return idem.Record{}, err
		}
		return idem.Release(tx, called, after(time.Second), "timeout")
	})
	again := order
	again.Resource = "ch_2"
	got := begin(t, &store, again, after(time.Second))
	want(t, got, idem.Resumed, 2, "ch_1")
	if got.Record.Point != "provider_called" || !got.Record.LeaseUntil.Equal(noon.Add(time.Second+terms.Lease)) {
		t.Errorf("resumed as %+v", got.Record)
	}
	var steps []string
	for _, step := range got.Record.History {
		steps = append(steps, step.What)
	}
	if told := strings.Join(steps, "; "); told != "claimed, fence 1; provider_called; released: timeout; resumed at provider_called, fence 2" {
		t.Errorf("the history tells %s", told)
	}
}

// broken is a transaction whose two calls fail.
type broken struct{ insert, swap error }

func (b broken) InsertKey(r idem.Record) (idem.Record, bool, error) {
	r.LeaseUntil = time.Time{} // another attempt's, released
	return r, false, b.insert
}
func (b broken) SwapKey(idem.Record, uint64) (bool, error) { return false, b.swap }

func TestAStoresErrorsComeBackWrapped(t *testing.T) {
	failed := errors.New("disk on fire")
	for name, row := range map[string]struct {
		tx   broken
		want error
	}{
		"insert":                              {broken{insert: failed}, failed},
		"swap":                                {broken{swap: failed}, failed},
		"another transaction came in between": {broken{}, idem.ErrFenced},
	} {
		got, err := idem.Begin(row.tx, order, after(0), terms)
		if !errors.Is(err, row.want) || got.Outcome != 0 {
			t.Errorf("%s: got %v and error %v, want %v", name, got.Outcome, err, row.want)
		}
	}
	for name, step := range map[string]func(idem.Tx) (idem.Record, error){
		"advance": func(tx idem.Tx) (idem.Record, error) { return idem.Advance(tx, idem.Record{}, "p", after(0)) },
		"renew":   func(tx idem.Tx) (idem.Record, error) { return idem.Renew(tx, idem.Record{}, after(0), terms) },
		"release": func(tx idem.Tx) (idem.Record, error) { return idem.Release(tx, idem.Record{}, after(0), "why") },
		"finish":  func(tx idem.Tx) (idem.Record, error) { return idem.Finish(tx, idem.Record{}, created, after(0)) },
	} {
		if got, err := step(broken{swap: failed}); !errors.Is(err, failed) || fmt.Sprint(got) != fmt.Sprint(idem.Record{}) {
			t.Errorf("%s: got %+v and error %v", name, got, err)
		}
	}
}
