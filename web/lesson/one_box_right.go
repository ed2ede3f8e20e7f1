package lesson

import (
	"context"

	"chargeonce/web/control"
)

// oneBoxRight: the lost answer again, one box further to the right. Here our
// own API is the client that waits, and the shop notices nothing.
func oneBoxRight() Lesson {
	return Lesson{
		ID: "one-box-right", Title: "One box to the right", Mistake: "fresh-provider-key",
		NaiveLabel: "NAIVE: a fresh key per provider call", SafeLabel: "SAFE: the key comes from the charge",
		Lanes:    []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{control.Attempt, control.Started, control.Lost, control.Captured},
		Setup:    "One purchase of €50. This time *the card provider's answer to our API* gets lost.",
		Question: "Our ledger says 1. The card?",
		Answers: []string{
			"Once: our ledger would know.",
			"Twice: the provider was asked twice.",
			"That depends on the provider's key.",
			"Not at all.",
		},
		Right:    3,
		Sentence: "Dedup at every boundary that can retry; the next box must understand and remember the key.",
		NotFixed: "Not fixed: a provider that *honours no keys*, or forgets them sooner than we retry.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*freshCaller).RoundTrip"},
			{Side: control.Safe, Package: "ledger", Func: "(Charge).ProviderKey"},
			{Side: control.Safe, Package: "ledger", Func: "(*attempt).askProvider"},
		},
		Beats:    oneBoxRightBeats(),
		Script:   silenceProviderOnce,
		Promises: oneBoxRightPromises,
	}
}

func oneBoxRightBeats() []Beat {
	captured := []Cue{{Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Captured}}
	waits := []Cue{{Lane: control.LaneAPI, Kind: control.KindWait}}
	again := []Cue{{Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Captured, N: 2}}
	replayed := []Cue{{Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Replay}}
	return []Beat{
		{Say: "The API claims the shop's key and calls the provider. *The card is charged.*", Naive: captured, Safe: captured},
		{Say: "The provider's answer is lost. After *500 ms of silence* our API will ask again.", Naive: waits, Safe: waits},
		{Say: "You are the API. You will get one answer, and *book one charge.*", Question: true},
		{Say: "NAIVE makes a key up for each call: *the provider sees a new capture.*", Naive: again},
		{Say: "One answer, one charge in the ledger: *€50 here, €100 on the card.* Nobody notices.", Naive: []Cue{{End: true}}, Answer: true},
		{Say: "SAFE derives the key from the charge: *the provider knows it and REPLAYS.*", Safe: replayed},
		{Say: "Ledger and card agree: *€50 and €50*, and the shop never noticed a thing.", Safe: []Cue{{End: true}}},
	}
}

// silenceProviderOnce loses the provider's first answer on its way to our API.
// The API's own second attempt settles the matter within the shop's first.
func silenceProviderOnce(ctx context.Context, _ control.Side, rig Rig) error {
	fault := control.Fault{Boundary: "provider", Kind: "lose-response", How: "silent", Attempts: 1}
	if err := rig.Arm(ctx, fault); err != nil {
		return err
	}
	ticket, err := rig.Buy(ctx, only)
	if err != nil {
		return err
	}
	return paid(ctx, ticket)
}

func oneBoxRightPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, keys := captures(books)
	c.count("requests on the API's wire", 1, books.Owners[""].Wire.API)
	c.count("requests on the provider's wire", 2, books.Owners[""].Wire.Provider)
	c.count("charges in our ledger", 1, charges(books))
	c.sameCharge(books)
	c.done(books, 1)
	if side == control.Naive {
		c.count("captures", 2, captured)
		c.count("keys at the card provider", 2, keys)
		c.ledgersKey(books, 0)
		c.money(books, price, price, 2*price)
		return c.all
	}
	c.count("captures", 1, captured)
	c.ledgersKey(books, 1)
	c.money(books, price, price, price)
	return c.all
}
