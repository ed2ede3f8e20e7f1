package lesson

import (
	"context"

	"chargeonce/web/control"
)

// zombie: a worker that was taken for dead was only slow, and comes back.
func zombie() Lesson {
	return Lesson{
		ID: "zombie", Title: "The worker that came back", Mistake: "no-fence",
		NaiveLabel: "NAIVE: a lease without a fence", SafeLabel: "SAFE: lease and fence",
		Lanes: []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{
			control.Attempt, control.Silence, control.Started, control.Resumed, control.Fenced, control.Captured,
		},
		Setup:    "One purchase of €50. The worker on it will *freeze* for longer than its lease.",
		Question: "Whose result counts?",
		Answers: []string{
			"The first worker's: it was first.",
			"The second worker's: it holds the claim.",
			"Whoever writes last.",
			"Both: each did its work.",
		},
		Right:    2,
		Sentence: "A lease without a fence is a hope.",
		NotFixed: "Not fixed: what a zombie does *outside our books*. There the provider's key must hold.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*unfencedTx).SwapKey"},
			{Side: control.Safe, Package: "idem", Func: "Swappable"},
			{Side: control.Safe, Package: "ledger", Func: "settle"},
		},
		Beats:    zombieBeats(),
		Script:   freezeFirstWorker,
		Promises: zombiePromises,
	}
}

func zombieBeats() []Beat {
	frozen := []Cue{
		{Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Captured},
		{Kind: control.KindGate, Outcome: control.Held},
	}
	asked := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Attempt: 2}}
	paid := []Cue{
		{Kind: control.KindCommit, Status: statusBooked},
		{Lane: control.LaneShop, Kind: control.KindResponse, Status: statusBooked},
	}
	return []Beat{
		{Say: "The card is charged, and here the worker *freezes*, its heartbeat too.", Naive: frozen, Safe: frozen},
		{Say: "The shop hears nothing for two seconds and *asks again, same key.*", Naive: asked, Safe: asked},
		{Say: "The lease is over: *a second worker takes over* and finishes. The order is paid.", Naive: paid, Safe: paid},
		{Say: "Now the first worker *thaws*, and wants to write its result. It knows nothing of all this.", Question: true},
		{
			Say:   "NAIVE lets it: the stored answer is *overwritten*, and the charge *booked again.*",
			Naive: []Cue{{Kind: control.KindCommit, Status: statusBooked, N: 2}},
		},
		{Say: "The card was charged once: €50. *Our books say €100.*", Naive: []Cue{{End: true}}},
		{
			Say: "SAFE compares the fences. It writes under 1, the key is at 2: *FENCED OFF.*", Answer: true,
			Safe: []Cue{{Kind: control.KindDecision, Outcome: control.Fenced}},
		},
		{Say: "The zombie drops its work and *reads the answer that counts*: one booking.", Safe: []Cue{{End: true}}},
	}
}

// freezeFirstWorker stops the first attempt where the provider has answered,
// heartbeat included, until another one has finished; then it lets it go on to
// its end.
func freezeFirstWorker(ctx context.Context, _ control.Side, rig Rig) error {
	ticket, hold, err := buyHeld(ctx, rig, control.Gate{Gate: "provider-called", Freeze: true})
	if err != nil {
		return err
	}
	if err := paid(ctx, ticket); err != nil {
		return err
	}
	if err := rig.Release(ctx, hold, Deliver, 0); err != nil {
		return err
	}
	_, err = rig.Await(ctx, Cue{Lane: control.LaneAPI, Kind: control.KindResponse, Attempt: 1}) // to nobody
	return err
}

func zombiePromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, keys := captures(books)
	c.count("captures", 1, captured)
	c.count("keys at the card provider", 1, keys)
	c.record(books, 2)
	if side == control.Naive {
		c.count("lines for it in our ledger", 2, charges(books))
		c.money(books, price, 2*price, price)
		return c.all
	}
	c.count("lines for it in our ledger", 1, charges(books))
	c.sameCharge(books)
	c.money(books, price, price, price)
	return c.all
}
