package lesson

import (
	"context"
	"strconv"

	"chargeonce/web/control"
)

// preferWait is the longest that the fourth caller waits, in seconds: longer
// than any run, so that it is the answer that ends the waiting.
const preferWait = "wait=10"

// fourAnswers: what a key can answer to a second request while the first is at
// work, and after.
func fourAnswers() Lesson {
	return Lesson{
		ID: "four-answers", Title: "Four answers", Mistake: "look-then-insert",
		NaiveLabel: "NAIVE: no in-progress state", SafeLabel: "SAFE: a claim before the charge",
		Lanes: []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{
			control.Started, control.Busy, control.Conflict, control.Replay, control.Captured,
		},
		Setup:    "One purchase of €50. *While it is at work, the same key comes again.*",
		Question: "What should the second caller get?",
		Answers: []string{
			"A charge of its own.",
			"201, as if all were done.",
			"409, busy: come back later.",
			"404: there is no charge yet.",
		},
		Right:    3,
		Sentence: "A live claim gives one of four answers; expiry and resuming come later.",
		NotFixed: "Not fixed: *a worker that dies while it holds the claim.* That needs a lease.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*lookFirst).Charge"},
			{Side: control.Safe, Package: "idem", Func: "decide"},
			{Side: control.Safe, Package: "ledger", Func: "(*Ledger).waitFor"},
		},
		Patient:  true,
		Beats:    fourAnswersBeats(),
		Script:   askFourTimes,
		Promises: fourAnswersPromises,
	}
}

func fourAnswersBeats() []Beat {
	held := []Cue{{Kind: control.KindGate, Outcome: control.Held}}
	answered := func(outcome control.Outcome) []Cue {
		return []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: outcome}}
	}
	return []Beat{
		{Say: "Request 1 charges the card. *It is still at work*: nothing is answered yet.", Naive: held, Safe: held},
		{Say: "A second request arrives: *the same key, the same body.*", Question: true},
		{
			Say:   "NAIVE looks for an answer, finds none, *and STARTS a second charge.*",
			Naive: []Cue{{Kind: control.KindDecision, Outcome: control.Started, N: 2}},
		},
		{Say: "€100 for €50. *Only an answer can be found; work in progress cannot be seen.*", Naive: []Cue{{End: true}}},
		{Say: "SAFE finds the claim: *BUSY, with a Retry-After.* Nothing runs twice.", Safe: answered(control.Busy), Answer: true},
		{Say: "The same key with another amount: *409 CONFLICT.* Waiting would not help.", Safe: answered(control.Conflict)},
		{Say: "A caller that prefers to wait is answered *the moment there is an answer: REPLAY.*", Safe: answered(control.Replay)},
		{Say: "Whoever comes later gets *the same 201.* STARTED, BUSY, CONFLICT, REPLAY.", Safe: []Cue{{End: true}}},
	}
}

// askFourTimes holds a purchase at the provider and sends its key again: with
// its body, with another, and with its body by somebody who would rather wait.
// When the purchase is done, its body comes once more.
func askFourTimes(ctx context.Context, _ control.Side, rig Rig) error {
	ticket, hold, err := buyAndHold(ctx, rig)
	if err != nil {
		return err
	}
	same, err := requestOf(ctx, rig, only)
	if err != nil {
		return err
	}
	other := same.with("amount", strconv.Itoa(otherPrice))
	for _, request := range []Request{same, other} {
		if _, err := answered(ctx, rig, request); err != nil {
			return err
		}
	}
	waiting := same
	waiting.Prefer = preferWait
	done := make(chan error, 1)
	go func() {
		_, err := answered(ctx, rig, waiting)
		done <- err
	}()
	// Of the purchase, of both requests before, and now of the one that waits.
	if _, err := rig.Await(ctx, Cue{Lane: control.LaneAPI, Kind: control.KindDecision, N: 4}); err != nil {
		return err
	}
	if err := rig.Release(ctx, hold, Deliver, 0); err != nil {
		return err
	}
	if err := <-done; err != nil {
		return err
	}
	if err := paid(ctx, ticket); err != nil {
		return err
	}
	_, err = answered(ctx, rig, same)
	return err
}

// buyAndHold buys and stops the purchase where the provider has answered.
func buyAndHold(ctx context.Context, rig Rig) (Ticket, control.Hold, error) {
	if err := rig.Gate(ctx, control.Gate{Gate: "provider-called", Count: 1}); err != nil {
		return Ticket{}, control.Hold{}, err
	}
	ticket, err := rig.Buy(ctx, only)
	if err != nil {
		return Ticket{}, control.Hold{}, err
	}
	hold, err := rig.Held(ctx, only.Owner)
	return ticket, hold, err
}

func fourAnswersPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, _ := captures(books)
	c.count("requests on the API's wire", 5, books.Owners[""].Wire.API)
	if side == control.Naive {
		c.count("captures", 2, captured)
		c.count("charges in our ledger", 2, charges(books))
		c.money(books, price, 2*price, 2*price)
		return c.all
	}
	c.count("captures", 1, captured)
	c.count("charges in our ledger", 1, charges(books))
	c.sameCharge(books)
	c.done(books, 1)
	c.replays(books, 2) // to the caller that waited, and to the last
	c.money(books, price, price, price)
	return c.all
}
