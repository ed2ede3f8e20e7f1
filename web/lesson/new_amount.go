package lesson

import (
	"context"
	"fmt"
	"strings"

	"chargeonce/web/control"
)

// The two customers of new-amount: one edits a cart, the other brings goods back.
const (
	editor   = "a"
	returner = "b"
)

// newAmount: a key that comes back with another request than it was minted for.
func newAmount() Lesson {
	return Lesson{
		ID: "new-amount", Title: "Same key, another request", Mistake: "no-fingerprint",
		NaiveLabel: "NAIVE: the key alone decides", SafeLabel: "SAFE: the key and what it was used for",
		Lanes:    []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{control.Attempt, control.Started, control.Conflict, control.Replay, control.Captured},
		Setup:    "A edits a cart that is paid for; B brings goods back. *Both keep the old key.*",
		Question: "What should the server answer?",
		Answers: []string{
			"201, and charge €80 more.",
			"201, and charge the missing €30.",
			"201: the stored answer, as always.",
			"409: this key is another request's.",
		},
		Right:    4,
		Sentence: "A mismatch is a bug to look at, not a reason to mint a new key: settle the old intent.",
		NotFixed: "Not settled anywhere: *the status.* We answer 409, Stripe 400, the IETF draft says 422.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*blindTx).InsertKey"},
			{Side: control.Safe, Package: "idem", Func: "decide"},
			{Side: control.Safe, Package: "idem", Func: "(Fingerprint).Diff"},
		},
		Beats:    newAmountBeats(),
		Script:   reuseKeys,
		Promises: newAmountPromises,
	}
}

func newAmountBeats() []Beat {
	back := func(outcome control.Outcome, owner string) []Cue {
		return []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: outcome, Owner: owner}}
	}
	paid := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Status: statusBooked, Owner: editor}}
	edited := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt, Owner: editor, N: 2}}
	return []Beat{
		{Say: "A pays €50 under the key *cart-7*: 201.", Naive: paid, Safe: paid},
		{Say: "A edits the cart and pays once more: *€80, and still cart-7.*", Naive: edited, Safe: edited},
		{Say: "The server has met this key before, *with another amount.*", Question: true, Owner: editor},
		{Say: "NAIVE looks at the key alone: *REPLAY of the €50. The shop ships for €80.*", Naive: back(control.Replay, editor), Owner: editor},
		{
			Say:   "B's refund comes under the purchase's key: *201, and nothing goes back.*",
			Naive: back(control.Replay, returner), Owner: returner,
		},
		{Say: "A key of its own does give the money back. *But A's €80 stay unpaid.*", Naive: []Cue{{End: true}}},
		{
			Say:  "SAFE compares the request, too: *409 CONFLICT, and it names the amount.*",
			Safe: back(control.Conflict, editor), Answer: true, Owner: editor,
		},
		{Say: "A refund under the purchase's key: *409, that key was used for another operation.*", Safe: back(control.Conflict, returner), Owner: returner},
		{Say: "Under its own key: STARTED, then REPLAY. *One refund, no wrong money.*", Safe: []Cue{{End: true}}},
	}
}

// reuseKeys has A pay for two carts under one key, and B ask for a refund under
// the purchase's key, then under its own, and that once more.
func reuseKeys(ctx context.Context, _ control.Side, rig Rig) error {
	cart := Purchase{Order: "first", Owner: editor, Key: "cart-7", Number: "7", Amount: price, Currency: euro, Card: visa}
	edited := cart
	edited.Order, edited.Amount = "second", otherPrice
	bought := Purchase{Order: "order-1", Owner: returner, Amount: price, Currency: euro, Card: visa}
	for _, purchase := range []Purchase{cart, edited, bought} {
		ticket, err := rig.Buy(ctx, purchase)
		if err != nil {
			return err
		}
		if _, err := ticket.Wait(ctx); err != nil { // what the edited one comes to is the experiment
			return err
		}
	}
	refund, err := refundOf(ctx, rig, bought)
	if err != nil {
		return err
	}
	own := refund
	own.KeyOf, own.Key = "", "refund-1"
	for _, request := range []Request{refund, own, own} {
		if _, err := answered(ctx, rig, request); err != nil {
			return err
		}
	}
	return nil
}

// refundOf asks for all of a purchase's money back, under the purchase's key.
func refundOf(ctx context.Context, rig Rig, p Purchase) (Request, error) {
	books, err := rig.Figures(ctx)
	if err != nil {
		return Request{}, err
	}
	var charges []string
	for _, charge := range books.Charges {
		if charge.Status == "succeeded" && charge.Amount == p.Amount && strings.HasSuffix(charge.Owner, "_"+p.Owner) {
			charges = append(charges, charge.ID)
		}
	}
	if len(charges) != 1 {
		return Request{}, fmt.Errorf("%w: %d charges of %s", errOrders, len(charges), p.Owner)
	}
	return Request{
		Owner: p.Owner, Method: "POST", Path: "/v1/refunds", KeyOf: p.Order, Returns: p.Order,
		Form: map[string]string{"charge": charges[0]},
	}, nil
}

func newAmountPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, _ := captures(books)
	c.count("captures", 2, captured)
	c.equal("refunds of A, B in our ledger", "0 1", of(books, []string{editor, returner}, func(b control.OwnerBooks) int { return b.Refunds }))
	c.count("refunds at the card provider", 1, refunds(books))
	c.done(books, 3) // of the cart, the purchase and the refund
	if side == control.Naive {
		c.count("orders that the shop takes for paid", 3, paidOrders(books))
		c.fullyPaid(books, 2)
		c.replays(books, 3)                            // of the €50 for the €80, of the purchase for its refund, of the refund
		c.money(books, price+otherPrice, price, price) // B's purchase was given back
		return c.all
	}
	c.count("orders that the shop takes for paid", 2, paidOrders(books))
	c.fullyPaid(books, 2)
	c.equal("the edited order was refused for its", "amount", refusedFor(books, "amount"))
	c.replays(books, 1)
	c.money(books, price, price, price)
	return c.all
}
