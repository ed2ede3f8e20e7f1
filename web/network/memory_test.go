package network

import (
	"fmt"
	"testing"
)

func TestAHeaderFaultTakesTheFirstRequestsOfItsKey(t *testing.T) {
	var m memory
	twice := Fault{Kind: LoseResponse, Attempts: 2}
	for _, key := range []string{"k1", "k2"} {
		for attempt, want := range []bool{true, true, false, false, false} {
			if got := m.take(twice, "a", key); got != want {
				t.Errorf("%s, attempt %d: %v, want %v", key, attempt+1, got, want)
			}
		}
	}
	if !m.take(twice, "b", "k1") {
		t.Error("another owner's key was counted too")
	}
	if !m.take(Fault{Kind: LoseRequest, Attempts: 1}, "a", "k1") {
		t.Error("another fault of the key was counted too")
	}
	if !m.take(Fault{Kind: LoseResponse, Attempts: 3}, "a", "k1") || m.take(Fault{Kind: LoseResponse, Attempts: 3}, "a", "k1") {
		t.Error("the first 3 requests are the 2 that were taken and 1 more")
	}
	m.forget()
	if !m.take(twice, "a", "k1") {
		t.Error("nothing was forgotten")
	}
}

func TestRequestsWithoutAKeyStartOverAfterOneThatPassed(t *testing.T) {
	var m memory
	for attempt, want := range []bool{true, true, false, true, true, false} {
		if got := m.take(Fault{Kind: LoseResponse, Attempts: 2}, "a", ""); got != want {
			t.Errorf("request %d: %v, want %v", attempt+1, got, want)
		}
	}
}

func TestTheMemoryOfHeaderFaultsIsBoundedAndForgetsTheOldest(t *testing.T) {
	var m memory
	once := Fault{Kind: LoseResponse, Attempts: 1}
	for i := range maxRemembered + 1 {
		m.take(once, "a", fmt.Sprint("k", i))
	}
	if len(m.taken) != maxRemembered || len(m.order) != maxRemembered {
		t.Errorf("%d and %d remembered, want %d", len(m.taken), len(m.order), maxRemembered)
	}
	if m.take(once, "a", "k1") {
		t.Error("the second oldest was forgotten")
	}
	if !m.take(once, "a", "k0") {
		t.Error("the oldest was not forgotten")
	}
}

func TestOwnerAndKeyDoNotRunIntoEachOther(t *testing.T) {
	if faultID(Fault{}, "a", "b c") == faultID(Fault{}, "a b", "c") || faultID(Fault{}, `a" "b`, "") == faultID(Fault{}, "a", `b" "`) {
		t.Error("two pairs have one digest")
	}
}
