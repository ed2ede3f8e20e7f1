package stage

import (
	"context"
	"net/url"
	"slices"
	"sort"
	"time"

	"chargeonce/components"
	"chargeonce/web/control"
	"chargeonce/web/shop"
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
	captures, err := s.captures("")
	if err != nil {
		return components.BookSide{}, err
	}
	orders, err := s.orderRows(ctx)
	if err != nil {
		return components.BookSide{}, err
	}
	receipts, err := s.receiptRows(ctx)
	if err != nil {
		return components.BookSide{}, err
	}
	return components.BookSide{
		Side: s.view(), Stale: figures.Stale,
		Owners: moneyRows(figures), Charges: chargeRows(ledger),
		Postings: postingRows(ledger), Balances: balanceRows(ledger),
		Captures: captureRows(captures), Orders: orders,
		Receipts: receipts, Shelf: shelfRows(figures),
	}, nil
}

func moneyRows(side control.SideBooks) []components.MoneyRow {
	var rows []components.MoneyRow
	for _, owner := range sorted(side.Owners) {
		books := side.Owners[owner]
		for _, currency := range sorted(union(books.Wanted, books.Ledger, books.Captured)) {
			rows = append(rows, components.MoneyRow{
				Owner: owner, Wanted: sum(books.Wanted, currency),
				Ledger:      components.Money(books.Ledger[currency], currency),
				Captured:    components.Money(books.Captured[currency], currency),
				Overcharged: sum(books.Overcharged, currency), Unpaid: sum(books.Unpaid, currency),
				Wrong:   books.Overcharged[currency] != 0 || books.Unpaid[currency] != 0,
				Charges: books.Charges, Captures: books.Captures,
			})
		}
	}
	return rows
}

// sum formats one currency; "" where nobody knows.
func sum(sums control.Sums, currency string) string {
	if sums == nil {
		return ""
	}
	return components.Money(sums[currency], currency)
}

func chargeRows(ledger control.LedgerBooks) []components.ChargeRow {
	var all []control.Charge
	for _, owner := range ledger.Owners {
		all = append(all, owner.List...)
	}
	slices.SortFunc(all, func(a, b control.Charge) int { return int(b.CreatedMS - a.CreatedMS) })
	var rows []components.ChargeRow
	for _, c := range all[:min(len(all), maxRows)] {
		rows = append(rows, components.ChargeRow{
			ID: c.ID, Owner: c.Owner, Key: c.Key, KeyHref: keyHref(c.Owner, c.Key),
			Amount: components.Money(c.Amount, c.Currency), Status: c.Status,
			ProviderKey: c.ProviderKey, Capture: c.Capture, At: clock(c.CreatedMS),
		})
	}
	return rows
}

func postingRows(ledger control.LedgerBooks) []components.PostingRow {
	var rows []components.PostingRow
	for _, p := range ledger.Postings[:min(len(ledger.Postings), maxRows)] {
		row := components.PostingRow{Transfer: p.Transfer, Account: p.Account, At: clock(p.AtMS)}
		if p.Amount < 0 {
			row.Credit = components.Money(-p.Amount, p.Currency)
		} else {
			row.Debit = components.Money(p.Amount, p.Currency)
		}
		rows = append(rows, row)
	}
	return rows
}

func balanceRows(ledger control.LedgerBooks) []components.BalanceRow {
	var rows []components.BalanceRow
	for _, account := range sorted(ledger.Balances) {
		for _, currency := range sorted(ledger.Balances[account]) {
			rows = append(rows, components.BalanceRow{
				Account: account, Balance: components.Money(ledger.Balances[account][currency], currency),
			})
		}
	}
	return rows
}

func captureRows(captures []control.Capture) []components.CaptureRow {
	var rows []components.CaptureRow
	for _, c := range captures[:min(len(captures), maxRows)] {
		rows = append(rows, components.CaptureRow{
			Key: c.Key, Reference: c.Reference, Amount: components.Money(c.Amount, c.Currency),
			Status: c.Status, Seen: c.Seen,
		})
	}
	return rows
}

// orderRows is the shop's journal, newest first.
func (s *system) orderRows(ctx context.Context) ([]components.OrderRow, error) {
	var orders []shop.Order
	if err := s.shop().Each(ctx, func(o shop.Order) { orders = append(orders, o) }); err != nil {
		return nil, err
	}
	slices.SortFunc(orders, func(a, b shop.Order) int { return b.Created.Compare(a.Created) })
	var rows []components.OrderRow
	for _, o := range orders[:min(len(orders), maxRows)] {
		rows = append(rows, components.OrderRow{
			ID: o.ID, Key: o.Key, KeyHref: keyHref(o.Owner, o.Key),
			Amount: components.Money(o.Amount, o.Currency), Card: o.Card, State: string(o.State), Charge: o.Charge,
		})
	}
	return rows, nil
}

// receiptRows are what the shop has printed, newest first.
func (s *system) receiptRows(ctx context.Context) ([]components.ReceiptRow, error) {
	var receipts []shop.Receipt
	if err := s.shop().Receipts(ctx, func(r shop.Receipt) { receipts = append(receipts, r) }); err != nil {
		return nil, err
	}
	slices.SortFunc(receipts, func(a, b shop.Receipt) int { return b.At.Compare(a.At) })
	var rows []components.ReceiptRow
	for _, r := range receipts[:min(len(receipts), maxRows)] {
		rows = append(rows, components.ReceiptRow{
			Event: r.Event, Owner: r.Owner, Order: r.Order, Charge: r.Charge,
			Amount: components.Money(r.Amount, r.Currency), At: clock(r.At.UnixMilli()),
		})
	}
	return rows, nil
}

// shelfRows are the owners to whom a receipt was printed.
func shelfRows(side control.SideBooks) []components.ShelfRow {
	var rows []components.ShelfRow
	for _, owner := range sorted(side.Owners) {
		if books := side.Owners[owner]; books.Receipts > 0 {
			rows = append(rows, components.ShelfRow{Owner: owner, Receipts: books.Receipts, Stock: books.Stock})
		}
	}
	return rows
}

// keysView prints records; the one asked for is shown whole.
func keysView(records []control.KeyRecord, owner, key string) components.Keys {
	view := components.Keys{Owner: owner, Key: key, Missing: key != "" && len(records) == 0}
	for _, r := range records {
		view.Records = append(view.Records, components.KeyRow{
			Owner: r.Owner, Key: r.Key, Href: keyHref(r.Owner, r.Key), State: r.State,
			Fence: r.Fence, Replays: r.Replays, Created: clock(r.CreatedMS),
		})
	}
	if key != "" && len(records) == 1 {
		view.Record = recordView(records[0])
	}
	return view
}

func recordView(r control.KeyRecord) *components.Record {
	view := &components.Record{
		Owner: r.Owner, Key: r.Key, Fingerprint: r.Fingerprint, Operation: r.Operation, Resource: r.Resource,
		State: r.State, Fence: r.Fence, LeaseMS: r.LeaseMS, Created: clock(r.CreatedMS),
		Finished: clock(r.FinishedMS), Expires: clock(r.ExpiresMS),
		Replays: r.Replays, Status: r.Status, Body: r.Body,
	}
	for _, step := range r.History {
		view.History = append(view.History, components.Step{At: clock(step.AtMS), What: step.What})
	}
	return view
}

func keyHref(owner, key string) string {
	if owner == "" || key == "" {
		return ""
	}
	return "/keys?" + url.Values{"owner": {owner}, "key": {key}}.Encode()
}

// clock prints a moment on this machine's wall clock; "" for none.
func clock(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).Format("2006-01-02 15:04:05.000")
}

func sorted[V any](named map[string]V) []string {
	names := make([]string, 0, len(named))
	for name := range named {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
