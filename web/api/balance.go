package api

import (
	"context"
	"maps"
	"slices"

	"chargeonce/ledger"
)

// balanceObject is what an owner is owed: Stripe's object of that name
// (https://docs.stripe.com/api/balance/balance_object).
type balanceObject struct {
	Object    string          `json:"object"`
	Available []balanceAmount `json:"available"`
	Livemode  bool            `json:"livemode"`
	Pending   []balanceAmount `json:"pending"`
}

// balanceAmount is a sum in one currency, in its minor units.
type balanceAmount struct {
	Amount      int64            `json:"amount"`
	Currency    string           `json:"currency"`
	SourceTypes map[string]int64 `json:"source_types"` // all of it came by card
}

// balance is GET /v1/balance: the owner's account in the books. Captured money
// is available at once, for nothing here settles later; a pending charge is no
// money yet, so pending is always empty.
func (s *server) balance(ctx context.Context, c *call) reply {
	if problem := noQuery(c.r); problem != nil {
		return refuse(problem)
	}
	var sums map[string]int64
	err := s.Store.View(ctx, func(books ledger.Reader) (err error) {
		sums, err = books.Balance(ledger.OwnerAccount(c.owner))
		return err
	})
	if err != nil {
		return s.unreadable(c, err)
	}
	return jsonReply(balanceOf(sums))
}

// balanceOf turns the account's sums round: what the books owe the owner stands
// there as a credit, below zero.
func balanceOf(sums map[string]int64) balanceObject {
	object := balanceObject{Object: "balance", Available: []balanceAmount{}, Pending: []balanceAmount{}}
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		owed := -sums[currency]
		object.Available = append(object.Available, balanceAmount{
			Amount: owed, Currency: currency, SourceTypes: map[string]int64{"card": owed},
		})
	}
	return object
}
