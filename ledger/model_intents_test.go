package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"chargeonce/idem"
)

// confirm is a request to carry an intent out, up to its claim, its refusal, or
// nothing at all: keys and intents meet in any order, and so two keys on one
// intent while neither, one or both of them have crashed.
func (w *world) confirm(t *rapid.T) {
	if len(w.intents) == 0 {
		t.Skip("no intent")
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(w.intents))).Draw(t, "intent")
	key, card := modelKeys.Draw(t, "key"), rapid.SampledFrom([]string{"", "tok_visa"}).Draw(t, "card")
	body := fmt.Sprint("confirm ", id, card)
	req := ConfirmRequest{Intent: id, Card: card}
	req.Key, req.Fingerprint = modelClaim(key, body)
	want := w.confirmable(id, card)
	if w.want(key, body) == idem.Started && errors.Is(want, ErrIntentProcessing) {
		w.seen["two keys on one intent"]++
		w.claimsNothing(t, req)
		return
	}
	c := w.begin(t, key, body, w.ledger.confirmTask(req))
	switch {
	case c.Outcome != idem.Started:
	case c.answered() != (want != nil):
		t.Fatalf("confirmed %s: answered at once %v, want %v", id, c.answered(), want)
	case want != nil:
		w.finish(w.keys[key])
	default:
		if len(w.intents[id].charges) > 0 {
			w.seen["an intent confirmed again"]++
		}
		w.carriesOut(c.work)
	}
}

// confirmable is the rule of confirmations, out of what the model knows.
func (w *world) confirmable(id, card string) error {
	charges := w.intents[id].charges
	if len(charges) == 0 {
		return nil // the model's intents come with a card
	}
	switch w.charges[charges[len(charges)-1]].status {
	case Pending:
		return ErrIntentProcessing
	case Succeeded:
		return ErrIntentSucceeded
	}
	if card == "" {
		return ErrIntentNeedsCard
	}
	return nil
}

// claimsNothing makes a request that may not even claim its key for now.
func (w *world) claimsNothing(t *rapid.T, req ConfirmRequest) {
	before := w.photograph(t)
	if _, err := w.ledger.begin(context.Background(), w.ledger.confirmTask(req)); !errors.Is(err, ErrIntentProcessing) {
		t.Fatalf("confirm %s, which is being confirmed: %v", req.Intent, err)
	}
	if after := w.photograph(t); after != before {
		t.Fatalf("a refusal for the moment has changed\n%s\nto\n%s", before, after)
	}
}

// checkIntents: each names its latest charge, and at most one has succeeded.
func (w *world) checkIntents(t *rapid.T, r Reader) {
	for id, want := range w.intents {
		i, _, err := r.Intent(id)
		if err != nil {
			t.Fatal(err)
		}
		paid, latest := 0, ""
		for _, latest = range want.charges {
			if w.charges[latest].status == Succeeded {
				paid++
			}
		}
		if i.Charge != latest || paid > 1 {
			t.Fatalf("the intent is %+v, the model has %+v, of which %d succeeded", i, want, paid)
		}
	}
}
