package lesson

import (
	"context"
	"time"

	"chargeonce/web/control"
)

// How far the retention clock is moved on before each late duplicate.
const (
	pastRetention = 25 * time.Hour      // the safe side keeps an answer for a day,
	pastTombstone = 31 * 24 * time.Hour // and what is left of its key for a month
)

// expiredKey: a request comes again when nobody thinks of it any more.
func expiredKey() Lesson {
	return Lesson{
		ID: "expired-key", Title: "The expired key", Mistake: "short-retention",
		NaiveLabel: "NAIVE: keys are kept for ten minutes", SafeLabel: "SAFE: a day, and a tombstone",
		Lanes: []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{
			control.Attempt, control.Started, control.ResultExpired, control.Captured,
		},
		Setup:    "One purchase of €50. *The same request comes again, a day later*, and once more.",
		Question: "How long must a key live?",
		Answers: []string{
			"Until the first answer is out.",
			"Ten minutes: nobody waits longer at a till.",
			"Longer than anybody may still send it.",
			"It depends on the card.",
		},
		Right:    3,
		Sentence: "A key protects only as long as it is remembered.",
		NotFixed: "Start-up *refuses* a retention below the retry window. What comes later, it cannot know.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*forgetsEarly).forget"},
			{Side: control.Safe, Package: "idem", Func: "decide"},
			{Side: control.Safe, Package: "idem", Func: "(Terms).Validate"},
		},
		Beats:    expiredKeyBeats(),
		Script:   comeLate,
		Promises: expiredKeyPromises,
	}
}

func expiredKeyBeats() []Beat {
	paid := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Status: statusBooked}}
	late := []Cue{
		{Kind: control.KindClock},
		{Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt, N: 2},
	}
	third := []Cue{
		{Kind: control.KindClock, N: 2},
		{Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt, N: 3},
	}
	return []Beat{
		{Say: "One purchase: *paid, answered, done.*", Naive: paid, Safe: paid},
		{Say: "*25 hours later* a queue delivers the same request once more, key and all.", Naive: late, Safe: late},
		{Say: "Now all depends on *what the API still knows*.", Question: true},
		{
			Say:   "NAIVE has deleted the key. *To it, this is a new purchase*: €100 for one.",
			Naive: []Cue{{Kind: control.KindCommit, Status: statusBooked, N: 2}},
		},
		{
			Say: "SAFE has dropped the answer, but not the key: *EXPIRED.* Nothing runs.", Answer: true,
			Safe: []Cue{{Kind: control.KindDecision, Outcome: control.ResultExpired}},
		},
		{
			Say:   "*A month later* it comes a third time. Now even the tombstone is over.",
			Naive: third, Safe: third,
		},
		{Say: "NAIVE charges a third time: *€150.*", Naive: []Cue{{End: true}}},
		{Say: "And *SAFE charges again too*. Nothing is left that could tell it better.", Safe: []Cue{{End: true}}},
	}
}

// comeLate buys once and lets the same request come twice more, each time when
// more of it is forgotten. What the late ones come to is for the books to say.
func comeLate(ctx context.Context, _ control.Side, rig Rig) error {
	first, err := rig.Buy(ctx, only)
	if err != nil {
		return err
	}
	if err := paid(ctx, first); err != nil {
		return err
	}
	for _, later := range []time.Duration{pastRetention, pastTombstone} {
		if err := rig.Clock(ctx, later); err != nil {
			return err
		}
		again, err := rig.Buy(ctx, only)
		if err != nil {
			return err
		}
		if _, err := again.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

func expiredKeyPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, keys := captures(books)
	times := 2 // SAFE: the purchase, and what came after the tombstone
	if side == control.Naive {
		times = 3 // each time
	}
	c.count("requests on the API's wire", 3, books.Owners[""].Wire.API)
	c.count("captures", times, captured)
	c.count("keys at the card provider", times, keys)
	c.count("charges in our ledger", times, charges(books))
	c.equal("the order is", Paid, stateOf(books))
	c.record(books, 4-times) // SAFE: the key's second life, under the next fence
	c.money(books, price, int64(times)*price, int64(times)*price)
	return c.all
}
