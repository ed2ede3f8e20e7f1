package stage

import (
	"context"
	"fmt"

	"chargeonce/web/control"
	"chargeonce/web/provider"
	"chargeonce/web/shop"
)

// sideBooks reads one side's figures from its stored books: the shop's
// journal, the payments API's ledger and the card provider's own book.
func (s *system) sideBooks(ctx context.Context) (control.SideBooks, error) {
	ledger, stale := s.ledgerBooks(ctx)
	captures, err := s.book.Totals()
	if err != nil {
		return control.SideBooks{}, fmt.Errorf("read the provider's book: %w", err)
	}
	wanted, err := s.wanted(ctx)
	if err != nil {
		return control.SideBooks{}, fmt.Errorf("read the shop's journal: %w", err)
	}
	return control.SideBooks{
		Stale:  stale,
		Owners: settle(s.shop.Owner(), wanted, ledger, captures, s.api.Wire(), s.provider.Wire()),
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

// settle lays the three books side by side, for each owner. It is pure.
func settle(shopper string, wanted control.Sums, ledger control.LedgerBooks, captures map[string]provider.Total,
	api, providerWire map[string]int,
) map[string]control.OwnerBooks {
	names := map[string]bool{shopper: true}
	for name := range ledger.Owners {
		names[name] = true
	}
	for name := range captures {
		names[name] = true
	}
	for name := range api {
		names[name] = name != ""
	}
	owners := make(map[string]control.OwnerBooks)
	for name, known := range names {
		if !known {
			continue
		}
		owner := control.OwnerBooks{
			Ledger: orEmpty(ledger.Owners[name].Charged), Captured: orEmpty(captures[name].Captured),
			Charges: ledger.Owners[name].Charges, Refunds: ledger.Owners[name].Refunds,
			Captures: captures[name].Captures,
			Wire:     control.Wire{API: api[name], Provider: providerWire[name]},
		}
		if name == shopper {
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

func union(a, b control.Sums) map[string]bool {
	all := make(map[string]bool, len(a)+len(b))
	for currency := range a {
		all[currency] = true
	}
	for currency := range b {
		all[currency] = true
	}
	return all
}

func orEmpty(sums control.Sums) control.Sums {
	if sums == nil {
		return control.Sums{}
	}
	return sums
}
