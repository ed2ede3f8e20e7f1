package lesson

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"chargeonce/web/control"
)

// moneyOf sums the stored books of one side, as a step shows them.
func moneyOf(figures Figures, currencies []string) Money {
	sum := emptyMoney(currencies)
	for _, books := range figures.Owners {
		sum.add(books.Wanted, books.Ledger, books.Captured)
	}
	return sum
}

func emptyMoney(currencies []string) Money {
	row := func() control.Sums {
		sums := control.Sums{}
		for _, currency := range currencies {
			sums[currency] = 0
		}
		return sums
	}
	return Money{row(), row(), row(), row(), row()}
}

// add takes one owner in. Overcharged and unpaid are worked out for him alone,
// which is what "without netting" means.
func (m Money) add(wanted, ledger, captured control.Sums) {
	for currency, amount := range wanted {
		m.Wanted[currency] += amount
		m.Unpaid[currency] += max(0, amount-captured[currency])
	}
	for currency, amount := range ledger {
		m.Ledger[currency] += amount
	}
	for currency, amount := range captured {
		m.Captured[currency] += amount
		m.Overcharged[currency] += max(0, amount-wanted[currency])
	}
}

// text is a sum for a check: "eur 5000", in minor units; nothing is "0".
func text(sums control.Sums) string {
	var parts []string
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		if sums[currency] != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", currency, sums[currency]))
		}
	}
	if parts == nil {
		return "0"
	}
	return strings.Join(parts, ", ")
}

// text is all rows in one line, for the check that picture and books agree.
func (m Money) text() string {
	return fmt.Sprintf("wanted %s; ledger %s; captured %s; overcharged %s; unpaid %s",
		text(m.Wanted), text(m.Ledger), text(m.Captured), text(m.Overcharged), text(m.Unpaid))
}

// currenciesOf are all currencies that occur in a run.
func currenciesOf(events []control.Event) []string {
	seen := make(control.Sums)
	for _, e := range events {
		if e.Currency != "" {
			seen[e.Currency] = 0
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
