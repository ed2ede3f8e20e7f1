package shop

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"chargeonce/ledger/badgerdb"
)

const (
	orderPrefix = "order/"
	openPrefix  = "open/" // one empty row for each open order, so that a restart finds them
)

// journal is the shop's durable memory: order → key, amount, state.
type journal struct{ db *badgerdb.DB }

// place stores a new order, synced, before anything is sent for it. The first
// one wins: an order that is there already comes back as it is, and as a
// [DiffersError] if the contents are not the same.
func (j journal) place(ctx context.Context, order Order, now time.Time) (Order, error) {
	var placed Order
	err := j.db.Update(ctx, func(tx *badgerdb.Tx) error {
		holder, taken, err := badgerdb.GetJSON[Order](tx, orderPrefix+order.ID)
		if err != nil {
			return err
		}
		if taken {
			placed = holder
			return nil
		}
		placed = order
		placed.State, placed.Created = Open, now.UTC()
		if err := tx.Set([]byte(openPrefix+order.ID), nil); err != nil {
			return err
		}
		return badgerdb.SetJSON(tx, orderPrefix+order.ID, placed)
	})
	if err != nil {
		return Order{}, fmt.Errorf("journal order: %w", err)
	}
	if !placed.same(order) {
		return placed, &DiffersError{Placed: placed, Wanted: order}
	}
	return placed, nil
}

// settle records a definite outcome; the first one stands. changed says
// whether it is this one.
func (j journal) settle(ctx context.Context, outcome Order) (settled Order, changed bool, err error) {
	err = j.db.Update(ctx, func(tx *badgerdb.Tx) error {
		stored, ok, err := badgerdb.GetJSON[Order](tx, orderPrefix+outcome.ID)
		if err != nil {
			return err
		}
		settled, changed = stored, false
		if !ok || stored.Settled() {
			return nil
		}
		stored.State, stored.Charge, stored.Reason = outcome.State, outcome.Charge, outcome.Reason
		settled, changed = stored, true
		if err := tx.Delete([]byte(openPrefix + outcome.ID)); err != nil {
			return err
		}
		return badgerdb.SetJSON(tx, orderPrefix+outcome.ID, stored)
	})
	if err != nil {
		return Order{}, false, fmt.Errorf("settle order: %w", err)
	}
	return settled, changed, nil
}

// giveBack records that the customer of a paid order wants money back. changed
// says whether this was news.
func (j journal) giveBack(ctx context.Context, id string, amount int64) (order Order, changed bool, err error) {
	err = j.db.Update(ctx, func(tx *badgerdb.Tx) error {
		stored, ok, err := badgerdb.GetJSON[Order](tx, orderPrefix+id)
		switch {
		case err != nil:
			return err
		case !ok:
			return errNoOrder
		case stored.State != Paid || amount < 1 || amount > stored.Amount:
			return fmt.Errorf("%w: of a paid order 1 to %d minor units can be given back", ErrInvalid, stored.Amount)
		}
		order, changed = stored, stored.Returned != amount
		order.Returned = amount
		if !changed {
			return nil
		}
		return badgerdb.SetJSON(tx, orderPrefix+id, order)
	})
	if err != nil {
		return Order{}, false, fmt.Errorf("give back: %w", err)
	}
	return order, changed, nil
}

func (j journal) order(ctx context.Context, id string) (order Order, ok bool, err error) {
	err = j.db.View(ctx, func(tx *badgerdb.Tx) error {
		order, ok, err = badgerdb.GetJSON[Order](tx, orderPrefix+id)
		return err
	})
	if err != nil {
		return Order{}, false, fmt.Errorf("look up order: %w", err)
	}
	return order, ok, nil
}

// open lists the ids of orders whose outcome is unknown.
func (j journal) open(ctx context.Context) (ids []string, err error) {
	err = j.db.View(ctx, func(tx *badgerdb.Tx) error {
		return tx.Scan([]byte(openPrefix), badgerdb.ScanOptions{}, func(key, _ []byte) error {
			ids = append(ids, string(key[len(openPrefix):]))
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list open orders: %w", err)
	}
	return ids, nil
}

// each calls fn for every order, in no useful order.
func (j journal) each(ctx context.Context, fn func(Order)) error {
	err := j.db.View(ctx, func(tx *badgerdb.Tx) error { return scanJSON(tx, orderPrefix, fn) })
	if err != nil {
		return fmt.Errorf("read the orders: %w", err)
	}
	return nil
}

// scanJSON decodes every row below a prefix.
func scanJSON[T any](tx *badgerdb.Tx, prefix string, fn func(T)) error {
	return tx.Scan([]byte(prefix), badgerdb.ScanOptions{}, func(key, value []byte) error {
		var row T
		if err := json.Unmarshal(value, &row); err != nil {
			return fmt.Errorf("row %s: %w", key, err)
		}
		fn(row)
		return nil
	})
}
