package stage

import (
	"context"
	"maps"
	"slices"
	"time"

	"chargeonce/components"
	"chargeonce/web/control"
)

// maxRows bounds a table of the books: the page is for reading.
const maxRows = 200

// booksView lays one side's books out as tables.
func (s *system) booksView(ctx context.Context) (components.BookSide, error) {
	figures, err := s.sideBooks(ctx)
	if err != nil {
		return components.BookSide{}, err
	}
	ledger, _ := s.ledgerBooks(ctx)
	shop, err := s.shopPapers(ctx)
	if err != nil {
		return components.BookSide{}, err
	}
	book, err := s.book.Book("")
	if err != nil {
		return components.BookSide{}, err
	}
	keys := keyPrinter{side: s.options.Side}
	view := components.BookSide{
		Side: s.view(), Stale: figures.Stale,
		Owners: moneyRows(figures), Charges: chargeRows(ledger, keys),
		Postings: postingRows(ledger), Balances: balanceRows(ledger), Totals: totalRows(ledger),
		Captures: captureRows(book, shop), Orders: orderRows(shop, ledger, book, keys),
		Receipts: receiptRows(shop), Shelf: shelfRows(figures),
	}
	view.Verdict, view.Wrong = verdict(figures.Owners[s.shop().Owner()])
	return view, nil
}

// verdict says in one sentence what became of the shop's money.
func verdict(o control.OwnerBooks) (text string, wrong bool) {
	over, unpaid := positive(o.Overcharged), positive(o.Unpaid)
	switch {
	case len(over) > 0:
		return "The shop’s customers were charged " + sums(over) + " too much.", true
	case len(unpaid) > 0:
		return "The shop’s customers have " + sums(unpaid) + " still to pay, or nobody knows yet.", false
	case len(positive(o.Captured)) > 0:
		return "The shop’s customers were charged what they wanted to pay.", false
	}
	return "", false
}

// positive leaves out what is nothing.
func positive(amounts control.Sums) control.Sums {
	kept := control.Sums{}
	for currency, amount := range amounts {
		if amount > 0 {
			kept[currency] = amount
		}
	}
	return kept
}

func moneyRows(side control.SideBooks) []components.MoneyRow {
	var rows []components.MoneyRow
	for _, owner := range slices.Sorted(maps.Keys(side.Owners)) {
		books := side.Owners[owner]
		for _, currency := range slices.Sorted(maps.Keys(union(books.Wanted, books.Ledger, books.Captured))) {
			rows = append(rows, moneyRow(owner, currency, books))
		}
	}
	return rows
}

// moneyRow marks as wrong what the panel does: more than was wanted.
func moneyRow(owner, currency string, books control.OwnerBooks) components.MoneyRow {
	figure := func(sums control.Sums) components.Figure {
		over := books.Wanted != nil && sums[currency] > books.Wanted[currency]
		return components.Figure{Text: components.Money(sums[currency], currency), Wrong: over}
	}
	return components.MoneyRow{
		Owner: owner, Wanted: sum(books.Wanted, currency),
		Ledger: figure(books.Ledger), Captured: figure(books.Captured),
		Overcharged: components.Figure{Text: sum(books.Overcharged, currency), Wrong: books.Overcharged[currency] > 0},
		Unpaid:      sum(books.Unpaid, currency),
		Charges:     books.Charges, Captures: books.Captures,
	}
}

// sum formats one currency; "" where nobody knows.
func sum(sums control.Sums, currency string) string {
	if sums == nil {
		return ""
	}
	return components.Money(sums[currency], currency)
}

// clock prints a moment on this machine's wall clock; "" for none.
func clock(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).Format("2006-01-02 15:04:05.000")
}

// hour prints a moment by its time of day, with its date where that is another
// than today's; "" for none.
func hour(ms int64, now time.Time) string {
	at := time.UnixMilli(ms)
	if ms == 0 || at.Format(time.DateOnly) != now.Format(time.DateOnly) {
		return clock(ms)
	}
	return at.Format("15:04:05.000")
}
