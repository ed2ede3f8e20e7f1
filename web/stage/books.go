package stage

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"chargeonce/web/control"
	"chargeonce/web/shop"
)

// sideBooks reads one side's figures from its stored books: the shop's
// journal, the payments API's ledger and the card provider's own book.
func (s *system) sideBooks(ctx context.Context) (control.SideBooks, error) {
	ledger, stale := s.ledgerBooks(ctx)
	captured, captures, err := s.book.Totals()
	if err != nil {
		return control.SideBooks{}, fmt.Errorf("read the provider's book: %w", err)
	}
	wanted, err := s.wanted(ctx)
	if err != nil {
		return control.SideBooks{}, err
	}
	shelf, err := s.shop().Shelf(ctx)
	if err != nil {
		return control.SideBooks{}, err
	}
	return control.SideBooks{
		Stale:  stale,
		Owners: settle(books{wanted, ledger, captured, captures, shelf}, wires{s.api.Wire(), s.provider.Wire(), s.webhook.Wire()}),
	}, nil
}

// wanted is what the shop's customers wanted to pay, by owner: every order
// that was placed, but for those that a definite answer ended without a
// charge, and less what they wanted back. The shop's own name is there before
// its first order.
func (s *system) wanted(ctx context.Context) (map[string]control.Sums, error) {
	wanted := map[string]control.Sums{s.shop().Owner(): {}}
	err := s.shop().Each(ctx, func(o shop.Order) {
		if wanted[o.Owner] == nil {
			wanted[o.Owner] = control.Sums{}
		}
		if o.State == shop.Open || o.State == shop.Paid {
			wanted[o.Owner][o.Currency] += o.Amount - o.Returned
		}
	})
	return wanted, err
}

// books are the figures of one side, each from its own store.
type books struct {
	wanted   map[string]control.Sums     // the shop's journal, by owner
	ledger   control.LedgerBooks         // the payments API
	captured map[string]map[string]int64 // the card provider: owner → currency → minor units
	captures map[string]int              // the card provider: owner → captures
	shelf    map[string]shop.Stock       // the shop's receipts and stock, by owner
}

// wires count requests by owner on each boundary.
type wires struct{ api, provider, webhook map[string]int }

// owners are all names that stand in some book or were seen on the wire.
// Requests without a valid credential have none.
func (b books) owners(wire map[string]int) []string {
	names := make(map[string]bool)
	for name := range b.wanted {
		names[name] = true
	}
	for name := range b.ledger.Owners {
		names[name] = true
	}
	for name := range b.captures {
		names[name] = true
	}
	for name := range wire {
		names[name] = true
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}

// settle lays the books side by side, for each owner. It is pure.
func settle(b books, w wires) map[string]control.OwnerBooks {
	owners := make(map[string]control.OwnerBooks)
	for _, name := range b.owners(w.api) {
		ours := b.ledger.Owners[name]
		owner := control.OwnerBooks{
			Ledger: orEmpty(ours.Charged), Captured: orEmpty(b.captured[name]),
			Charges: ours.Charges, Refunds: ours.Refunds, Captures: b.captures[name],
			Receipts: b.shelf[name].Receipts, Stock: b.shelf[name].Stock,
			Wire: control.Wire{API: w.api[name], Provider: w.provider[name], Webhook: w.webhook[name]},
		}
		if wanted := b.wanted[name]; wanted != nil {
			owner.Wanted = wanted
			owner.Overcharged, owner.Unpaid = compare(wanted, owner.Captured)
		}
		owners[name] = owner
	}
	return owners
}

// compare sets what the card was charged against what the customer wanted, in
// each currency for itself. Nothing is netted: one is above, or the other.
func compare(wanted, captured control.Sums) (overcharged, unpaid control.Sums) {
	overcharged, unpaid = control.Sums{}, control.Sums{}
	for currency := range union(wanted, captured) {
		difference := captured[currency] - wanted[currency]
		overcharged[currency] = max(0, difference)
		unpaid[currency] = max(0, -difference)
	}
	return overcharged, unpaid
}

// union is every currency that occurs in one of the sums.
func union(all ...control.Sums) map[string]bool {
	currencies := make(map[string]bool)
	for _, sums := range all {
		for currency := range sums {
			currencies[currency] = true
		}
	}
	return currencies
}

func orEmpty(sums control.Sums) control.Sums {
	if sums == nil {
		return control.Sums{}
	}
	return sums
}
