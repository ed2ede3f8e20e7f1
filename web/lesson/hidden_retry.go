package lesson

import (
	"context"
	"time"

	"chargeonce/web/control"
)

// hiddenSecond is the customer whose connection dies; the one before her has
// left it open.
const hiddenSecond = "b"

// hiddenRetry: a loop counts what it does itself. What lies beneath it may do
// more.
func hiddenRetry() Lesson {
	return Lesson{
		ID: "hidden-retry", Title: "The retry that you did not write", Mistake: "library-retries",
		NaiveLabel: "NAIVE: the HTTP library sends again", SafeLabel: "SAFE: one attempt is one request",
		Lanes:    []control.Lane{control.LaneShop, control.LaneNetwork, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{control.Attempt, control.Started, control.Replay, control.Captured},
		Setup:    "Two customers, one after the other. The policy allows *1 attempt*: no retries at all.",
		Question: "How many requests went out for her?",
		Answers: []string{
			"One: the policy allows no more.",
			"None: the connection was dead.",
			"One or two: ask the HTTP library.",
			"Two: the loop repeats what is lost.",
		},
		Right:    3,
		Sentence: "Count attempts on the wire, not in your loop.",
		NotFixed: "Not fixed: the outcome *is still unknown*. The shop asks later, with the same key.",
		Shop:     ShopPolicy{Attempts: 1, Timeout: 8 * time.Second, Recheck: 10 * time.Minute},
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "trustLibrary"},
			{Side: control.Naive, Package: "web/naive", Func: "(*rewindable).RoundTrip"},
			{Side: control.Safe, Package: "retrypolicy", Func: "(*outgoing).request"},
		},
		Beats:    hiddenRetryBeats(),
		Script:   dieOnReusedConnection,
		Promises: hiddenRetryPromises,
	}
}

func hiddenRetryBeats() []Beat {
	first := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Status: 201}}
	sent := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Owner: hiddenSecond}}
	died := []Cue{{Lane: control.LaneNetwork, Kind: control.KindFault, Owner: hiddenSecond}}
	again := []Cue{{Kind: control.KindDecision, Outcome: control.Replay, Owner: hiddenSecond}}
	return []Beat{
		{Say: "The first customer pays. *NAIVE keeps the connection* for whoever is next.", Naive: first, Safe: first},
		{Say: "The second one: *attempt 1 of 1* leaves the shop.", Naive: sent, Safe: sent},
		{Say: "Her charge is made, and then *the connection dies before the answer.*", Naive: died, Safe: died},
		{Say: "You are the loop. You have made *one attempt of one*.", Question: true},
		{Say: "NAIVE: the HTTP library sees a key, and *sends the POST again by itself.*", Naive: again},
		{Say: "The key has made it a REPLAY. But *no loop, no limit, no log* knows of it.", Naive: []Cue{{End: true}}},
		{
			Say: "SAFE takes that freedom away: *one attempt, one request on the wire.*", Answer: true,
			Safe: []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Reset, Owner: hiddenSecond}},
		},
		{Say: "So the shop knows what it does not know, and says so: *do not pay again.*", Safe: []Cue{{End: true}}},
	}
}

// dieOnReusedConnection needs a first purchase, for a connection to be reused.
// What the second one is told is judged from the journal.
func dieOnReusedConnection(ctx context.Context, _ control.Side, rig Rig) error {
	ticket, err := rig.Buy(ctx, only)
	if err != nil {
		return err
	}
	if err := paid(ctx, ticket); err != nil {
		return err
	}
	fault := control.Fault{Boundary: "api", Owner: hiddenSecond, Kind: "lose-response", How: "raw", Attempts: 1}
	if err := rig.Arm(ctx, fault); err != nil {
		return err
	}
	second := only
	second.Owner = hiddenSecond
	if ticket, err = rig.Buy(ctx, second); err != nil {
		return err
	}
	_, err = ticket.Wait(ctx)
	return err
}

func hiddenRetryPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, keys := captures(books)
	states := map[string]int{}
	for _, order := range books.Orders {
		states[order.State]++
	}
	requests, open := 1, 1
	if side == control.Naive {
		requests, open = 2, 0
	}
	c.count("requests on the wire for the second customer", requests, books.Owners[hiddenSecond].Wire.API)
	c.count("requests on the wire for the first customer", 1, books.Owners[""].Wire.API)
	c.count("orders paid", 2-open, states[Paid])
	c.count("orders of an unknown outcome", open, states["open"])
	c.count("captures", 2, captured)
	c.count("keys at the card provider", 2, keys)
	c.count("charges in our ledger", 2, charges(books))
	c.money(books, 2*price, 2*price, 2*price)
	return c.all
}
