package ledgertest

import (
	"context"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// tick is how soon the suite's completers take up a record. Their clock is set
// by hand, so it is also how often they look.
const tick = time.Millisecond

// completing starts one more process on the same books, which completes what
// was abandoned, and lets every lease end.
func (b *bench) completing(tune ...func(*ledger.Options)) *ledger.Ledger {
	b.t.Helper()
	l := b.newLedger(func(o *ledger.Options) {
		o.CompleteAfter = tick
		for _, t := range tune {
			t(o)
		}
	})
	b.clock.Advance(lease + tick)
	return l
}

// dies starts work on a worker that freezes inside its provider call.
func (b *bench) dies(gate *Gate, act Act, start func()) {
	b.t.Helper()
	living := b.ledger
	b.ledger = b.newLedger(frozen)
	b.provider.Script(act)
	start()
	b.arrives(gate)
	b.ledger = living
}

// completerRules: what nobody comes back for.
var completerRules = []rule{
	{"an abandoned charge is completed without a client: asked, not sent", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.dies(gate, Act{After: gate}, func() { b.start(request("k")) })
		b.completing()
		b.log.await(t, "committed 2 k", 1)
		if b.log.count("completing k") != 1 || b.lookups() != "CL" {
			t.Errorf("completed %d times, calls %s", b.log.count("completing k"), b.lookups())
		}
		got := b.must(request("k"), idem.Replay, 201)
		if got.Record.Fence != 2 || got.Record.Answer.Request != "req_k" {
			t.Errorf("fence %d, request %q", got.Record.Fence, got.Record.Answer.Request)
		}
		b.captures(1)
	}},
	{"an abandoned refund is completed too, and sent if it never arrived", func(t *testing.T, b *bench) {
		charge := b.paid(5000)
		gate := NewGate()
		defer gate.Open()
		b.dies(gate, Act{Before: gate}, func() { b.startRefund(refundOf(charge, "r", 2000)) })
		b.completing()
		b.log.await(t, "committed 2 r", 1)
		b.refunded(charge, 2000, 0)
		b.mustRefund(refundOf(charge, "r", 2000), idem.Replay, 201)
	}},
	{"an abandoned intent is completed with its own answer", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		l := b.ledger
		b.dies(gate, Act{After: gate}, func() {
			worker := b.ledger
			go func() { _, _ = worker.Intent(context.Background(), intent("k", true)) }()
		})
		b.ledger = l
		b.completing()
		b.log.await(t, "committed 2 k", 1)
		got := b.check(b.intent(intent("k", true)), idem.Replay, 201)
		if i, c := b.intentNow(got.Intent); i.Status(c) != ledger.IntentSucceeded {
			t.Errorf("the intent is %s", i.Status(c))
		}
	}},
	{"an unknown outcome is asked about until somebody knows", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Silent: true}, Act{Lost: true}, Act{Lost: true})
		b.unknown(request("k"))
		b.completing()
		for round := range 2 {
			b.log.await(t, "unknown k", round+2)
			b.released(request("k").Key)
			b.clock.Advance(tick)
		}
		b.log.await(t, "committed 2 k", 1)
		if b.lookups() != "CLLL" {
			t.Errorf("calls %s", b.lookups())
		}
		b.captures(1)
	}},
	{"a client that waits gets what the completer finds", func(t *testing.T, b *bench) {
		gate, held := NewGate(), NewGate()
		defer gate.Open()
		defer held.Open()
		b.dies(gate, Act{After: gate}, func() { b.start(request("k")) })
		b.provider.Script(Act{After: held})
		l := b.completing()
		b.arrives(held)
		b.ledger = l // waiters are woken within one process
		waiting := b.start(request("k"))
		b.log.await(t, "decided busy k", 1)
		held.Open()
		b.check(b.result(waiting), idem.Replay, 201)
	}},
	{"a decline is completed as a decline", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.dies(gate, Act{After: gate, Decline: "lost_card"}, func() { b.start(request("k")) })
		b.completing()
		b.log.await(t, "committed 2 k", 1)
		b.must(request("k"), idem.Replay, 402)
		b.captures(0)
	}},
}
