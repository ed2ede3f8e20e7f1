package lesson

import "chargeonce/web/control"

// halfCommit: a process dies between two writes of its own.
func halfCommit() Lesson {
	return Lesson{
		ID: "half-commit", Title: "Crash between charge and record", Mistake: "two-transactions",
		NaiveLabel: "NAIVE: charge and record in two transactions", SafeLabel: "SAFE: one transaction",
		Lanes: []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{
			control.Attempt, control.Killed, control.Started, control.Resumed, control.Replay, control.Captured,
		},
		Setup:    "One purchase of €50. The API is killed *in the midst of writing it down*.",
		Question: "What does the server find after the restart?",
		Answers: []string{
			"The charge, and the answer that goes with it.",
			"Nothing: both are lost.",
			"It depends: what was committed by then.",
			"The answer without the charge.",
		},
		Right:    3,
		Sentence: "Commit together what you own; what you call needs a key of its own.",
		NotFixed: "Not fixed: *no transaction spans us and the card provider*. There the provider's key helps.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*thenRecord).Charge"},
			{Side: control.Naive, Package: "web/naive", Func: "(*halfTx).SwapKey"},
			{Side: control.Safe, Package: "ledger", Func: "settle"},
			{Side: control.Safe, Package: "ledger", Func: "(*attempt).settle"},
		},
		Beats:    halfCommitBeats(),
		Script:   killedAt("committed"), // the first commit after the provider's answer has returned
		Promises: halfCommitPromises,
	}
}

func halfCommitBeats() []Beat {
	captured := []Cue{{Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Captured}}
	// Which of the two is seen first is the operating system's choice.
	dead := []Cue{
		{Kind: control.KindProcess, Outcome: control.Killed},
		{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Reset},
	}
	back := []Cue{{Kind: control.KindProcess, Outcome: control.Ready, Past: control.Killed}}
	return []Beat{
		{
			Say:   "The card is charged. *Two things are to be written down:* the charge, and the answer.",
			Naive: captured, Safe: captured,
		},
		{Say: "One commit returns, then *kill -9.* No answer has left the API.", Naive: dead, Safe: dead},
		{Say: "The API is back on the same data. The retry comes with *the same key*.", Naive: back, Safe: back, Question: true},
		{
			Say:   "NAIVE's one commit was *the charge*. Under the key it finds work in progress, and waits.",
			Naive: []Cue{{Kind: control.KindDecision, Outcome: control.Resumed}},
		},
		{
			Say:   "It does that work: the provider knows its key, *our books do not.* They say €100.",
			Naive: []Cue{{End: true}},
		},
		{
			Say: "SAFE's one commit was *charge, postings and answer*. Under the key stands the answer.", Answer: true,
			Safe: []Cue{{Kind: control.KindDecision, Outcome: control.Replay}},
		},
		{Say: "So the retry gets a *REPLAY*: one charge, booked once.", Safe: []Cue{{End: true}}},
	}
}

func halfCommitPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, keys := captures(books)
	c.count("captures", 1, captured)
	c.count("keys at the card provider", 1, keys)
	if side == control.Naive {
		c.count("lines for it in our ledger", 2, charges(books))
		c.record(books, 2)
		c.money(books, price, 2*price, price)
		return c.all
	}
	c.count("lines for it in our ledger", 1, charges(books))
	c.sameCharge(books)
	c.record(books, 1)
	c.replays(books, 1)
	c.money(books, price, price, price)
	return c.all
}
