package lesson

import (
	"context"
	"time"

	"chargeonce/web/control"
)

// noLease: a process dies with a claim in its hands.
func noLease() Lesson {
	return Lesson{
		ID: "no-lease", Title: "Stuck", Mistake: "no-lease",
		NaiveLabel: "NAIVE: in progress, without a lease", SafeLabel: "SAFE: a claim with a lease",
		Lanes: []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{
			control.Attempt, control.Killed, control.Started, control.Busy, control.Resumed, control.Captured,
		},
		Setup:    "One purchase of €50. The API is killed *after the claim, before the charge*.",
		Question: "When will the customer be able to pay?",
		Answers: []string{
			"At once: the worker is dead.",
			"When the API is back.",
			"When the claim ends, if it can end.",
			"When the customer has waited long enough.",
		},
		Right:    3,
		Sentence: "In progress needs a lease, or a crash blocks the customer.",
		NotFixed: "Not fixed: a lease that is *shorter than the work*. Heartbeat and fence are for that.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*endlessTx).InsertKey"},
			{Side: control.Safe, Package: "idem", Func: "decideOpen"},
			{Side: control.Safe, Package: "ledger", Func: "(*attempt).keepAlive"},
		},
		// Three busy attempts of one click outlast the lease of 3 s, since each
		// waits a second for the holder and another one by Retry-After.
		Shop:     ShopPolicy{Attempts: 3, Timeout: 4 * time.Second},
		Beats:    noLeaseBeats(),
		Script:   killAfterClaim,
		Promises: noLeasePromises,
	}
}

func noLeaseBeats() []Beat {
	claimed := []Cue{{Kind: control.KindGate, Outcome: control.Held}}
	// Which of the two is seen first is the operating system's choice.
	dead := []Cue{
		{Kind: control.KindProcess, Outcome: control.Killed},
		{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Reset},
	}
	again := []Cue{
		{Kind: control.KindProcess, Outcome: control.Ready, Past: control.Killed},
		{Lane: control.LaneShop, Kind: control.KindRequest, Attempt: 1, N: 2},
	}
	return []Beat{
		{Say: "The claim is written: *in progress.* The card has not been charged yet.", Naive: claimed, Safe: claimed},
		{Say: "*kill -9.* The API is dead, and all that the shop sees is a dead connection.", Naive: dead, Safe: dead},
		{Say: "The API is back on the same data. *The customer clicks Pay again: same key.*", Naive: again, Safe: again},
		{Say: "The record says: in progress. *Its worker is dead.*", Question: true},
		{
			Say:   "NAIVE believes the record: *BUSY*, attempt after attempt.",
			Naive: []Cue{{Kind: control.KindDecision, Outcome: control.Busy, N: 3}},
		},
		{Say: "The shop has used up its attempts. *Nobody was charged, and nobody can pay.*", Naive: []Cue{{End: true}}},
		{
			Say: "SAFE says BUSY too, but *its claim has a lease* of three seconds.", Answer: true,
			Safe: []Cue{{Kind: control.KindDecision, Outcome: control.Busy}},
		},
		{
			Say:  "The lease is over: the next attempt *RESUMES* the same charge.",
			Safe: []Cue{{Kind: control.KindDecision, Outcome: control.Resumed}},
		},
		{Say: "The provider has never heard of it, so the API may send it: *one charge.*", Safe: []Cue{{End: true}}},
	}
}

// killAfterClaim kills the process that has claimed the key and done nothing
// else. The second click comes when the next one is there, so that all its
// attempts meet a living API.
func killAfterClaim(ctx context.Context, _ control.Side, rig Rig) error {
	first, hold, err := buyHeld(ctx, rig, control.Gate{Gate: "claimed"})
	if err != nil {
		return err
	}
	if err := rig.Release(ctx, hold, Kill, 0); err != nil {
		return err
	}
	if _, err := rig.Await(ctx, Cue{Kind: control.KindProcess, Outcome: control.Ready, Past: control.Killed}); err != nil {
		return err
	}
	second, err := rig.Buy(ctx, only)
	if err != nil {
		return err
	}
	for _, click := range []Ticket{first, second} { // whatever they come to
		if _, err := click.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

func noLeasePromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, _ := captures(books)
	if side == control.Naive {
		c.equal("the order is", "open", stateOf(books))
		c.count("captures", 0, captured)
		c.stuck(books, "claimed")
		c.money(books, price, 0, 0)
		return c.all
	}
	c.equal("the order is", Paid, stateOf(books))
	c.count("captures", 1, captured)
	c.count("charges in our ledger", 1, charges(books))
	c.sameCharge(books)
	c.record(books, 2)
	c.money(books, price, price, price)
	return c.all
}
