package lesson

import "chargeonce/web/control"

// killLease: the process dies at the worst moment, after the card was charged
// and before anybody wrote that down.
func killLease() Lesson {
	return Lesson{
		ID: "kill-lease", Title: "kill -9 in mid-charge", Mistake: "restart-forgets",
		NaiveLabel: "NAIVE: claims deleted on restart, fresh provider key",
		SafeLabel:  "SAFE: lease, fence, one provider key",
		Lanes:      []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{
			control.Attempt, control.Killed, control.Started, control.Busy, control.Resumed, control.Captured,
		},
		Setup:    "One purchase of €50. The API is killed *after the charge, before the record*.",
		Question: "Who may continue, and when?",
		Answers: []string{
			"The next attempt, at once: the first one is dead.",
			"Nobody: the key is taken for ever.",
			"The next attempt, once the lease has ended.",
			"The restarted API, as soon as it is up.",
		},
		Right:    3,
		Sentence: "A lease says when to resume; the provider's key makes resuming safe.",
		NotFixed: "Not fixed: a provider that *honours no keys*, or forgets them sooner than we resume.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*forgetfulTx).InsertKey"},
			{Side: control.Naive, Package: "web/naive", Func: "(*forgetfulTx).leftover"},
			{Side: control.Safe, Package: "idem", Func: "decideOpen"},
			{Side: control.Safe, Package: "ledger", Func: "(*attempt).askProvider"},
		},
		Beats: killLeaseBeats(),
		// The provider has answered by then, and commit 2 has not begun.
		Script:   killedAt("provider-called"),
		Promises: killLeasePromises,
	}
}

// There is no curtain here: the client's view, a dead connection, is one mark,
// and the guess is about what the class has seen behind it.
func killLeaseBeats() []Beat {
	captured := []Cue{
		{Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Captured},
		{Kind: control.KindGate, Outcome: control.Held}, // the API has heard of it, and stands still
	}
	// Which of the two is seen first is the operating system's choice.
	dead := []Cue{
		{Kind: control.KindProcess, Outcome: control.Killed},
		{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Reset},
	}
	back := []Cue{{Kind: control.KindProcess, Outcome: control.Ready, Past: control.Killed}}
	return []Beat{
		{Say: "The claim is written and *the card is charged.* Nothing else is recorded yet.", Naive: captured, Safe: captured},
		{Say: "*kill -9.* The API is dead. All that the shop sees is a dead connection.", Naive: dead, Safe: dead},
		{Say: "The API is back on the same data: a claim in progress, *and its worker is dead.*", Naive: back, Safe: back},
		{Say: "Now attempt after attempt arrives with *the same key*.", Question: true},
		{
			Say:   "NAIVE deleted the claim at its restart: the retry *STARTS again* at once.",
			Naive: []Cue{{Kind: control.KindDecision, Outcome: control.Started, N: 2}},
		},
		{
			Say:   "The provider gets a fresh key, so *the card is charged again: €100.*",
			Naive: []Cue{{End: true}},
		},
		{
			Say: "SAFE kept the claim: *BUSY until the dead worker's lease ends.*", Answer: true,
			Safe: []Cue{{Kind: control.KindDecision, Outcome: control.Busy}},
		},
		{
			Say:  "The lease is over: the retry *RESUMES the same charge.*",
			Safe: []Cue{{Kind: control.KindDecision, Outcome: control.Resumed}},
		},
		{Say: "It asks the provider by key first: *captured already.* One charge.", Safe: []Cue{{End: true}}},
	}
}

func killLeasePromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, keys := captures(books)
	c.count("charges in our ledger", 1, charges(books))
	c.sameCharge(books)
	if side == control.Naive {
		c.count("captures", 2, captured)
		c.count("keys at the card provider", 2, keys)
		c.money(books, price, price, 2*price)
		return c.all
	}
	c.count("captures", 1, captured)
	// One to capture and one to ask; an answer that is late makes one more.
	c.atLeast("requests on the provider's wire", 2, books.Owners[""].Wire.Provider)
	c.record(books, 2)
	c.money(books, price, price, price)
	return c.all
}
