package lesson

import (
	"context"
	"fmt"
	"time"

	"chargeonce/web/control"
)

const (
	brownOutCustomers = 40
	// The bulge: these customers' first requests are slower than the shop is
	// patient.
	bulgeFrom, bulgeTo = 15, 25
	bulgeDelay         = 1300 * time.Millisecond
	// brownOutAtOnce bounds the customers at the till at a time.
	brownOutAtOnce = 4
)

// brownOut: nothing is down and nothing is lost. For a while everything is
// slow, and that is enough.
func brownOut() Lesson {
	return Lesson{
		ID: "brown-out", Title: "Brown-out", Mistake: "no-key",
		NaiveLabel: "NAIVE: no key", SafeLabel: "SAFE: one key per purchase",
		Lanes:    []control.Lane{control.LaneShop, control.LaneNetwork, control.LaneAPI, control.LaneProvider, control.LaneReceipts},
		Counters: []control.Outcome{control.Attempt, control.Silence, control.Started, control.Replay, control.Captured, control.Receipt},
		Setup:    "Forty customers, €50 each. For ten of them *the network is slow*; nothing is lost.",
		Question: "No request is lost and no process dies. When do the duplicates come?",
		Answers: []string{
			"Never: everything arrives.",
			"Evenly, all day long.",
			"While it is slow.",
			"After it was slow.",
		},
		Right:    3,
		Sentence: "Duplicates follow latency: they come on your worst day.",
		NotFixed: "Not fixed: *the load*. Ten slow customers send twenty requests.",
		Shop: ShopPolicy{
			Attempts: 5, Timeout: time.Second, Base: 100 * time.Millisecond, Cap: 300 * time.Millisecond,
			Recheck: 500 * time.Millisecond,
		},
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*keyDropper).RoundTrip"},
			{Side: control.Safe, Package: "web/shop", Func: "chargeRequest"},
			{Side: control.Safe, Package: "idem", Func: "decide"},
		},
		Beats:    brownOutBeats(),
		Script:   buyThroughTheBulge,
		Promises: brownOutPromises,
	}
}

func brownOutBeats() []Beat {
	// The tenth customer is paid; the first of the bulge waits in vain.
	calm := []Cue{{Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Captured, N: 10}}
	slow := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Silence}}
	return []Beat{
		{Say: "Ten customers come and pay. *Nothing to see.*", Naive: calm, Safe: calm},
		{Say: "Now it is slow: an answer takes longer than *the shop's second*.", Naive: slow, Safe: slow},
		{Say: "So the shop tries again. Both requests will arrive.", Question: true},
		{Say: "NAIVE charged *exactly the ten in the bulge* twice: €500 too much.", Naive: []Cue{{End: true}}},
		{Say: "Receipts and stock *follow the money*: fifty receipts, fifty parcels.", Answer: true},
		{Say: "SAFE answers the late one from memory: *forty charges, forty receipts.*", Safe: []Cue{{End: true}}},
	}
}

// buyThroughTheBulge sends all customers through the till, a few at a time in
// the order of their numbers, and waits until the last receipt is printed.
func buyThroughTheBulge(ctx context.Context, _ control.Side, rig Rig) error {
	for n := bulgeFrom; n < bulgeTo; n++ {
		fault := control.Fault{
			Boundary: "api", Kind: "delay", MS: bulgeDelay.Milliseconds(), Owner: brownOutOwner(n), Attempts: 1,
		}
		if err := rig.Arm(ctx, fault); err != nil {
			return err
		}
	}
	err := together(ctx, brownOutCustomers, brownOutAtOnce, func(ctx context.Context, n int) error {
		purchase := only
		purchase.Owner = brownOutOwner(n)
		ticket, err := rig.Buy(ctx, purchase)
		if err == nil {
			err = paid(ctx, ticket)
		}
		if err != nil {
			return fmt.Errorf("customer %d: %w", n, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for n := bulgeFrom; n < bulgeTo; n++ { // the late request is answered as well, though nobody listens
		late := Cue{Lane: control.LaneAPI, Kind: control.KindResponse, Owner: brownOutOwner(n), N: 2}
		if _, err := rig.Await(ctx, late); err != nil {
			return err
		}
	}
	return untilBooks(ctx, rig, func(books Figures) bool {
		printed, _ := shelf(books)
		return printed == charges(books)
	})
}

// brownOutCharges is how often cards are charged.
func brownOutCharges(side control.Side) int {
	if side == control.Naive {
		return brownOutCustomers + bulgeTo - bulgeFrom
	}
	return brownOutCustomers
}

// brownOutOwner names a customer by his number from 0.
func brownOutOwner(n int) string { return fmt.Sprintf("c%02d", n) }

func brownOutPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, _ := captures(books)
	twice := 0
	for n := bulgeFrom; n < bulgeTo; n++ {
		if books.Owners[brownOutOwner(n)].Captures == 2 {
			twice++
		}
	}
	printed, stock := shelf(books)
	want := brownOutCharges(side)
	c.count("captures", want, captured)
	c.count("of them second ones of customers in the bulge", want-brownOutCustomers, twice)
	c.count("charges in our ledger", want, charges(books))
	c.count("receipts", want, printed)
	c.count("stock", -want, stock)
	c.money(books, brownOutCustomers*price, int64(want)*price, int64(want)*price)
	return c.all
}
