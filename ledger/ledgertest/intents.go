package ledgertest

import (
	"errors"
	"fmt"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// intentNow reads an intent with its charge.
func (b *bench) intentNow(id string) (i ledger.Intent, c ledger.Charge) {
	b.t.Helper()
	b.view(func(r ledger.Reader) (err error) {
		var found bool
		if i, found, err = r.Intent(id); err != nil || !found {
			return errors.Join(err, fmt.Errorf("found: %v", found))
		}
		c, _, err = r.Charge(i.Charge)
		return err
	})
	return i, c
}

// intentRules: payments as the customer means them.
var intentRules = []rule{
	{"a confirmed intent is a charge in every respect", func(t *testing.T, b *bench) {
		got := b.check(b.intent(intent("k", true)), idem.Started, 201)
		i, c := b.intentNow(got.Intent)
		if got.Charge != c.ID || c.Intent != i.ID || c.Status != ledger.Succeeded || i.Status(c) != ledger.IntentSucceeded {
			t.Errorf("the intent is %+v, its charge %+v", i, c)
		}
		if b.log.count("committed") != 2 || b.lookups() != "C" || i.Key != "k" || i.Amount != c.Amount {
			t.Errorf("%d commits, calls %s, key %s, amounts %d and %d", b.log.count("committed"), b.lookups(), i.Key, i.Amount, c.Amount)
		}
		again := b.check(b.intent(intent("k", true)), idem.Replay, 201)
		if again.Intent != got.Intent || string(again.Record.Answer.Body) != string(got.Record.Answer.Body) {
			t.Errorf("replayed as %s: %s", again.Intent, again.Record.Answer.Body)
		}
		events := b.events("shop")
		if len(events) != 2 || events[0].Type != ledger.IntentEventSucceeded || events[0].Object != i.ID || events[1].Object != c.ID {
			t.Errorf("events %+v", events)
		}
		b.mustRefund(refundOf(c.ID, "r", 0), idem.Started, 201)
	}},
	{"a declined card leaves an intent that needs another", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Decline: "lost_card"})
		got := b.check(b.intent(intent("k", true)), idem.Started, 402)
		if i, c := b.intentNow(got.Intent); c.Status != ledger.Failed || i.Status(c) != ledger.IntentRequiresPaymentMethod {
			t.Errorf("the intent is %+v, its charge %+v", i, c)
		}
	}},
	{"an unknown outcome leaves an intent in processing, and the key resumes it", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Silent: true})
		first := b.intent(intent("k", true))
		if !errors.Is(first.err, ledger.ErrOutcomeUnknown) || first.Intent == "" || first.Charge == "" {
			t.Fatalf("got %+v, %v", first.Result, first.err)
		}
		if i, c := b.intentNow(first.Intent); i.Status(c) != ledger.IntentProcessing {
			t.Errorf("the intent is %s", i.Status(c))
		}
		again := b.check(b.intent(intent("k", true)), idem.Resumed, 201)
		if again.Intent != first.Intent || again.Charge != first.Charge || b.lookups() != "CL" {
			t.Errorf("intents %s and %s, calls %s", first.Intent, again.Intent, b.lookups())
		}
	}},
	{"an intent that is not confirmed is one commit, and calls nobody", func(t *testing.T, b *bench) {
		bare := intent("bare", false, func(r *ledger.ChargeRequest) { r.Card = "" })
		for _, test := range []struct {
			req  ledger.IntentRequest
			want ledger.IntentStatus
		}{{intent("card", false), ledger.IntentRequiresConfirmation}, {bare, ledger.IntentRequiresPaymentMethod}} {
			got := b.check(b.intent(test.req), idem.Started, 201)
			if i, c := b.intentNow(got.Intent); got.Charge != "" || i.Charge != "" || i.Status(c) != test.want {
				t.Errorf("the intent is %+v: %s", i, i.Status(c))
			}
			if again := b.check(b.intent(test.req), idem.Replay, 201); again.Intent != got.Intent || again.Record.Answer.Request != test.req.Request {
				t.Errorf("replayed as %+v", again.Result)
			}
		}
		if len(b.provider.Calls()) != 0 || b.log.count("committed 2") != 2 || b.log.count("committed 1") != 0 || len(b.events("shop")) != 0 {
			t.Errorf("calls %v, commits %v", b.provider.Calls(), b.log.all("committed"))
		}
		same(t, []string{"at begin", "at committed", "at begin", "at begin", "at committed", "at begin"}, b.log.all("at "))
	}},
	{"what is confirmed needs a card, and confirming is part of the request", func(t *testing.T, b *bench) {
		bare := intent("k", true, func(r *ledger.ChargeRequest) { r.Card = "" })
		var invalid *ledger.InvalidError
		if got := b.intent(bare); !errors.As(got.err, &invalid) || invalid.Param != "source" {
			t.Errorf("got %v", got.err)
		}
		b.check(b.intent(intent("k", false)), idem.Started, 201)
		if got := b.intent(intent("k", true)); got.Outcome != idem.Conflict || got.Intent != "" {
			t.Errorf("got %v, intent %q", got.Outcome, got.Intent)
		}
	}},
	{"intents are listed newest first, for their owner alone, and change by confirmations alone", func(t *testing.T, b *bench) {
		var ids []string
		for i := range 4 {
			ids = append([]string{b.check(b.intent(intent(fmt.Sprint("k", i), i%2 == 0)), idem.Started, 201).Intent}, ids...)
			b.intent(intent(fmt.Sprint("k", i), false, owner("shopper")))
		}
		b.view(func(r ledger.Reader) error {
			intents, more, err := r.Intents("shop", ledger.Page{Limit: 2, After: ids[0]})
			if err != nil || !more || len(intents) != 2 || intents[0].ID != ids[1] || intents[1].ID != ids[2] {
				t.Errorf("intents %+v, more %v, %v", intents, more, err)
			}
			if _, _, err := r.Intents("shopper", ledger.Page{After: ids[0]}); !errors.Is(err, ledger.ErrNotFound) {
				t.Errorf("a page of one owner at an intent of another: %v", err)
			}
			return nil
		})
		i, _ := b.intentNow(ids[0])
		if err := b.update(func(tx ledger.Tx) error { return tx.PutIntent(i) }); !errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("put again: %v", err)
		}
	}},
}
