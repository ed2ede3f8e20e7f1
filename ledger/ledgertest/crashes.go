package ledgertest

import (
	"context"
	"errors"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// frozen is a worker whose heart does not beat: what a killed process, or one
// that hangs, looks like from the books.
func frozen(o *ledger.Options) {
	o.Hooks.Beat = func(context.Context, ledger.Work) bool { return false }
}

// crash starts a charge on a worker that freezes inside its provider call,
// before or after the capture, and lets its lease end.
func (b *bench) crash(gate *Gate, act Act) (zombie <-chan answer) {
	b.t.Helper()
	living := b.ledger
	b.ledger = b.newLedger(frozen)
	b.provider.Script(act)
	zombie = b.start(request("k"))
	b.arrives(gate)
	b.ledger = living
	if got := b.charge(request("k", impatient)); got.err != nil || got.Outcome != idem.Busy {
		b.t.Errorf("under a live lease: %v, %v", got.Outcome, got.err)
	}
	b.clock.Advance(lease)
	return zombie
}

// crashRules: attempts that die, and those that come back.
var crashRules = []rule{
	{"an attempt that died before the capture is resumed: asked first, then sent", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.crash(gate, Act{Before: gate})
		b.resumed("CLC")
	}},
	{"an attempt that died after the capture is resumed: asked, not sent", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.crash(gate, Act{After: gate})
		b.resumed("CL")
	}},
	{"an attempt that died before its call is resumed too", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		living := b.ledger
		b.ledger = b.newLedger(func(o *ledger.Options) {
			frozen(o)
			o.Hooks.At = func(_ context.Context, point string) {
				if point == ledger.AtClaimed {
					gate.pass()
				}
			}
		})
		zombie := b.start(request("k"))
		b.arrives(gate)
		b.clock.Advance(lease)
		b.ledger = living
		b.resumed("LC")
		gate.Open()
		b.check(b.result(zombie), idem.Replay, 201)
		if b.lookups() != "LC" {
			t.Errorf("the zombie called after its lease: %s", b.lookups())
		}
	}},
	{"a look-up that stays unanswered sends nothing and leaves the key open", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.crash(gate, Act{Before: gate})
		b.provider.Script(Act{Lost: true})
		b.unknown(request("k"))
		b.resumed("CLLC")
	}},
	{"a zombie's commit is refused by the fence and leaves nothing", func(t *testing.T, b *bench) {
		for _, where := range []string{"before", "after"} {
			gate := NewGate()
			defer gate.Open()
			act := Act{Before: gate}
			if where == "after" {
				act = Act{After: gate}
			}
			key := "k" + where
			b.zombie(t, key, gate, act)
		}
	}},
	{"a zombie that finds the winner at work is busy", func(t *testing.T, b *bench) {
		thaw, held := NewGate(), NewGate()
		defer thaw.Open()
		defer held.Open()
		living := b.ledger
		b.ledger = b.newLedger(func(o *ledger.Options) { frozen(o); o.BusyWait = 1 })
		b.provider.Script(Act{After: thaw}, Act{After: held})
		zombie := b.start(request("k"))
		b.arrives(thaw)
		b.clock.Advance(lease)
		b.ledger = living
		winner := b.start(request("k"))
		b.arrives(held)
		before := b.books("shop")
		thaw.Open()
		if got := b.result(zombie); got.err != nil || got.Outcome != idem.Busy {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		same(t, before, b.books("shop"))
		held.Open()
		b.check(b.result(winner), idem.Resumed, 201)
		b.captures(1)
	}},
	{"an outcome that comes back after the fence was lost changes nothing", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		zombie := b.crash(gate, Act{After: gate, Silent: true})
		b.resumed("CL")
		before, record := b.books("shop"), b.record(request("k").Key)
		gate.Open()
		b.check(b.result(zombie), idem.Replay, 201)
		same(t, before, b.books("shop"))
		same(t, record, b.record(request("k").Key))
	}},
	{"commit 2 that cannot be made is unknown; the next attempt books the capture", func(t *testing.T, b *bench) {
		broken := &failing{Store: b.store}
		living := b.ledger
		b.ledger = b.newLedger(func(o *ledger.Options) {
			o.Store = broken
			o.Hooks.At = func(_ context.Context, point string) {
				if point == ledger.AtProviderCalled {
					broken.fail(ledger.ErrDiskFull)
				}
			}
		})
		got := b.charge(request("k"))
		if !errors.Is(got.err, ledger.ErrOutcomeUnknown) || !errors.Is(got.err, ledger.ErrDiskFull) {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		b.ledger = living
		b.clock.Advance(lease) // it could not be released either
		b.resumed("CL")
	}},
	{"a commit 1 whose outcome is unknown calls nobody", func(t *testing.T, b *bench) {
		broken := &failing{Store: b.store}
		broken.fail(ledger.ErrOutcomeUnknown)
		living := b.ledger
		b.ledger = b.newLedger(func(o *ledger.Options) { o.Store = broken })
		if got := b.charge(request("k")); !errors.Is(got.err, ledger.ErrOutcomeUnknown) {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		if len(b.provider.Calls()) != 0 {
			t.Errorf("calls %v", b.provider.Calls())
		}
		b.ledger = living
		b.must(request("k"), idem.Started, 201)
	}},
}

// zombie runs the whole story: a frozen worker, a winner, the thaw.
func (b *bench) zombie(t *testing.T, key string, gate *Gate, act Act) {
	t.Helper()
	living := b.ledger
	b.ledger = b.newLedger(frozen)
	b.provider.Script(act)
	zombie := b.start(request(key))
	b.arrives(gate)
	b.clock.Advance(lease)
	b.ledger = living
	winner := b.must(request(key), idem.Resumed, 201)
	before, record := b.books("shop"), b.record(request(key).Key)

	gate.Open()
	loser := b.check(b.result(zombie), idem.Replay, 201)
	if b.log.count("fenced "+key) != 1 || loser.Charge != winner.Charge {
		t.Errorf("fenced %d times, charges %s and %s", b.log.count("fenced "+key), winner.Charge, loser.Charge)
	}
	same(t, before, b.books("shop"))
	same(t, record, b.record(request(key).Key))
}

// resumed insists that the next request goes on under the next fence, with
// these calls over all, and that the card was charged once.
func (b *bench) resumed(calls string) {
	b.t.Helper()
	fence := b.record(request("k").Key).Fence
	got := b.must(request("k"), idem.Resumed, 201)
	if got.Record.Fence != fence+1 {
		b.t.Errorf("fence %d after %d", got.Record.Fence, fence)
	}
	if b.lookups() != calls {
		b.t.Errorf("calls %s, want %s", b.lookups(), calls)
	}
	b.captures(1)
}
