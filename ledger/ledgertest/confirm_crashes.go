package ledgertest

import (
	"errors"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// confirmCrashRules: workers that die over a confirmation, and books that must
// not let an intent be paid twice whoever writes into them.
var confirmCrashRules = []rule{
	{"a confirmation that died before the capture is resumed by its key: asked first, then sent", func(_ *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.diesConfirming(gate, Act{Before: gate}, "CLC")
	}},
	{"a confirmation that died after the capture is resumed by its key: asked, not sent", func(_ *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.diesConfirming(gate, Act{After: gate}, "CL")
	}},
	{"a confirmation whose outcome is unknown is processing until its key settles it", func(t *testing.T, b *bench) {
		id := b.waiting()
		b.provider.Script(Act{Silent: true})
		lost := b.confirm(confirmOf(id, "k", ""))
		if !errors.Is(lost.err, ledger.ErrOutcomeUnknown) || lost.Intent != id || lost.Charge == "" {
			t.Fatalf("got %+v, %v", lost.Result, lost.err)
		}
		if i, c := b.intentNow(id); i.Status(c) != ledger.IntentProcessing {
			t.Errorf("the intent is %s", i.Status(c))
		}
		again := b.check(b.confirm(confirmOf(id, "k", "")), idem.Resumed, 201)
		if again.Charge != lost.Charge || b.lookups() != "CL" {
			t.Errorf("charges %s and %s, calls %s", lost.Charge, again.Charge, b.lookups())
		}
		b.paidOnce(id, 1)
	}},
	{"a zombie's confirmation is refused by the fence and leaves nothing", func(t *testing.T, b *bench) {
		id, gate := b.waiting(), NewGate()
		defer gate.Open()
		living := b.ledger
		b.ledger = b.newLedger(frozen)
		b.provider.Script(Act{After: gate})
		zombie := b.startConfirm(confirmOf(id, "k", ""))
		b.arrives(gate)
		b.clock.Advance(lease)
		b.ledger = living
		b.check(b.confirm(confirmOf(id, "k", "")), idem.Resumed, 201)
		before := b.books("shop")
		gate.Open()
		b.check(b.result(zombie), idem.Replay, 201)
		if b.log.count("fenced k") != 1 {
			t.Errorf("fenced %d times", b.log.count("fenced k"))
		}
		same(t, before, b.books("shop"))
		b.paidOnce(id, 1)
	}},
	{"an abandoned confirmation is completed with the intent's answer", func(t *testing.T, b *bench) {
		id, gate := b.waiting(), NewGate()
		defer gate.Open()
		b.dies(gate, Act{After: gate}, func() { b.startConfirm(confirmOf(id, "k", "")) })
		b.completing()
		b.log.await(t, "committed 2 k", 1)
		b.check(b.confirm(confirmOf(id, "k", "")), idem.Replay, 201)
		b.paidOnce(id, 1)
	}},
	{"the engine itself refuses an intent that would be paid twice, or become another", func(t *testing.T, b *bench) {
		id := b.waiting()
		b.check(b.confirm(confirmOf(id, "k", "")), idem.Started, 201)
		i, _ := b.intentNow(id)
		for name, change := range map[string]func(*ledger.Intent){
			"another charge": func(i *ledger.Intent) { i.Charge = "ch_other" },
			"the same again": func(*ledger.Intent) {},
			"no charge":      func(i *ledger.Intent) { i.Charge = "" },
			"another amount": func(i *ledger.Intent) { i.Charge = "ch_other"; i.Amount++ },
			"another owner":  func(i *ledger.Intent) { i.Charge = "ch_other"; i.Owner = "anna" },
			"another key":    func(i *ledger.Intent) { i.Charge = "ch_other"; i.Key = "other" },
		} {
			next := i
			change(&next)
			if err := b.update(func(tx ledger.Tx) error { return tx.PutIntent(next) }); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}},
}

// diesConfirming lets a worker die over a confirmation and its lease end: its key
// goes on with it, in these calls over all, and no other key gets anything.
func (b *bench) diesConfirming(gate *Gate, act Act, calls string) {
	b.t.Helper()
	id := b.waiting()
	b.dies(gate, act, func() { b.startConfirm(confirmOf(id, "k", "")) })
	b.clock.Advance(lease)
	if got := b.confirm(confirmOf(id, "other", "tok_visa")); !errors.Is(got.err, ledger.ErrIntentProcessing) {
		b.t.Errorf("another key: %v, %v", got.Outcome, got.err)
	}
	b.check(b.confirm(confirmOf(id, "k", "")), idem.Resumed, 201)
	if b.lookups() != calls {
		b.t.Errorf("calls %s, want %s", b.lookups(), calls)
	}
	b.check(b.confirm(confirmOf(id, "other", "tok_visa")), idem.Started, 400)
	b.paidOnce(id, 1)
}
