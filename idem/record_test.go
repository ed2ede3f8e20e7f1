package idem

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestHistoryKeepsTheFirstStepAndTheLatest(t *testing.T) {
	var record Record
	for i := range 3 * MaxHistory {
		record = record.logged(base.Add(time.Duration(i)*time.Second), fmt.Sprintf("step %d", i))
		if want := min(i+1, MaxHistory); len(record.History) != want {
			t.Fatalf("after step %d: %d entries, want %d", i, len(record.History), want)
		}
	}
	if first := record.History[0].What; first != "step 0" {
		t.Errorf("the first entry is %q", first)
	}
	for i, step := range record.History[1:] {
		n := 2*MaxHistory + 1 + i
		if want := fmt.Sprintf("step %d", n); step.What != want || !step.At.Equal(base.Add(time.Duration(n)*time.Second)) {
			t.Errorf("entry %d is %v, want %q", i+1, step, want)
		}
	}
}

func TestLoggingLeavesTheOldRecordAlone(t *testing.T) {
	for _, length := range []int{0, 1, MaxHistory - 1, MaxHistory} {
		var old Record
		for range length {
			old = old.logged(base, "old")
		}
		left, right := old.logged(base, "left"), old.logged(base, "right")
		if got := left.History[len(left.History)-1].What; got != "left" {
			t.Errorf("with %d steps: two records share a history: %q", length, got)
		}
		if got := right.History[len(right.History)-1].What; got != "right" {
			t.Errorf("with %d steps: got %q", length, got)
		}
		for _, step := range old.History {
			if step.What != "old" {
				t.Errorf("with %d steps: the old record now says %q", length, step.What)
			}
		}
	}
}

func TestAStepIsCutToItsBoundBetweenCharacters(t *testing.T) {
	long := Record{}.logged(base, strings.Repeat("ä", MaxStep)).History[0].What
	if len(long) > MaxStep || !utf8.ValidString(long) || !strings.HasPrefix(long, "ää") {
		t.Errorf("a long step became %d bytes: %q", len(long), long)
	}
	if short := (Record{}).logged(base, "short").History[0].What; short != "short" {
		t.Errorf("a short step became %q", short)
	}
}

func TestLeaseLeftIsNeverNegative(t *testing.T) {
	for lease, want := range map[time.Time]time.Duration{
		base.Add(time.Second): time.Second, base: 0, base.Add(-time.Second): 0, {}: 0,
	} {
		if got := (Record{LeaseUntil: lease}).LeaseLeft(At(base, time.Hour)); got != want {
			t.Errorf("lease until %v: %v left, want %v", lease, got, want)
		}
	}
}

func TestOnlyADoneRecordExpires(t *testing.T) {
	if got := openRecord(base).Expires(testTerms); !got.IsZero() {
		t.Errorf("an open record expires at %v", got)
	}
	if got, want := doneRecord(base).Expires(testTerms), base.Add(testTerms.Retain); !got.Equal(want) {
		t.Errorf("a done record expires at %v, want %v", got, want)
	}
}

func TestACloneSharesNothing(t *testing.T) {
	record := Record{
		Fingerprint: NewFingerprint("POST", "/", nil, Params{"a": "1"}),
		Answer:      Answer{Status: 201, Header: map[string]string{"Location": "/a"}, Body: []byte("a")},
	}.logged(base, "a")
	digest := record.Fingerprint.Params["a"]
	copied := record.Clone()
	copied.Fingerprint.Params["a"], copied.Answer.Header["Location"] = "b", "/b"
	copied.Answer.Body[0], copied.History[0].What = 'b', "b"
	if record.Fingerprint.Params["a"] != digest || record.Answer.Header["Location"] != "/a" ||
		string(record.Answer.Body) != "a" || record.History[0].What != "a" {
		t.Errorf("changing the clone changed the record: %+v", record)
	}
}
