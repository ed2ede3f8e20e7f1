package idem_test

import (
	"errors"
	"strings"
	"testing"

	"chargeonce/idem"
)

func TestAdvanceReachesOnlyPointsInBetween(t *testing.T) {
	for _, point := range []idem.Point{"", idem.Claimed, idem.Done} {
		var store idem.Memory
		mine := begin(t, &store, order, after(0)).Record
		_, err := try(t, &store, func(tx idem.Tx) (idem.Record, error) { return idem.Advance(tx, mine, point, after(0)) })
		if !errors.Is(err, idem.ErrPoint) {
			t.Errorf("to %q: got %v, want %v", point, err, idem.ErrPoint)
		}
		want(t, begin(t, &store, order, after(1)), idem.Busy, 1, "ch_1")
	}
}

// A 5xx is an accident: stored, it would keep the key from ever paying.
func TestOnlyADefiniteAnswerIsStored(t *testing.T) {
	for status, definite := range map[int]bool{
		0: false, 100: false, 199: false, 200: true, 201: true, 402: true, 499: true, 500: false, 503: false, 600: false,
	} {
		var store idem.Memory
		mine := begin(t, &store, order, after(0)).Record
		_, err := try(t, &store, func(tx idem.Tx) (idem.Record, error) {
			return idem.Finish(tx, mine, idem.Answer{Status: status}, after(0))
		})
		if definite != (err == nil) || !definite && !errors.Is(err, idem.ErrAnswer) {
			t.Errorf("status %d: got error %v", status, err)
		}
		if outcome := begin(t, &store, order, after(1)).Outcome; definite != (outcome == idem.Replay) {
			t.Errorf("status %d: the key is %v", status, outcome)
		}
	}
}

func TestAnAnswerBeyondTheBoundIsRefused(t *testing.T) {
	for length, fits := range map[int]bool{idem.MaxAnswer: true, idem.MaxAnswer + 1: false} {
		var store idem.Memory
		mine := begin(t, &store, order, after(0)).Record
		_, err := try(t, &store, func(tx idem.Tx) (idem.Record, error) {
			return idem.Finish(tx, mine, idem.Answer{Status: 201, Body: make([]byte, length)}, after(0))
		})
		if fits != (err == nil) || !fits && !errors.Is(err, idem.ErrAnswer) {
			t.Errorf("%d bytes: got error %v", length, err)
		}
	}
}

func TestNoCookieIsStored(t *testing.T) {
	var store idem.Memory
	mine := begin(t, &store, order, after(0)).Record
	sent := idem.Answer{Status: 201, Header: map[string]string{"content-type": "text/plain", "Set-Cookie": "session=1", "Date": "now"}}
	in(t, &store, func(tx idem.Tx) (idem.Record, error) { return idem.Finish(tx, mine, sent, after(0)) })
	stored := begin(t, &store, order, after(1)).Record.Answer.Header
	if len(stored) != 1 || stored["Content-Type"] != "text/plain" {
		t.Errorf("stored headers: %v", stored)
	}
	if sent.Header["Set-Cookie"] == "" {
		t.Error("the caller's own headers were changed")
	}
}

// A claim without a key or fingerprint would be everybody's, and give one
// caller another's answer.
func TestBeginRefusesAClaimThatIdentifiesNothing(t *testing.T) {
	for name, claim := range map[string]idem.Claim{
		"no owner":       {Key: idem.Key{Value: "k"}, Fingerprint: order.Fingerprint},
		"no value":       {Key: idem.Key{Owner: "shop"}, Fingerprint: order.Fingerprint},
		"no fingerprint": {Key: order.Key},
	} {
		var store idem.Memory
		_, err := try(t, &store, func(tx idem.Tx) (idem.Decision, error) { return idem.Begin(tx, claim, after(0), terms) })
		if !errors.Is(err, idem.ErrClaim) {
			t.Errorf("%s: got %v, want %v", name, err, idem.ErrClaim)
		}
	}
}

func TestALongOperationIsCut(t *testing.T) {
	claim := order
	claim.Operation = "POST /" + strings.Repeat("x", 1<<20)
	if got := begin(t, &idem.Memory{}, claim, after(0)).Record.Operation; len(got) > idem.MaxStep || !strings.HasPrefix(got, "POST /x") {
		t.Errorf("the operation takes %d bytes", len(got))
	}
}
