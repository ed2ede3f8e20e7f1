package idem

import (
	"strings"
	"testing"
	"time"
)

var (
	base      = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	testTerms = Terms{Lease: 3 * time.Second, Retain: 24 * time.Hour, Tombstone: 240 * time.Hour}
	this      = NewFingerprint("POST", "/v1/charges", nil, Params{"amount": "5000"})
	another   = NewFingerprint("POST", "/v1/charges", nil, Params{"amount": "8000"})
)

func openRecord(lease time.Time) *Record {
	return &Record{Fingerprint: this, Point: "provider_called", Fence: 1, LeaseUntil: lease, Created: base}
}

func doneRecord(finished time.Time) *Record {
	return &Record{Fingerprint: this, Point: Done, Fence: 1, Created: base, Finished: finished, Answer: Answer{Status: 201}}
}

// Each row of the rule, both fingerprints, and both sides of each instant at
// which the answer changes. An instant belongs to what follows it.
func TestDecide(t *testing.T) {
	const tick = time.Nanosecond
	now := At(base, 0)
	retained, buried := base.Add(-testTerms.Retain), base.Add(-testTerms.Tombstone)
	for _, row := range []struct {
		name        string
		holder      *Record
		fingerprint Fingerprint
		want        Outcome
		reason      string
	}{
		{"absent", nil, this, Started, "new"},

		{"open, lease ends in a tick", openRecord(base.Add(tick)), this, Busy, "lease ends in"},
		{"open, lease ends now", openRecord(base), this, Resumed, "lease ended 0s ago"},
		{"open, lease ended a tick ago", openRecord(base.Add(-tick)), this, Resumed, `at "provider_called"`},
		{"open, released", openRecord(time.Time{}), this, Resumed, "released"},
		{"open for a thousand years", openRecord(base.AddDate(-1000, 0, 0)), this, Resumed, "lease ended"},

		{"done now", doneRecord(base), this, Replay, "201"},
		{"done, kept for a tick more", doneRecord(retained.Add(tick)), this, Replay, "201"},
		{"done, kept until now", doneRecord(retained), this, ResultExpired, "24h"},
		{"done, gone for a tick", doneRecord(retained.Add(-tick)), this, ResultExpired, "24h"},
		{"done, tombstone for a tick more", doneRecord(buried.Add(tick)), this, ResultExpired, "24h"},
		{"done, tombstone until now", doneRecord(buried), this, Started, "tombstone"},
		{"done, tombstone over for a tick", doneRecord(buried.Add(-tick)), this, Started, "tombstone"},

		// Conflict before busy: waiting never mends a wrong body.
		{"other request, lease alive", openRecord(base.Add(tick)), another, Conflict, "amount"},
		{"other request, lease ended", openRecord(base), another, Conflict, "amount"},
		{"other request, released", openRecord(time.Time{}), another, Conflict, "amount"},
		{"other request, open for a thousand years", openRecord(base.AddDate(-1000, 0, 0)), another, Conflict, "amount"},
		{"other request, done", doneRecord(base), another, Conflict, "amount"},
		{"other request, answer gone", doneRecord(retained), another, Conflict, "amount"},
		{"other request, tombstone for a tick more", doneRecord(buried.Add(tick)), another, Conflict, "amount"},
		// Tombstone before conflict: a key that is over belongs to nobody.
		{"other request, tombstone until now", doneRecord(buried), another, Started, "tombstone"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, reason := decide(row.holder, row.fingerprint, now, testTerms)
			if got != row.want {
				t.Errorf("got %v (%s), want %v", got, reason, row.want)
			}
			if !strings.Contains(reason, row.reason) {
				t.Errorf("the reason %q does not say %q", reason, row.reason)
			}
		})
	}
}

func TestDecideJudgesLeasesByTheWallAndAnswersByTheRetentionClock(t *testing.T) {
	ahead := At(base, 1000*time.Hour)
	if got, _ := decide(openRecord(base.Add(time.Second)), this, ahead, testTerms); got != Busy {
		t.Errorf("moving the retention clock ended a lease: %v", got)
	}
	if got, _ := decide(doneRecord(base), this, ahead, testTerms); got != Started {
		t.Errorf("moving the retention clock past the tombstone left the key %v", got)
	}
	if got, _ := decide(doneRecord(ahead.Retention), this, ahead, testTerms); got != Replay {
		t.Errorf("an answer stored under the moved clock is %v", got)
	}
}

func TestDecideNamesTheOperationWhereTheKeyServesAnother(t *testing.T) {
	refund := NewFingerprint("POST", "/v1/refunds", nil, Params{"charge": "ch_1"})
	got, reason := decide(doneRecord(base), refund, At(base, 0), testTerms)
	if got != Conflict || !strings.Contains(reason, OperationParam) {
		t.Errorf("got %v (%s)", got, reason)
	}
}

func TestOutcomeHoldsOnlyWhereTheCallerRuns(t *testing.T) {
	for outcome, want := range map[Outcome]struct {
		word  string
		holds bool
	}{
		Started: {"started", true}, Resumed: {"resumed", true}, Replay: {"replay", false},
		Conflict: {"conflict", false}, Busy: {"busy", false}, ResultExpired: {"result_expired", false},
		0: {"invalid", false}, ResultExpired + 1: {"invalid", false},
	} {
		if outcome.String() != want.word || outcome.Holds() != want.holds {
			t.Errorf("outcome %d: %v, holds %v; want %v", outcome, outcome, outcome.Holds(), want)
		}
	}
}
