package shop

import (
	"context"
	"fmt"
	"time"

	"chargeonce/ledger/badgerdb"
)

const (
	eventPrefix   = "event/"   // one row for each event that took effect, for ever
	receiptPrefix = "receipt/" // owner / event
	stockPrefix   = "stock/"   // owner
)

// Receipt is what a customer is sent for a charge, and why one thing leaves
// the stock.
type Receipt struct {
	Event    string    `json:"event"` // of the message that caused it
	Owner    string    `json:"owner"`
	Charge   string    `json:"charge"`
	Order    string    `json:"order,omitempty"`
	Amount   int64     `json:"amount"` // minor units
	Currency string    `json:"currency"`
	At       time.Time `json:"at"`
}

// Tx is the transaction in which a message takes effect.
type Tx = badgerdb.Tx

// Effect applies what a message causes inside a transaction: the receipt and
// the stock.
type Effect func(tx *Tx, receipt Receipt) error

// Remember says whether a message has taken effect before, and notes that it
// does now, inside the transaction of that effect.
type Remember func(tx *Tx, receipt Receipt) (known bool, err error)

// apply runs an effect once for each event, however often and however
// concurrently the event is delivered: what remembers the event and the effect
// commit together. done says whether this delivery was the one. If the effect
// fails, nothing is remembered, and a redelivery tries again.
func (j journal) apply(ctx context.Context, receipt Receipt, remember Remember, effect Effect) (done bool, err error) {
	err = j.db.Update(ctx, func(tx *badgerdb.Tx) error {
		done = false
		known, err := remember(tx, receipt)
		if err != nil || known {
			return err
		}
		done = true
		return effect(tx, receipt)
	})
	if err != nil {
		return false, fmt.Errorf("apply event: %w", err)
	}
	return done, nil
}

// remember keeps one row for each event, for ever: the sender says nowhere how
// late a message may still come.
func remember(tx *badgerdb.Tx, receipt Receipt) (known bool, err error) {
	key := []byte(eventPrefix + receipt.Event)
	if _, known, err = tx.Get(key); err != nil || known {
		return known, err
	}
	return false, tx.Set(key, []byte(receipt.Charge))
}

// Issue is the effect of a charge: one receipt, and one thing less in stock.
func Issue(tx *badgerdb.Tx, receipt Receipt) error {
	if err := badgerdb.SetJSON(tx, receiptPrefix+receipt.Owner+"/"+receipt.Event, receipt); err != nil {
		return err
	}
	stock, _, err := badgerdb.GetJSON[int](tx, stockPrefix+receipt.Owner)
	if err != nil {
		return err
	}
	return badgerdb.SetJSON(tx, stockPrefix+receipt.Owner, stock-1)
}

// Receipts calls fn for each receipt that was printed, in no order.
func (s *Shop) Receipts(ctx context.Context, fn func(Receipt)) error {
	err := s.journal.db.View(ctx, func(tx *badgerdb.Tx) error { return scanJSON(tx, receiptPrefix, fn) })
	if err != nil {
		return fmt.Errorf("read receipts: %w", err)
	}
	return nil
}

// Stock is what the receipts of one owner's charges did to the shelf.
type Stock struct {
	Receipts int
	Stock    int // begins at 0; each receipt takes one
}

// Shelf reads receipts and stock by owner, from the store.
func (s *Shop) Shelf(ctx context.Context) (map[string]Stock, error) {
	shelf := make(map[string]Stock)
	err := s.journal.db.View(ctx, func(tx *badgerdb.Tx) error {
		err := scanJSON(tx, receiptPrefix, func(r Receipt) {
			entry := shelf[r.Owner]
			entry.Receipts++
			shelf[r.Owner] = entry
		})
		if err != nil {
			return err
		}
		for owner, entry := range shelf {
			stock, _, err := badgerdb.GetJSON[int](tx, stockPrefix+owner)
			if err != nil {
				return err
			}
			entry.Stock = stock
			shelf[owner] = entry
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read receipts: %w", err)
	}
	return shelf, nil
}
