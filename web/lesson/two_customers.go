package lesson

import (
	"context"
	"strconv"

	"chargeonce/web/control"
)

// The two of two-customers. Both number their orders from 1 and take the number
// for a key.
var strangers = []string{"a", "b"}

// twoCustomers: a key is minted by its caller, and callers know nothing of each
// other.
func twoCustomers() Lesson {
	return Lesson{
		ID: "two-customers", Title: "Two customers, one key", Mistake: "global-keys",
		NaiveLabel: "NAIVE: keys are global", SafeLabel: "SAFE: a key belongs to its caller",
		Lanes:    []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{control.Attempt, control.Started, control.Replay, control.Captured},
		Setup:    "A and B buy for €50 each. *Both use their order number as the key: order-1.*",
		Question: "Who paid?",
		Answers:  []string{"Both.", "Only A.", "Only B.", "Both, if a key belongs to its caller."},
		Right:    4,
		Sentence: "Scope the key to the caller.",
		NotFixed: "Not fixed: *one* caller who uses a key twice. Order numbers make poor keys.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*ownerlessTx).InsertKey"},
			{Side: control.Naive, Package: "web/naive", Func: "ofEverybody"},
			{Side: control.Safe, Package: "idem", Func: "ParseKey"},
		},
		Beats:    twoCustomersBeats(),
		Script:   buyUnderOneKey,
		Promises: twoCustomersPromises,
	}
}

func twoCustomersBeats() []Beat {
	first, second := strangers[0], strangers[1]
	paid := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Status: statusBooked, Owner: first}}
	sent := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt, Owner: second}}
	decided := func(outcome control.Outcome) []Cue {
		return []Cue{{Kind: control.KindDecision, Outcome: outcome, Owner: second}}
	}
	return []Beat{
		{Say: "A pays under the key *order-1*: started, charged, answered.", Naive: paid, Safe: paid},
		{Say: "Now B, who has never heard of A: *the same key, and the same bytes.*", Naive: sent, Safe: sent},
		{Say: "You are B. Your answer is *201, paid.*", Question: true},
		{Say: "NAIVE knows the key order-1: *REPLAY.* It does not ask whose it is.", Naive: decided(control.Replay)},
		{Say: "B holds *A's receipt* and has paid nothing: *€50 unpaid*, and A's data is out.", Naive: []Cue{{End: true}}},
		{
			Say: "SAFE looks for *B's* order-1, and there is none: *STARTED.*", Answer: true,
			Safe: decided(control.Started),
		},
		{Say: "Two callers, two keys that only look alike: *two charges, and each has its own receipt.*", Safe: []Cue{{End: true}}},
	}
}

// buyUnderOneKey has one customer pay after the other, and waits until the
// receipts are printed.
func buyUnderOneKey(ctx context.Context, _ control.Side, rig Rig) error {
	for _, owner := range strangers {
		ticket, err := rig.Buy(ctx, Purchase{
			Order: "order-1", Owner: owner, Key: "order-1", Number: "1", Amount: price, Currency: euro, Card: visa,
		})
		if err != nil {
			return err
		}
		if err := paid(ctx, ticket); err != nil {
			return err
		}
	}
	return untilBooks(ctx, rig, func(books Figures) bool {
		receipts := 0
		for _, owner := range books.Owners {
			receipts += owner.Receipts
		}
		return receipts == charges(books)
	})
}

func twoCustomersPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured := of(books, strangers, func(b control.OwnerBooks) int { return b.Captures })
	receipts := of(books, strangers, func(b control.OwnerBooks) int { return b.Receipts })
	c.equal("orders that the shops take for paid", "2", strconv.Itoa(paidOrders(books)))
	if side == control.Naive {
		c.equal("captures of A, B", "1 0", captured)
		c.equal("receipts of A, B", "1 0", receipts)
		c.ownCharges(books, 1)
		c.money(books, 2*price, price, price)
		return c.all
	}
	c.equal("captures of A, B", "1 1", captured)
	c.equal("receipts of A, B", "1 1", receipts)
	c.ownCharges(books, 2)
	c.done(books, 2)
	c.money(books, 2*price, 2*price, 2*price)
	return c.all
}
