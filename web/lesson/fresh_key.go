package lesson

import "chargeonce/web/control"

// freshKey: the same right server on both sides. What differs is when the
// client mints its key.
func freshKey() Lesson {
	return Lesson{
		ID: "fresh-key", Title: "A fresh key per attempt", Mistake: "fresh-key",
		NaiveLabel: "NAIVE: a fresh key per attempt", SafeLabel: "SAFE: one key per purchase",
		Lanes:    []control.Lane{control.LaneShop, control.LaneNetwork, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{control.Attempt, control.Silence, control.Started, control.Replay, control.Captured},
		Setup:    "Both servers honour keys, *and both shops send one.* We will lose one answer.",
		Question: "The server is correct. How many charges?",
		Answers:  []string{"One: that is what the server is for.", "As many as attempts.", "As many as keys.", "None: the answer was lost."},
		Right:    3,
		Sentence: "One key per intent, not per attempt.",
		NotFixed: "Not fixed: a client that *forgets its key* between two attempts, in a crash.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "keyOfAttempt"},
			{Side: control.Naive, Package: "web/naive", Func: "(*keySender).RoundTrip"},
			{Side: control.Safe, Package: "web/shop", Func: "chargeRequest"},
			{Side: control.Safe, Package: "web/shop", Func: "(journal).place"},
		},
		Beats:    freshKeyBeats(),
		Script:   loseFirstAnswer,
		Promises: freshKeyPromises,
	}
}

// There is no curtain: the server is seen to do everything right, and the
// guess is about what that is worth.
func freshKeyBeats() []Beat {
	booked := []Cue{{Lane: control.LaneAPI, Kind: control.KindCommit, Status: statusBooked}}
	silence := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Silence}}
	second := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Attempt: 2}}
	return []Beat{
		{Say: "Attempt 1 carries a key. The server charges and *stores its answer under that key.*", Naive: booked, Safe: booked},
		{Say: "The answer is lost. To both shops it is *silence*, so both will try again.", Naive: silence, Safe: silence},
		{Say: "Attempt 2 is about to leave, and it will *carry a key, too.*", Question: true},
		{Say: "NAIVE mints its key inside the retry loop: *attempt 2 carries another one.*", Naive: second},
		{
			Say:   "A key that the server has never seen is a new purchase. *It is right to start.*",
			Naive: []Cue{{Kind: control.KindDecision, Outcome: control.Started, N: 2}},
		},
		{Say: "Two keys, two charges: *€100 for one purchase of €50.* No server can help.", Naive: []Cue{{End: true}}, Answer: true},
		{Say: "SAFE wrote its key down before attempt 1: *attempt 2 carries the same.*", Safe: second},
		{Say: "One key, *one charge, and a REPLAY* of the answer that was lost.", Safe: []Cue{{End: true}}},
	}
}

// freshKeyPromises: the naive server's records show that it did what it should
// with each key that it was given.
func freshKeyPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, keys := captures(books)
	c.count("requests on the API's wire", 2, books.Owners[""].Wire.API)
	if side == control.Naive {
		c.done(books, 2)
		c.count("captures", 2, captured)
		c.count("keys at the card provider", 2, keys)
		c.count("charges in our ledger", 2, charges(books))
		c.money(books, price, 2*price, 2*price)
		return c.all
	}
	c.done(books, 1)
	c.replays(books, 1)
	c.count("captures", 1, captured)
	c.count("charges in our ledger", 1, charges(books))
	c.sameCharge(books)
	c.money(books, price, price, price)
	return c.all
}
