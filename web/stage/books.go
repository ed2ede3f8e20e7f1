package stage

import (
	"context"
	"fmt"

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
		return control.SideBooks{}, fmt.Errorf("read the shop's journal: %w", err)
	}
	return control.SideBooks{
		Stale:  stale,
		Owners: settle(s.shop.Owner(), threeBooks{wanted, ledger, captured, captures}, s.api.Wire(), s.provider.Wire()),
	}, nil
}

// wanted is what the shop's customers wanted to pay: every order that was
// placed, but for those that a definite answer ended without a charge.
func (s *system) wanted(ctx context.Context) (control.Sums, error) {
	sums := control.Sums{}
	err := s.shop.Each(ctx, func(o shop.Order) {
		if o.State == shop.Open || o.State == shop.Paid {
			sums[o.Currency] += o.Amount
		}
	})
	return sums, err
}

// threeBooks are the figures of one side, each from its own store.
type threeBooks struct {
	wanted   control.Sums                // the shop's journal
	ledger   control.LedgerBooks         // the payments API
	captured map[string]map[string]int64 // the card provider: owner → currency → minor units
	captures map[string]int              // the card provider: owner → captures
}

// owners are all names that stand in some book or were seen on the wire.
// Requests without a valid credential have none.
func (b threeBooks) owners(shopper string, wire map[string]int) []string {
	names := map[string]bool{shopper: true}
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
	return sorted(names)
}

// settle lays the three books side by side, for each owner. It is pure.
func settle(shopper string, books threeBooks, apiWire, providerWire map[string]int) map[string]control.OwnerBooks {
	owners := make(map[string]control.OwnerBooks)
	for _, name := range books.owners(shopper, apiWire) {
		ours := books.ledger.Owners[name]
		owner := control.OwnerBooks{
			Ledger: orEmpty(ours.Charged), Captured: orEmpty(books.captured[name]),
			Charges: ours.Charges, Refunds: ours.Refunds, Captures: books.captures[name],
			Wire: control.Wire{API: apiWire[name], Provider: providerWire[name]},
		}
		if name == shopper {
			owner.Wanted = books.wanted
			owner.Overcharged, owner.Unpaid = compare(books.wanted, owner.Captured)
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
