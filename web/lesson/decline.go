package lesson

import (
	"context"
	"time"

	"chargeonce/web/control"
)

// bad is a card that its issuer never lets pay.
const bad = "tok_chargeDeclined"

// decline: an answer that nobody likes is an answer.
func decline() Lesson {
	return Lesson{
		ID: "decline", Title: "A decline is an answer", Mistake: "retries-declines",
		NaiveLabel: "NAIVE: the loop tries the card again", SafeLabel: "SAFE: 402 is final for this key",
		Lanes:    []control.Lane{control.LaneCustomer, control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{control.Attempt, control.Started, control.Replay, control.Declined, control.Captured},
		Setup:    "A card that is *declined*, clicked twice. Then another card.",
		Question: "What may the loop do now?",
		Answers: []string{
			"Try again: the bank may change its mind.",
			"Try again with a new key: the old one is burnt.",
			"Try another amount.",
			"Nothing: it has its answer.",
		},
		Right:    4,
		Sentence: "Same key, same no. Another card is a new intent, chosen by the customer, not by the loop.",
		NotFixed: "Not fixed: a *soft decline* that passes next week. That, too, is a new intent.",
		Shop:     ShopPolicy{Attempts: 3, Base: 100 * time.Millisecond},
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "noIsMaybe"},
			{Side: control.Safe, Package: "retrypolicy", Func: "classifyStatus"},
			{Side: control.Safe, Package: "web/shop", Func: "outcomeOf"},
		},
		Beats:    declineBeats(),
		Script:   declinedTwiceThenAnotherCard,
		Promises: declinePromises,
	}
}

func declineBeats() []Beat {
	no := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Attempt: 1, Status: 402}}
	told := func(n int) []Cue {
		return []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Declined, N: n}}
	}
	replayed := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Replay, Status: 402}}
	other := []Cue{{End: true}}
	return []Beat{
		{Say: "The first attempt is answered at once: *402, the card is declined.*", Naive: no, Safe: no},
		{Say: "You are the shop's retry loop. *Two attempts are left.*", Question: true},
		{Say: "NAIVE tries again, *with a new key each time*: to the provider, a new payment.", Naive: told(3)},
		{Say: "The customer clicks once more: *five declines*, and that looks like card testing.", Naive: told(5)},
		{Say: "SAFE has stopped at the answer: *one attempt, one decline.*", Safe: told(1), Answer: true},
		{Say: "The second click, the same key: *REPLAY of the same no.* The provider hears nothing.", Safe: replayed},
		{Say: "Now the customer takes another card: *a new order, a new key*, and it is paid.", Naive: other, Safe: other},
	}
}

// declinedTwiceThenAnotherCard clicks twice on the same order, one click after
// the other, as somebody does who thinks that he mistyped.
func declinedTwiceThenAnotherCard(ctx context.Context, _ control.Side, rig Rig) error {
	first := only
	first.Card = bad
	for range 2 {
		ticket, err := rig.Buy(ctx, first)
		if err != nil {
			return err
		}
		if err := ends(ctx, ticket, Declined); err != nil {
			return err
		}
	}
	second := only
	second.Order = "order-2"
	ticket, err := rig.Buy(ctx, second)
	if err != nil {
		return err
	}
	return paid(ctx, ticket)
}

func declinePromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, _ := captures(books)
	declines, attempts := 0, 3
	for _, entry := range books.Captures {
		if entry.Status == "declined" {
			declines++
		}
	}
	c.count("captures", 1, captured)
	c.count("charges in our ledger", 1, charges(books))
	c.money(books, price, price, price)
	if side == control.Naive {
		c.count("declines in the provider's book", 5, declines)
		attempts = 7
	} else {
		c.count("declines in the provider's book", 1, declines)
		c.replays(books, 1)
	}
	c.count("requests on the API's wire", attempts, books.Owners[""].Wire.API)
	states := map[string]int{}
	for _, order := range books.Orders {
		states[order.State]++
	}
	c.count("orders declined", 1, states[Declined])
	c.count("orders paid", 1, states[Paid])
	return c.all
}
