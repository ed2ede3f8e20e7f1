package ledgertest

import (
	"errors"
	"testing"

	"chargeonce/ledger"
)

var euros = ledger.Capture{Amount: 5000, Currency: "eur", Card: "tok_visa", Reference: "shop/ch_1"}

func TestTheProviderCapturesOnceAKey(t *testing.T) {
	p := &Provider{}
	first, err := p.Capture(t.Context(), "cap_1", euros)
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Capture(t.Context(), "cap_1", euros)
	if err != nil || again != first || len(p.Captures()) != 1 {
		t.Errorf("got %+v after %+v, %v", again, first, err)
	}
	if found, ok, err := p.Lookup(t.Context(), "cap_1"); err != nil || !ok || found != first {
		t.Errorf("looked up %+v, %v, %v", found, ok, err)
	}
	if _, ok, err := p.Lookup(t.Context(), "cap_2"); err != nil || ok {
		t.Errorf("looked up a key that was never sent: %v, %v", ok, err)
	}
}

func TestTheProviderRefusesAKeyForAnotherOrder(t *testing.T) {
	p := &Provider{}
	if _, err := p.Capture(t.Context(), "cap_1", euros); err != nil {
		t.Fatal(err)
	}
	other := euros
	other.Amount++
	if _, err := p.Capture(t.Context(), "cap_1", other); !errors.Is(err, ledger.ErrProviderRefused) {
		t.Errorf("got %v", err)
	}
}

func TestTheScriptIsPlayedOnce(t *testing.T) {
	p := &Provider{}
	p.Script(Act{Lost: true}, Act{Silent: true}, Act{Refuse: true})
	for i, want := range []int{0, 1, 1} {
		if _, err := p.Capture(t.Context(), "cap_1", euros); err == nil || len(p.Captures()) != want {
			t.Errorf("call %d: %v, captures %v", i+1, err, p.Captures())
		}
	}
	if _, err := p.Capture(t.Context(), "cap_1", euros); err != nil {
		t.Errorf("after the script: %v", err)
	}
	if calls := p.Calls(); len(calls) != 4 {
		t.Errorf("calls %v", calls)
	}
}

func TestADeclineIsNoCapture(t *testing.T) {
	p := &Provider{}
	p.Script(Act{Decline: "lost_card"})
	got, err := p.Capture(t.Context(), "cap_1", euros)
	if err != nil || !got.Declined || len(p.Captures()) != 0 {
		t.Errorf("got %+v, %v, captures %v", got, err, p.Captures())
	}
	if again, err := p.Capture(t.Context(), "cap_1", euros); err != nil || again != got {
		t.Errorf("a decline is final: %+v, %v", again, err)
	}
}

func TestAGateHoldsUntilItIsOpened(t *testing.T) {
	p, gate := &Provider{}, NewGate()
	p.Script(Act{Before: gate})
	done := make(chan error)
	go func() {
		_, err := p.Capture(t.Context(), "cap_1", euros)
		done <- err
	}()
	<-gate.Arrived()
	if len(p.Captures()) != 0 {
		t.Error("it was booked before the gate")
	}
	gate.Open()
	gate.Open()
	if err := <-done; err != nil || len(p.Captures()) != 1 {
		t.Errorf("got %v, captures %v", err, p.Captures())
	}
}

func TestTheProviderGivesBackOnceAKeyAndNeverMoreThanItTook(t *testing.T) {
	p := &Provider{}
	capture, err := p.Capture(t.Context(), "cap_1", euros)
	if err != nil {
		t.Fatal(err)
	}
	refund := func(key string, amount int64) ledger.Refunded {
		got, err := p.Refund(t.Context(), key, capture.ID, amount)
		if err != nil {
			t.Errorf("%s: %v", key, err)
		}
		return got
	}
	first := refund("ref_1", 3000)
	if again := refund("ref_1", 3000); again != first || first.ID != "pr_ref_1" {
		t.Errorf("got %+v after %+v", again, first)
	}
	if got := refund("ref_2", 2001); !got.Declined {
		t.Errorf("2001 of 2000: %+v", got)
	}
	if got := refund("ref_3", 2000); got.Declined {
		t.Errorf("2000 of 2000: %+v", got)
	}
	if got := p.Refunds(); len(got) != 2 || got["ref_3"] != (Refund{capture.ID, 2000}) || len(p.Captures()) != 1 {
		t.Errorf("refunds %v, captures %v", got, p.Captures())
	}
	if found, ok, err := p.Lookup(t.Context(), "ref_1"); err != nil || !ok || found != first {
		t.Errorf("looked up %+v, %v, %v", found, ok, err)
	}
}

func TestTheProviderRefusesRefundsThatMakeNoSense(t *testing.T) {
	p := &Provider{}
	capture, err := p.Capture(t.Context(), "cap_1", euros)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Refund(t.Context(), "ref_1", capture.ID, 1); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct{ key, capture string }{{"ref_1", "pc_other"}, {"cap_1", capture.ID}, {"ref_2", "pc_other"}, {"ref_2", "pr_ref_1"}} {
		if _, err := p.Refund(t.Context(), wrong.key, wrong.capture, 1); !errors.Is(err, ledger.ErrProviderRefused) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}
