package ledgertest

import (
	"context"
	"errors"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// refundCrashRules: workers that die over a refund.
var refundCrashRules = []rule{
	{"a zombie's refund is refused by the fence, and the amount moves once", func(t *testing.T, b *bench) {
		charge := b.paid(5000)
		gate := NewGate()
		defer gate.Open()
		living := b.ledger
		b.ledger = b.newLedger(frozen)
		b.provider.Script(Act{After: gate})
		zombie := b.startRefund(refundOf(charge, "r", 2000))
		b.arrives(gate)
		b.clock.Advance(lease)
		b.ledger = living
		winner := b.mustRefund(refundOf(charge, "r", 2000), idem.Resumed, 201)
		before := b.books("shop")
		gate.Open()
		loser := b.check(b.result(zombie), idem.Replay, 201)
		if b.log.count("fenced r") != 1 || loser.Refund != winner.Refund {
			t.Errorf("fenced %d times, refunds %s and %s", b.log.count("fenced r"), winner.Refund, loser.Refund)
		}
		same(t, before, b.books("shop"))
	}},
	{"a refund settles on the charge as it stands then, not as it was at the claim", func(t *testing.T, b *bench) {
		charge := b.paid(100)
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		slow := b.startRefund(refundOf(charge, "slow", 30))
		b.arrives(gate)
		b.mustRefund(refundOf(charge, "quick", 50), idem.Started, 201)
		b.refunded(charge, 50, 30)
		gate.Open()
		b.check(b.result(slow), idem.Started, 201)
		b.refunded(charge, 80, 0)
	}},
	{"the engine itself refuses refunds beyond the charge", func(t *testing.T, b *bench) {
		c := b.chargeNow(b.paid(100))
		for name, change := range map[string]func(*ledger.Charge){
			"too much given":     func(c *ledger.Charge) { c.AmountRefunded = 101 },
			"too much set aside": func(c *ledger.Charge) { c.AmountRefunded, c.RefundReserved = 60, 41 },
			"less than nothing":  func(c *ledger.Charge) { c.RefundReserved = -1 },
		} {
			next := c
			change(&next)
			if err := b.update(func(tx ledger.Tx) error { return tx.PutCharge(next) }); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"what was given back is not taken back", func(t *testing.T, b *bench) {
		charge := b.paid(100)
		b.mustRefund(refundOf(charge, "r", 50), idem.Started, 201)
		less := b.chargeNow(charge)
		less.AmountRefunded--
		if err := b.update(func(tx ledger.Tx) error { return tx.PutCharge(less) }); !errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("got %v", err)
		}
	}},
	{"a settled refund never becomes anything else", func(t *testing.T, b *bench) {
		refund := b.refundNow(b.mustRefund(refundOf(b.paid(100), "r", 50), idem.Started, 201).Refund)
		for name, change := range map[string]func(*ledger.Refund){
			"pending again":  func(r *ledger.Refund) { r.Status = ledger.Pending },
			"failed":         func(r *ledger.Refund) { r.Status = ledger.Failed },
			"another amount": func(r *ledger.Refund) { r.Amount++ },
			"another charge": func(r *ledger.Refund) { r.Charge = "ch_other" },
			"another owner":  func(r *ledger.Refund) { r.Owner = "anna" },
			"another key":    func(r *ledger.Refund) { r.Key = "other" },
		} {
			next := refund
			change(&next)
			if err := b.update(func(tx ledger.Tx) error { return tx.PutRefund(next) }); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"a rendering that stores no definite refusal leaves no claim", func(t *testing.T, b *bench) {
		charge := b.paid(100)
		right := b.ledger
		b.ledger = b.newLedger(func(o *ledger.Options) {
			o.RenderRefund = func(ledger.Refund, ledger.Charge, error) idem.Answer { return idem.Answer{Status: 500} }
		})
		if got := b.refund(refundOf(charge, "r", 101)); got.err == nil {
			t.Errorf("got %+v", got.Result)
		}
		b.ledger = right
		b.mustRefund(refundOf(charge, "r", 101), idem.Started, 400)
	}},
	{"a caller that has gone claims no refund", func(t *testing.T, b *bench) {
		charge := b.paid(100)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := b.ledger.Refund(ctx, refundOf(charge, "r", 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		b.refunded(charge, 0, 0)
	}},
}
