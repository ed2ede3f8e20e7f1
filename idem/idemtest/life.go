package idemtest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"chargeonce/idem"
)

var created = idem.Answer{Status: 201, Header: map[string]string{"Content-Type": "application/json"}, Body: []byte("{}"), Request: "req_1"}

func begin(t testing.TB, store idem.Store, amount, resource string, now idem.Now) (got idem.Decision) {
	t.Helper()
	claim := idem.Claim{
		Key:         order,
		Fingerprint: idem.NewFingerprint("POST", "/v1/charges", nil, idem.Params{"amount": amount}),
		Operation:   "POST /v1/charges", Resource: resource,
	}
	err := store.Update(t.Context(), func(tx idem.Tx) (err error) {
		got, err = idem.Begin(tx, claim, now, terms)
		return err
	})
	if err != nil {
		t.Errorf("begin: %v", err)
	}
	return got
}

// wholeLife leads one key through every outcome.
func wholeLife(t testing.TB, store idem.Store) {
	expect := func(amount string, now idem.Now, outcome idem.Outcome, fence uint64, resource string) idem.Record {
		t.Helper()
		got := begin(t, store, amount, fmt.Sprintf("ch_%d", now.Wall.Unix()), now)
		if got.Outcome != outcome || got.Record.Fence != fence || (resource != "" && got.Record.Resource != resource) {
			t.Errorf("got %v under fence %d for %q (%s); want %v under fence %d for %q",
				got.Outcome, got.Record.Fence, got.Record.Resource, got.Reason, outcome, fence, resource)
		}
		return got.Record
	}
	write := func(step func(idem.Tx) (idem.Record, error)) (record idem.Record, err error) {
		err = store.Update(t.Context(), func(tx idem.Tx) (err error) {
			record, err = step(tx)
			return err
		})
		return record, err
	}

	first := expect("5000", at(0), idem.Started, 1, "")
	expect("5000", at(1), idem.Busy, 1, first.Resource)
	expect("8000", at(1), idem.Conflict, 1, first.Resource)
	second := expect("5000", at(terms.Lease), idem.Resumed, 2, first.Resource)
	if _, err := write(func(tx idem.Tx) (idem.Record, error) { return idem.Finish(tx, first, created, at(terms.Lease)) }); !errors.Is(err, idem.ErrFenced) {
		t.Errorf("the attempt that lost its claim got %v, want %v", err, idem.ErrFenced)
	}
	if _, err := write(func(tx idem.Tx) (idem.Record, error) { return idem.Release(tx, second, at(terms.Lease), "timeout") }); err != nil {
		t.Errorf("release: %v", err)
	}
	third := expect("5000", at(terms.Lease), idem.Resumed, 3, first.Resource)
	if _, err := write(func(tx idem.Tx) (idem.Record, error) { return idem.Finish(tx, third, created, at(terms.Lease)) }); err != nil {
		t.Errorf("finish: %v", err)
	}
	replayed := expect("5000", at(time.Minute), idem.Replay, 3, first.Resource)
	if string(replayed.Answer.Body) != "{}" || replayed.Answer.Status != 201 || replayed.Answer.Request != "req_1" {
		t.Errorf("the stored answer is %+v", replayed.Answer)
	}
	expect("8000", at(time.Minute), idem.Conflict, 3, first.Resource)
	expect("5000", at(terms.Lease+terms.Retain), idem.ResultExpired, 3, first.Resource)
	anew := expect("8000", at(terms.Lease+terms.Tombstone), idem.Started, 4, "")
	if anew.Resource == first.Resource || !anew.Open() {
		t.Errorf("the new life of the key is the old one: %+v", anew)
	}
}

func oneOfManyRuns(t testing.TB, store idem.Store) {
	one(t, store, at(0), idem.Started)
}

func oneOfManyResumes(t testing.TB, store idem.Store) {
	begin(t, store, "5000", "ch_x", at(0))
	one(t, store, at(terms.Lease), idem.Resumed)
}

// one lets a crowd begin at once: one gets the outcome, the others find it at
// work, and all mean the same resource.
func one(t testing.TB, store idem.Store, now idem.Now, outcome idem.Outcome) {
	var got [crowd]idem.Decision
	together(func(n int) { got[n] = begin(t, store, "5000", fmt.Sprintf("ch_%d", n), now) })
	holders := 0
	for n, decision := range got {
		switch decision.Outcome {
		case outcome:
			holders++
		case idem.Busy:
		default:
			t.Errorf("request %d is %v", n, decision.Outcome)
		}
		if decision.Record.Resource != got[0].Record.Resource {
			t.Errorf("request %d means %q, another %q", n, decision.Record.Resource, got[0].Record.Resource)
		}
	}
	if holders != 1 {
		t.Errorf("%d of %d requests are %v, want 1", holders, crowd, outcome)
	}
}
