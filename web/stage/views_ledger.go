package stage

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"chargeonce/components"
	"chargeonce/web/control"
)

// chargeRows are the charges of all owners, newest first.
func chargeRows(ledger control.LedgerBooks, keys keyPrinter) []components.ChargeRow {
	var all []control.Charge
	for _, owner := range ledger.Owners {
		all = append(all, owner.List...)
	}
	slices.SortFunc(all, func(a, b control.Charge) int {
		return cmp.Or(cmp.Compare(b.CreatedMS, a.CreatedMS), cmp.Compare(a.ID, b.ID))
	})
	var rows []components.ChargeRow
	for _, c := range all[:min(len(all), maxRows)] {
		rows = append(rows, components.ChargeRow{
			ID: c.ID, Owner: c.Owner, Key: keys.recorded(c.Owner, c.Key),
			Amount: components.Money(c.Amount, c.Currency), Status: c.Status,
			ProviderKey: c.ProviderKey, Capture: c.Capture, At: hour(c.CreatedMS, time.Now()),
		})
	}
	return rows
}

func postingRows(ledger control.LedgerBooks) []components.PostingRow {
	var rows []components.PostingRow
	for _, p := range ledger.Postings[:min(len(ledger.Postings), maxRows)] {
		row := components.PostingRow{Transfer: p.Transfer, Account: p.Account, At: hour(p.AtMS, time.Now())}
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
	for _, account := range slices.Sorted(maps.Keys(ledger.Balances)) {
		for _, currency := range slices.Sorted(maps.Keys(ledger.Balances[account])) {
			rows = append(rows, components.BalanceRow{
				Account: account, Balance: components.Money(ledger.Balances[account][currency], currency),
			})
		}
	}
	return rows
}

// totalRows sum each currency over all accounts: 0, or the books are wrong.
func totalRows(ledger control.LedgerBooks) []components.TotalRow {
	totals := control.Sums{}
	for _, balance := range ledger.Balances {
		for currency, amount := range balance {
			totals[currency] += amount
		}
	}
	var rows []components.TotalRow
	for _, currency := range slices.Sorted(maps.Keys(totals)) {
		rows = append(rows, components.TotalRow{
			Currency: strings.ToUpper(currency),
			Sum:      components.Figure{Text: components.Money(totals[currency], currency), Wrong: totals[currency] != 0},
		})
	}
	return rows
}
