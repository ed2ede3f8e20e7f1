package provider

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

const (
	// MaxBook bounds the lines that [Provider.Book] returns: more than a page
	// can show. Sums come from [Provider.Totals], which counts all lines.
	MaxBook = 1000
	// MaxOwners bounds the owners that [Provider.Totals] sums up.
	MaxOwners = 10_000
)

// Book lists what was decided for an owner, newest first, [MaxBook] lines at
// most; an empty owner means all of them. The errors are
// [idem.ErrOwnerInvalid] and those of the database.
func (p *Provider) Book(owner string) ([]Operation, error) {
	if owner != "" && !idem.ValidOwner(owner) {
		return nil, fmt.Errorf("provider: book: %w", idem.ErrOwnerInvalid)
	}
	var book []Operation
	err := p.db.View(context.Background(), func(tx *badgerdb.Tx) error {
		b := rows{tx, p.account}
		list := b.at("all", "")
		if owner != "" {
			list = b.at("owner", owner, "")
		}
		newest := badgerdb.ScanOptions{Reverse: true, Limit: MaxBook}
		return tx.Scan([]byte(list), newest, func(place, _ []byte) error {
			row, _, err := badgerdb.GetJSON[string](tx, string(place))
			if err != nil {
				return err
			}
			op, _, err := badgerdb.GetJSON[Operation](tx, row)
			book = append(book, op)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read the provider's book: %w", err)
	}
	return book, nil
}

// Totals sums up the whole book: captured is, by owner and currency, what the
// cards were charged in minor units, less what was refunded; captures is, by
// owner, how many captures that took. Beyond [MaxOwners] it returns
// [ErrTooManyOwners].
func (p *Provider) Totals() (captured map[string]map[string]int64, captures map[string]int, err error) {
	captured, captures = make(map[string]map[string]int64), make(map[string]int)
	err = p.db.View(context.Background(), func(tx *badgerdb.Tx) error {
		all := rows{tx, p.account}.at("total", "")
		bound := badgerdb.ScanOptions{Limit: MaxOwners + 1}
		return tx.Scan([]byte(all), bound, func(row, _ []byte) error {
			if len(captures) == MaxOwners {
				return ErrTooManyOwners
			}
			sums, _, err := badgerdb.GetJSON[total](tx, string(row))
			name := strings.TrimPrefix(string(row), all)
			captured[name], captures[name] = sums.Captured, sums.Captures
			return err
		})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("sum up the provider's book: %w", err)
	}
	return captured, captures, nil
}

// find is the decided operation of a key; one that waits for its caller to
// come back after an outage counts as unknown.
func (p *Provider) find(ctx context.Context, key idem.Key) (op Operation, known bool, err error) {
	err = p.db.View(ctx, func(tx *badgerdb.Tx) error {
		op, known, err = badgerdb.GetJSON[Operation](tx, rows{tx, p.account}.operationRow(key))
		return err
	})
	if err != nil {
		return Operation{}, false, fmt.Errorf("look up operation: %w", err)
	}
	return op, known && op.Status != "", nil
}

// seenBy is the operation with the request that asked for it, for the hook.
func seenBy(v verdict, r *http.Request, elapsed time.Duration) Operation {
	op := v.op
	op.Outcome, op.HTTPStatus, op.Elapsed = v.outcome, v.answer.Status, elapsed
	if trace := r.Header.Get("Chargeonce-Trace"); len(trace) <= maxTrace {
		op.Trace = trace
	}
	return op
}
