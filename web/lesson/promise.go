package lesson

import (
	"fmt"
	"strconv"

	"chargeonce/web/control"
)

// What is bought in every lesson, with a test card.
const (
	price = 5000 // minor units: €50.00
	euro  = "eur"
	visa  = "tok_visa"
)

// checks collects what was promised on one side.
type checks struct {
	side control.Side
	all  []Check
}

func (c *checks) equal(name, want, got string) {
	c.all = append(c.all, Check{Name: name, Side: c.side, Want: want, Got: got, Held: want == got})
}

func (c *checks) count(name string, want, got int) {
	c.equal(name, strconv.Itoa(want), strconv.Itoa(got))
}

// atLeast is for figures of which a slow machine may make more.
func (c *checks) atLeast(name string, want, got int) {
	c.all = append(c.all, Check{
		Name: name, Side: c.side, Want: fmt.Sprintf("%d or more", want), Got: strconv.Itoa(got), Held: got >= want,
	})
}

// atMost is for figures of which a slow machine may make less.
func (c *checks) atMost(name string, want, got int) {
	c.all = append(c.all, Check{
		Name: name, Side: c.side, Want: fmt.Sprintf("%d or less", want), Got: strconv.Itoa(got), Held: got <= want,
	})
}

// money promises the rows of all owners together.
func (c *checks) money(figures Figures, wanted, ledger, captured int64) {
	sum := moneyOf(figures, nil)
	c.equal("customer wanted", euros(wanted), text(sum.Wanted))
	c.equal("our ledger says", euros(ledger), text(sum.Ledger))
	c.equal("the card was charged", euros(captured), text(sum.Captured))
	c.equal("overcharged", euros(max(0, captured-wanted)), text(sum.Overcharged))
	c.equal("unpaid", euros(max(0, wanted-captured)), text(sum.Unpaid))
}

// euros is a sum in minor units as checks print it.
func euros(amount int64) string { return text(control.Sums{euro: amount}) }

// captures counts the captures in the card provider's own book and the
// different keys under which they were made.
func captures(figures Figures) (captured, keys int) {
	seen := make(map[string]bool)
	for _, c := range figures.Captures {
		if c.Status == "captured" {
			captured++
			seen[c.Key] = true
		}
	}
	return captured, len(seen)
}

// charges counts the charges of all owners that the ledger says took money.
func charges(figures Figures) (n int) {
	for _, owner := range figures.Owners {
		n += owner.Charges
	}
	return n
}

// shelf sums the receipts and the stock of all owners.
func shelf(figures Figures) (receipts, stock int) {
	for _, owner := range figures.Owners {
		receipts += owner.Receipts
		stock += owner.Stock
	}
	return receipts, stock
}

// succeeded are the ids of the ledger's charges that took money.
func succeeded(figures Figures) (ids []string) {
	for _, c := range figures.Charges {
		if c.Status == "succeeded" {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// sameCharge promises that the customer holds a receipt for the one charge
// that the ledger made, and not for another one.
func (c *checks) sameCharge(figures Figures) {
	got := "no single order with a single charge"
	if ids := succeeded(figures); len(ids) == 1 && len(figures.Orders) == 1 {
		got = "another charge"
		if figures.Orders[0].Charge == ids[0] {
			got = "the ledger's charge"
		}
	}
	c.equal("the shop's order is paid by", "the ledger's charge", got)
}

// record promises that the order's idempotency record is done, and how high
// its fence went at least: 1 for a claim, and 1 for each time it was resumed.
func (c *checks) record(figures Figures, fence int) {
	if len(figures.Records) != 1 {
		c.count("idempotency records", 1, len(figures.Records))
		return
	}
	record := figures.Records[0]
	c.equal("the key's record is", "done", record.State)
	c.atLeast("fence of the record", fence, int(record.Fence))
}

// replays promises how often stored answers went out again, at least.
func (c *checks) replays(figures Figures, want int) {
	got := 0
	for _, record := range figures.Records {
		got += record.Replays
	}
	c.atLeast("replays of a stored answer", want, got)
}

// askedAgain are the promises of a lesson in which one purchase is asked for
// so many times and charged by the first request already: the naive side
// charges it once more under another key, and the safe one replays its answer
// at least so often.
func askedAgain(requests, replays int) func(side control.Side, books Figures) []Check {
	return func(side control.Side, books Figures) []Check {
		c := checks{side: side}
		captured, keys := captures(books)
		c.count("requests on the API's wire", requests, books.Owners[""].Wire.API)
		if side == control.Naive {
			c.count("captures", 2, captured)
			c.count("keys at the card provider", 2, keys)
			c.count("charges in our ledger", 2, charges(books))
			c.money(books, price, 2*price, 2*price)
			return c.all
		}
		c.count("captures", 1, captured)
		c.count("charges in our ledger", 1, charges(books))
		c.sameCharge(books)
		c.record(books, 1)
		c.replays(books, replays)
		c.money(books, price, price, price)
		return c.all
	}
}
