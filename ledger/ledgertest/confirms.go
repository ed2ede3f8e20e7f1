package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// confirmOf is a request to confirm an intent, with a card or with its own.
func confirmOf(intent, key, card string) ledger.ConfirmRequest {
	req := ledger.ConfirmRequest{
		Key: idem.Key{Owner: "shop", Value: key}, Operation: "POST /v1/payment_intents/{id}/confirm", Request: "req_" + key,
		Intent: intent, Card: card,
	}
	req.Fingerprint = idem.NewFingerprint("POST", "/v1/payment_intents/"+intent+"/confirm", nil, idem.Params{"payment_method": card})
	return req
}

func (b *bench) confirm(req ledger.ConfirmRequest) answer {
	result, err := b.ledger.Confirm(context.Background(), req)
	return answer{result, err}
}

// startConfirm calls and does not wait.
func (b *bench) startConfirm(req ledger.ConfirmRequest) <-chan answer {
	done := make(chan answer, 1)
	l := b.ledger
	go func() {
		result, err := l.Confirm(context.Background(), req)
		done <- answer{result, err}
	}()
	return done
}

// waiting is an intent that nobody has confirmed yet.
func (b *bench) waiting(change ...func(*ledger.ChargeRequest)) (id string) {
	b.t.Helper()
	return b.check(b.intent(intent("make", false, change...)), idem.Started, 201).Intent
}

// as makes it under another key.
func as(key string) func(*ledger.ChargeRequest) {
	return func(r *ledger.ChargeRequest) { r.Key.Value = key }
}

func cardless(r *ledger.ChargeRequest) { r.Card = "" }

// paidOnce insists that an intent was paid, by this many charges of which one
// succeeded.
func (b *bench) paidOnce(id string, charges int) {
	b.t.Helper()
	if i, c := b.intentNow(id); i.Status(c) != ledger.IntentSucceeded || c.Intent != id {
		b.t.Errorf("the intent is %+v, its charge %+v", i, c)
	}
	b.captures(1)
	b.view(func(r ledger.Reader) error {
		all, err := allCharges(r, "shop")
		if len(all) != charges {
			b.t.Errorf("%d charges, want %d: %+v", len(all), charges, all)
		}
		return err
	})
}

// confirmRules: intents that are carried out after they were made.
var confirmRules = []rule{
	{"a waiting intent is carried out by a key of its own, once, and replays", func(t *testing.T, b *bench) {
		id := b.waiting()
		got := b.check(b.confirm(confirmOf(id, "k", "")), idem.Started, 201)
		i, c := b.intentNow(id)
		if got.Intent != id || got.Charge != c.ID || c.Key != "k" || c.Request != "req_k" || i.Key != "make" || c.Amount != i.Amount || c.Card != i.Card {
			t.Errorf("the intent is %+v, its charge %+v", i, c)
		}
		again := b.check(b.confirm(confirmOf(id, "k", "")), idem.Replay, 201)
		if string(again.Record.Answer.Body) != string(got.Record.Answer.Body) || again.Record.Answer.Request != "req_k" || again.Intent != id {
			t.Errorf("replayed as %+v", again.Result)
		}
		if events := b.events("shop"); len(events) != 2 || events[0].Object != id || events[1].Object != c.ID || events[1].Key != "k" {
			t.Errorf("events %+v", events)
		}
		b.paidOnce(id, 1)
		b.mustRefund(refundOf(c.ID, "r", 0), idem.Started, 201)
	}},
	{"without a card it is refused for good; the next key may bring one", func(t *testing.T, b *bench) {
		id := b.waiting(cardless)
		refused := b.check(b.confirm(confirmOf(id, "bare", "")), idem.Started, 400)
		if refused.Record.Answer.Request != "req_bare" || refused.Charge != "" || len(b.provider.Calls()) != 0 {
			t.Errorf("refused as %+v", refused.Result)
		}
		b.check(b.confirm(confirmOf(id, "card", "tok_visa")), idem.Started, 201)
		b.check(b.confirm(confirmOf(id, "bare", "")), idem.Replay, 400)
		if i, c := b.intentNow(id); i.Card != "tok_visa" || c.Card != "tok_visa" {
			t.Errorf("the intent is %+v, its charge %+v", i, c)
		}
		b.paidOnce(id, 1)
	}},
	{"a confirmation finds another at work, claims nothing, and is told for good afterwards", func(t *testing.T, b *bench) {
		id, gate := b.waiting(), NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		first := b.startConfirm(confirmOf(id, "one", ""))
		b.arrives(gate)
		var refused *ledger.IntentError
		if got := b.confirm(confirmOf(id, "two", "tok_visa")); !errors.Is(got.err, ledger.ErrIntentProcessing) || !errors.As(got.err, &refused) || refused.Intent.ID != id {
			t.Errorf("got %v", got.err)
		}
		b.view(func(r ledger.Reader) error {
			_, found, err := r.Record(confirmOf(id, "two", "").Key)
			if found {
				t.Error("the key is claimed")
			}
			return err
		})
		gate.Open()
		b.check(b.result(first), idem.Started, 201)
		b.check(b.confirm(confirmOf(id, "two", "tok_visa")), idem.Started, 400)
		b.check(b.confirm(confirmOf(id, "two", "tok_visa")), idem.Replay, 400)
		b.paidOnce(id, 1)
	}},
	{"many keys at once and one intent: one charge", func(t *testing.T, b *bench) {
		id := b.waiting()
		const keys = 24
		var group sync.WaitGroup
		var mu sync.Mutex // guards paid
		paid, barrier := 0, make(chan struct{})
		for n := range keys {
			group.Go(func() {
				<-barrier
				got := b.confirm(confirmOf(id, fmt.Sprint("k", n/2), "tok_visa")) // each key comes twice
				mu.Lock()
				defer mu.Unlock()
				switch {
				case errors.Is(got.err, ledger.ErrIntentProcessing):
				case got.err != nil:
					t.Errorf("got %v, %v", got.Outcome, got.err)
				case got.Record.Answer.Status == 201:
					paid++
				case got.Record.Answer.Status != 400:
					t.Errorf("got %v with %d", got.Outcome, got.Record.Answer.Status)
				}
			})
		}
		close(barrier)
		group.Wait()
		if paid < 1 || paid > 2 {
			t.Errorf("%d were told of their payment", paid)
		}
		b.paidOnce(id, 1)
	}},
	{"a declined intent takes another card under another key, and no card unasked", func(t *testing.T, b *bench) {
		id := b.waiting()
		b.provider.Script(Act{Decline: "lost_card"})
		declined := b.check(b.confirm(confirmOf(id, "one", "")), idem.Started, 402)
		b.check(b.confirm(confirmOf(id, "two", "")), idem.Started, 400) // the same card again
		paid := b.check(b.confirm(confirmOf(id, "three", "tok_amex")), idem.Started, 201)
		if again := b.check(b.confirm(confirmOf(id, "one", "")), idem.Replay, 402); string(again.Record.Answer.Body) != string(declined.Record.Answer.Body) {
			t.Errorf("replayed as %s", again.Record.Answer.Body)
		}
		if b.chargeNow(declined.Charge).Status != ledger.Failed || b.chargeNow(paid.Charge).Card != "tok_amex" {
			t.Errorf("charges %+v, %+v", b.chargeNow(declined.Charge), b.chargeNow(paid.Charge))
		}
		b.paidOnce(id, 2)
	}},
	{"an intent that was declined where it was made may be confirmed, and its own key replays", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Decline: "lost_card"})
		made := b.check(b.intent(intent("make", true)), idem.Started, 402)
		b.check(b.confirm(confirmOf(made.Intent, "k", "tok_amex")), idem.Started, 201)
		b.check(b.intent(intent("make", true)), idem.Replay, 402)
		b.paidOnce(made.Intent, 2)
	}},
	{"another owner's intent, or none, is not there and claims nothing", func(t *testing.T, b *bench) {
		id := b.waiting(owner("anna"))
		for _, intent := range []string{id, "pi_none", "ch_none"} {
			if got := b.confirm(confirmOf(intent, "k", "tok_visa")); !errors.Is(got.err, ledger.ErrNotFound) {
				t.Errorf("%s: %v, %v", intent, got.Outcome, got.err)
			}
		}
		b.check(b.confirm(confirmOf(b.waiting(), "k", "tok_visa")), idem.Started, 201)
	}},
	{"the key of one confirmation is no key to another", func(t *testing.T, b *bench) {
		id := b.waiting()
		b.check(b.confirm(confirmOf(id, "k", "tok_visa")), idem.Started, 201)
		for _, other := range []ledger.ConfirmRequest{confirmOf(id, "k", "tok_amex"), confirmOf(b.waiting(as("another")), "k", "tok_visa")} {
			if got := b.confirm(other); got.err != nil || got.Outcome != idem.Conflict {
				t.Errorf("got %v, %v", got.Outcome, got.err)
			}
		}
	}},
}
