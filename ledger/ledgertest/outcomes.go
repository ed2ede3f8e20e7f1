package ledgertest

import (
	"errors"
	"fmt"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// unknown insists that a call ended without a definite outcome and that the key
// is free for the next one.
func (b *bench) unknown(req ledger.ChargeRequest) answer {
	b.t.Helper()
	got := b.charge(req)
	if !errors.Is(got.err, ledger.ErrOutcomeUnknown) || got.RetryAfter < ledger.RetryAfter || got.Charge == "" {
		b.t.Fatalf("got %v, charge %q, again in %v, error %v", got.Outcome, got.Charge, got.RetryAfter, got.err)
	}
	if b.log.count("unknown "+req.Key.Value) == 0 {
		b.t.Error("nobody was told")
	}
	b.released(req.Key)
	return got
}

// released insists that a record is open and nobody's.
func (b *bench) released(key idem.Key) {
	b.t.Helper()
	record := b.record(key)
	if record.Point != ledger.ProviderCalled || !record.LeaseUntil.IsZero() {
		b.t.Errorf("the record is at %s, leased until %v", record.Point, record.LeaseUntil)
	}
}

// lookups says for each call whether it was a look-up, and checks that all are
// about one key.
func (b *bench) lookups() string {
	b.t.Helper()
	shape := ""
	for _, call := range b.provider.Calls() {
		if call.Key != b.provider.Calls()[0].Key {
			b.t.Errorf("two provider keys: %v", b.provider.Calls())
		}
		if call.Lookup {
			shape += "L"
		} else {
			shape += "C"
		}
	}
	return shape
}

// outcomeRules: what the provider may do to us.
var outcomeRules = []rule{
	{"a declined card is a definite answer: stored, replayed, not posted", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Decline: "insufficient_funds"})
		b.must(request("k"), idem.Started, 402)
		b.must(request("k"), idem.Replay, 402)
		all := b.books("shop")
		c := all.Charges[0]
		if c.Status != ledger.Failed || c.FailureCode != "card_declined" || c.DeclineCode != "insufficient_funds" {
			t.Errorf("the charge is %+v", c)
		}
		if len(all.Postings) != 0 || b.lookups() != "C" {
			t.Errorf("postings %v, calls %s", all.Postings, b.lookups())
		}
	}},
	{"a call that never arrived is sent again under the same key", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Lost: true})
		first := b.unknown(request("k"))
		second := b.must(request("k"), idem.Resumed, 201)
		if first.Charge != second.Charge || b.lookups() != "CLC" {
			t.Errorf("charges %s and %s, calls %s", first.Charge, second.Charge, b.lookups())
		}
		b.captures(1)
	}},
	{"a capture whose answer was lost is looked up, not sent again", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Silent: true})
		b.unknown(request("k"))
		b.must(request("k"), idem.Resumed, 201)
		if b.lookups() != "CL" {
			t.Errorf("calls %s", b.lookups())
		}
		b.captures(1)
	}},
	{"a decline whose answer was lost is looked up too", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Silent: true, Decline: "lost_card"})
		b.unknown(request("k"))
		b.must(request("k"), idem.Resumed, 402)
		b.must(request("k"), idem.Replay, 402)
		b.captures(0)
	}},
	{"however often the outcome is unknown, one provider key and one capture", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Lost: true}, Act{Lost: true}, Act{}, Act{Lost: true}, Act{}, Act{Silent: true}, Act{Lost: true})
		for range 5 {
			b.unknown(request("k"))
		}
		b.must(request("k"), idem.Resumed, 201)
		if b.lookups() != "CLLCLCLL" {
			t.Errorf("calls %s", b.lookups())
		}
		if fence := b.record(request("k").Key).Fence; fence != 6 {
			t.Errorf("fence %d after 6 attempts", fence)
		}
		b.captures(1)
	}},
	{"an answer that says nothing is an unknown outcome", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Empty: true})
		b.unknown(request("k"))
		b.must(request("k"), idem.Resumed, 201)
		b.captures(1)
	}},
	{"a look-up that finds an empty answer does not send again", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Silent: true}, Act{Empty: true})
		b.unknown(request("k"))
		b.unknown(request("k"))
		b.must(request("k"), idem.Resumed, 201)
		if b.lookups() != "CLL" {
			t.Errorf("calls %s", b.lookups())
		}
	}},
	{"a refused call is our bug: the key stays open", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Refuse: true})
		got := b.charge(request("k"))
		if !errors.Is(got.err, ledger.ErrProviderRefused) || errors.Is(got.err, ledger.ErrOutcomeUnknown) || got.RetryAfter != 0 {
			t.Errorf("got %v, again in %v, error %v", got.Outcome, got.RetryAfter, got.err)
		}
		b.released(request("k").Key)
		b.must(request("k"), idem.Resumed, 201)
		b.captures(1)
	}},
	{"a panic after the capture is an unknown outcome and blocks no other key", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Panic: true})
		got := b.unknown(request("k"))
		var panicked *ledger.PanicError
		if !errors.As(got.err, &panicked) || len(panicked.Stack) == 0 {
			t.Errorf("the error hides the panic: %v", got.err)
		}
		answers := b.race(8, func(i int) ledger.ChargeRequest { return request(fmt.Sprint("other", i)) })
		if got := outcomes(answers); got[idem.Started] != 8 {
			t.Errorf("others got %v", got)
		}
		b.must(request("k"), idem.Resumed, 201)
		b.captures(9)
	}},
	{"a panic while it renders leaves the captured charge to the next attempt", func(t *testing.T, b *bench) {
		right := b.ledger
		b.ledger = b.newLedger(func(o *ledger.Options) {
			o.Render = func(ledger.Charge) idem.Answer { panic("scripted panic") }
		})
		b.unknown(request("k"))
		b.ledger = right
		b.must(request("k"), idem.Resumed, 201)
		if b.lookups() != "CL" {
			t.Errorf("calls %s", b.lookups())
		}
		b.captures(1)
	}},
	{"an accident's status is never stored", func(t *testing.T, b *bench) {
		right := b.ledger
		b.ledger = b.newLedger(func(o *ledger.Options) {
			o.Render = func(ledger.Charge) idem.Answer { return idem.Answer{Status: 503} }
		})
		b.unknown(request("k"))
		b.ledger = right
		b.must(request("k"), idem.Resumed, 201)
		b.captures(1)
	}},
}
