package stage

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"chargeonce/components"
	"chargeonce/web/control"
	"chargeonce/web/provider"
	"chargeonce/web/shop"
)

// papers are what the shop has written down, newest first.
type papers struct {
	orders   []shop.Order
	receipts []shop.Receipt
}

func (s *system) shopPapers(ctx context.Context) (papers, error) {
	var p papers
	if err := s.shop().Each(ctx, func(o shop.Order) { p.orders = append(p.orders, o) }); err != nil {
		return p, err
	}
	if err := s.shop().Receipts(ctx, func(r shop.Receipt) { p.receipts = append(p.receipts, r) }); err != nil {
		return p, err
	}
	slices.SortStableFunc(p.orders, func(a, b shop.Order) int { return b.Created.Compare(a.Created) })
	slices.SortStableFunc(p.receipts, func(a, b shop.Receipt) int { return b.At.Compare(a.At) })
	return p, nil
}

// purchase is what a capture was for: the order that the shop knows its charge
// by, or else the charge itself, both as OWNER/ID. The card provider knows
// nothing of orders.
func (p papers) purchase() func(reference string) string {
	orders := make(map[string]string)
	for _, o := range p.orders {
		orders[o.Owner+"/"+o.Charge] = o.Owner + "/" + o.ID
	}
	for _, r := range p.receipts {
		if r.Order != "" {
			orders[r.Owner+"/"+r.Charge] = r.Owner + "/" + r.Order
		}
	}
	return func(reference string) string { return cmp.Or(orders[reference], reference) }
}

// captureRows are the card provider's book. A capture for a purchase that was
// captured before is wrong money.
func captureRows(book []provider.Operation, shop papers) []components.CaptureRow {
	purchase, seen := shop.purchase(), make(map[string]bool)
	var rows []components.CaptureRow
	for _, op := range slices.Backward(book) { // the first one is right
		row := components.CaptureRow{
			Key: op.Key, Reference: op.Reference, Status: op.Status, Seen: op.Seen,
			Amount: components.Money(op.Amount, op.Currency),
		}
		if !op.At.IsZero() {
			row.At = hour(op.At.UnixMilli(), time.Now())
		}
		if op.Status == provider.StatusCaptured {
			row.Again = seen[purchase(op.Reference)]
			seen[purchase(op.Reference)] = true
		}
		rows = append(rows, row)
	}
	slices.Reverse(rows)
	return rows[:min(len(rows), maxRows)]
}

// orderRows is the shop's journal. On the naive side a key leads to its record
// only where the ledger has one: that side may have sent another, or none.
func orderRows(shop papers, ledger control.LedgerBooks, book []provider.Operation, keys keyPrinter) []components.OrderRow {
	purchase, captured := shop.purchase(), make(map[string]int)
	for _, op := range book {
		if op.Status == provider.StatusCaptured {
			captured[purchase(op.Reference)]++
		}
	}
	recorded := make(map[string]bool)
	for _, owner := range ledger.Owners {
		for _, c := range owner.List {
			recorded[c.Owner+"/"+c.Key] = true
		}
	}
	var rows []components.OrderRow
	for _, o := range shop.orders[:min(len(shop.orders), maxRows)] {
		key := keys.recorded(o.Owner, o.Key)
		if keys.side == control.Naive && !recorded[o.Owner+"/"+o.Key] {
			key.Href = ""
		}
		n := captured[o.Owner+"/"+o.ID]
		rows = append(rows, components.OrderRow{
			ID: o.ID, Key: key, Amount: components.Money(o.Amount, o.Currency),
			Card: o.Card, State: string(o.State), Charge: o.Charge,
			Captures: components.Figure{Text: strconv.Itoa(n), Wrong: n > 1},
		})
	}
	return rows
}

// receiptRows are what the shop has printed. A second receipt for one order is
// wrong money too.
func receiptRows(shop papers) []components.ReceiptRow {
	seen := make(map[string]bool)
	var rows []components.ReceiptRow
	for _, r := range slices.Backward(shop.receipts) {
		again := r.Order != "" && seen[r.Owner+"/"+r.Order]
		seen[r.Owner+"/"+r.Order] = true
		rows = append(rows, components.ReceiptRow{
			Event: r.Event, Owner: r.Owner, Order: r.Order, Charge: r.Charge,
			Amount: components.Money(r.Amount, r.Currency), Again: again,
			At: hour(r.At.UnixMilli(), time.Now()),
		})
	}
	slices.Reverse(rows)
	return rows[:min(len(rows), maxRows)]
}

// shelfRows are the owners to whom a receipt was printed.
func shelfRows(side control.SideBooks) []components.ShelfRow {
	var rows []components.ShelfRow
	for _, owner := range slices.Sorted(maps.Keys(side.Owners)) {
		if books := side.Owners[owner]; books.Receipts > 0 {
			rows = append(rows, components.ShelfRow{Owner: owner, Receipts: books.Receipts, Stock: books.Stock})
		}
	}
	return rows
}
