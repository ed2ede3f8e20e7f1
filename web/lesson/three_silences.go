package lesson

import (
	"context"

	"chargeonce/web/control"
)

// The three customers of three-silences, by what becomes of attempt 1.
const (
	requestLost  = "a"
	providerSlow = "b"
	answerLost   = "c"
)

var silenced = []string{requestLost, providerSlow, answerLost}

// threeSilences: one and the same silence, behind which three different things
// have happened.
func threeSilences() Lesson {
	return Lesson{
		ID: "three-silences", Title: "Three silences", Mistake: "no-key",
		NaiveLabel: "NAIVE: no key", SafeLabel: "SAFE: one key per purchase",
		Lanes: []control.Lane{control.LaneShop, control.LaneNetwork, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{
			control.Attempt, control.Silence, control.Started, control.Busy, control.Replay, control.Captured,
		},
		Setup:    "Three customers, A, B and C, buy for €50 each, *on both systems.*",
		Question: "Which one was charged?",
		Answers:  []string{"None of them.", "All three.", "Only the last one.", "The shop cannot know."},
		Right:    4,
		Sentence: "A timeout proves only that you stopped waiting.",
		NotFixed: "Not fixed: *how long to wait.* No timeout is right; a key makes a wrong one harmless.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*keyDropper).RoundTrip"},
			{Side: control.Naive, Package: "web/naive", Func: "ignoreKey"},
			{Side: control.Safe, Package: "web/shop", Func: "chargeRequest"},
			{Side: control.Safe, Package: "idem", Func: "decide"},
		},
		Beats:    threeSilencesBeats(),
		Script:   loseThreeTimes,
		Promises: threeSilencesPromises,
	}
}

// Each customer is told for himself, as three at once would lie over each
// other. Up to the guess the page shows the shop's seat alone, where the three
// cannot be told apart.
func threeSilencesBeats() []Beat {
	silent := func(owner string) []Cue {
		return []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Silence, Owner: owner}}
	}
	a, b, c := silent(requestLost), silent(providerSlow), silent(answerLost)
	end := func(owner string) []Cue { return []Cue{{Owner: owner, End: true}} }
	return []Beat{
		{Say: "Customer A: a request leaves the shop. Two seconds later: *silence.*", Naive: a, Safe: a, Owner: requestLost, Curtain: true},
		{Say: "Customer B: *the same silence.*", Naive: b, Safe: b, Owner: providerSlow, Curtain: true},
		{Say: "Customer C: *and again*, each like the others.", Naive: c, Safe: c, Owner: answerLost, Curtain: true},
		{Say: "You are the shop. A, B and C are waiting at the till.", Question: true, Owner: answerLost, Curtain: true},
		{Say: "The curtain goes up. *A's request was lost.*", Answer: true, Owner: requestLost},
		{Say: "*B's provider is slow*: attempt 1 is still at work.", Owner: providerSlow},
		{Say: "*C's answer was lost*: the card is charged.", Owner: answerLost},
		{Say: "NAIVE, customer A: nobody had seen attempt 1. *Attempt 2 charges, once.*", Naive: end(requestLost), Owner: requestLost},
		{Say: "NAIVE, customer B: *attempt 2 charges beside attempt 1.*", Naive: end(providerSlow), Owner: providerSlow},
		{Say: "NAIVE, customer C: charged already, *and now again. In all: €250 for €150.*", Naive: end(answerLost), Owner: answerLost},
		{Say: "SAFE, customer A: the key is new to the API: *STARTED, one charge.*", Safe: end(requestLost), Owner: requestLost},
		{Say: "SAFE, customer B: the key is at work: *BUSY*, so it waits, and gets a *REPLAY.*", Safe: end(providerSlow), Owner: providerSlow},
		{Say: "SAFE, customer C: the key is done: *REPLAY. One charge each, whatever happened.*", Safe: end(answerLost), Owner: answerLost},
	}
}

// loseThreeTimes lets attempt 1 of each customer end in silence for another
// reason. B's first request stands at the provider until the second one has
// been decided, and both end before the books are read.
func loseThreeTimes(ctx context.Context, _ control.Side, rig Rig) error {
	for owner, kind := range map[string]string{requestLost: "lose-request", answerLost: "lose-response"} {
		if err := rig.Arm(ctx, control.Fault{Boundary: "api", Owner: owner, Kind: kind, How: "silent", Attempts: 1}); err != nil {
			return err
		}
	}
	if err := rig.Gate(ctx, control.Gate{Gate: "provider-called", Owner: providerSlow, Count: 1}); err != nil {
		return err
	}
	tickets, err := buyInTurn(ctx, rig, silenced)
	if err != nil {
		return err
	}
	if err := outrunTheProvider(ctx, rig); err != nil {
		return err
	}
	for _, ticket := range tickets {
		if err := paid(ctx, ticket); err != nil {
			return err
		}
	}
	return nil
}

// buyInTurn clicks for one customer after the other. Each click waits until the
// one before has left, so that A, B and C are drawn in this order.
func buyInTurn(ctx context.Context, rig Rig, owners []string) ([]Ticket, error) {
	var tickets []Ticket
	for _, owner := range owners {
		ticket, err := rig.Buy(ctx, Purchase{Order: "order-1", Owner: owner, Amount: price, Currency: euro, Card: visa})
		if err != nil {
			return nil, err
		}
		tickets = append(tickets, ticket)
		sent := Cue{Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt, Owner: owner}
		if _, err := rig.Await(ctx, sent); err != nil {
			return nil, err
		}
	}
	return tickets, nil
}

// outrunTheProvider holds B's attempt 1 until its attempt 2 has been decided,
// and waits until the work of attempt 1 is booked: on the naive side attempt 2
// has its own answer long before.
func outrunTheProvider(ctx context.Context, rig Rig) error {
	hold, err := rig.Held(ctx, providerSlow)
	if err != nil {
		return err
	}
	if _, err := rig.Await(ctx, Cue{Lane: control.LaneAPI, Kind: control.KindDecision, Owner: providerSlow, Attempt: 2}); err != nil {
		return err
	}
	if err := rig.Release(ctx, hold, Deliver, 0); err != nil {
		return err
	}
	_, err = rig.Await(ctx, Cue{Lane: control.LaneAPI, Kind: control.KindCommit, Status: statusBooked, Owner: providerSlow, Attempt: 1})
	return err
}

// threeSilencesPromises begins with what the customers' sides of the wire look
// like: two requests each, whatever happened behind them.
func threeSilencesPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	c.equal("requests of A, B, C on the API's wire", "2 2 2", of(books, silenced, func(b control.OwnerBooks) int { return b.Wire.API }))
	captured := of(books, silenced, func(b control.OwnerBooks) int { return b.Captures })
	booked := of(books, silenced, func(b control.OwnerBooks) int { return b.Charges })
	if side == control.Naive {
		c.equal("captures of A, B, C", "1 2 2", captured)
		c.equal("charges of A, B, C in our ledger", "1 2 2", booked)
		c.money(books, 3*price, 5*price, 5*price)
		return c.all
	}
	c.equal("captures of A, B, C", "1 1 1", captured)
	c.equal("charges of A, B, C in our ledger", "1 1 1", booked)
	c.done(books, len(silenced))
	c.replays(books, 2) // of B's and of C's answer
	c.money(books, 3*price, 3*price, 3*price)
	return c.all
}
