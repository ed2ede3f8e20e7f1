package lesson

import (
	"context"
	"net/http"

	"chargeonce/web/control"
)

// frozenFailure: something is out of order for a moment, and remembered for
// ever.
func frozenFailure() Lesson {
	return Lesson{
		ID: "frozen-failure", Title: "The failure that was kept", Mistake: "stores-failures",
		NaiveLabel: "NAIVE: stores failures like answers", SafeLabel: "SAFE: stores answers only",
		Lanes: []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{
			control.Attempt, control.Unknown, control.Started, control.Resumed, control.Replay, control.Captured,
		},
		Setup:    "One purchase of €50. The card provider is *out for a moment* during attempt 1.",
		Question: "What does attempt 2 get?",
		Answers: []string{
			"The same 503 again.",
			"A fresh start: another charge.",
			"The charge that attempt 1 asked for.",
			"409: the key is used up.",
		},
		Right:    3,
		Sentence: "Store answers, not accidents.",
		NotFixed: "Some APIs *do store 500s*. There, settle the old outcome first, then take a new key.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*failureKeeper).keep"},
			{Side: control.Safe, Package: "ledger", Func: "(*attempt).giveUp"},
			{Side: control.Safe, Package: "ledger", Func: "setBack"},
			{Side: control.Safe, Package: "idem", Func: "Release"},
		},
		Shop:     ShopPolicy{Attempts: frozenAttempts},
		Beats:    frozenFailureBeats(),
		Script:   failOnce,
		Promises: frozenFailurePromises,
	}
}

const (
	frozenAttempts   = 4 // of the shop: enough to see that nothing changes any more
	providerAttempts = 2 // of one call of the card provider in a rig: attempt 1 uses them up
)

func frozenFailureBeats() []Beat {
	refused := []Cue{{Lane: control.LaneProvider, Kind: control.KindFault, Status: http.StatusServiceUnavailable, N: providerAttempts}}
	told := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Status: http.StatusServiceUnavailable}}
	asked := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Attempt: 2}}
	return []Beat{
		{Say: "The API asks the card provider, twice: *503, and 503 again.*", Naive: refused, Safe: refused},
		{Say: "Nobody knows whether the card was charged. *So the API says 503, too.*", Naive: told, Safe: told},
		{
			Say:   "A moment later the provider is back. *Attempt 2 comes, with the same key.*",
			Naive: asked, Safe: asked, Question: true,
		},
		{
			Say:   "NAIVE has stored its 503 as *the answer of this key*. Attempt 2 gets a REPLAY of it.",
			Naive: []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Replay}},
		},
		{Say: "And so does every attempt from now on: *this key can never pay.*", Naive: []Cue{{End: true}}},
		{
			Say: "SAFE has stored no answer, since there was none: *attempt 2 RESUMES.*", Answer: true,
			Safe: []Cue{{Kind: control.KindDecision, Outcome: control.Resumed}},
		},
		{
			Say:  "It asks the provider by key: nothing there. So it captures, *once*.",
			Safe: []Cue{{Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Captured}},
		},
		{Say: "Now there is an answer, and *that* is stored: 201.", Safe: []Cue{{End: true}}},
	}
}

// failOnce lets a proxy before the card provider refuse all calls of attempt 1.
// What the click comes to is for the books to say.
func failOnce(ctx context.Context, _ control.Side, rig Rig) error {
	out := control.Fault{
		Boundary: "provider", Kind: "status", Status: http.StatusServiceUnavailable, Attempts: providerAttempts,
	}
	if err := rig.Arm(ctx, out); err != nil {
		return err
	}
	ticket, err := rig.Buy(ctx, only)
	if err != nil {
		return err
	}
	_, err = ticket.Wait(ctx)
	return err
}

func frozenFailurePromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, _ := captures(books)
	if side == control.Naive {
		c.equal("the order is", "open", stateOf(books))
		c.count("captures", 0, captured)
		c.count("requests on the API's wire", frozenAttempts, books.Owners[""].Wire.API)
		c.equal("the key's answer is", "503", answerOf(books))
		c.replays(books, frozenAttempts-1)
		c.money(books, price, 0, 0)
		return c.all
	}
	c.equal("the order is", Paid, stateOf(books))
	c.count("captures", 1, captured)
	c.count("charges in our ledger", 1, charges(books))
	c.sameCharge(books)
	c.equal("the key's answer is", "201", answerOf(books))
	c.record(books, 2)
	c.money(books, price, price, price)
	return c.all
}
