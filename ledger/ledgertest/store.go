package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"
	"time"

	"chargeonce/ledger"
)

// errUndo rolls a transaction back.
var errUndo = errors.New("ledgertest: undo")

// same compares what must not have changed.
func same(t testing.TB, want, got any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Errorf("\nwant %+v\ngot  %+v", want, got)
	}
}

// failing is a store whose writes fail on demand.
type failing struct {
	ledger.Store
	mu  sync.Mutex // guards err
	err error
}

func (f *failing) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

// Update implements [ledger.Store].
func (f *failing) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	f.mu.Lock()
	err := f.err
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return f.Store.Update(ctx, fn)
}

func (b *bench) update(fn func(ledger.Tx) error) error {
	return b.store.Update(context.Background(), fn)
}

// transfer moves an amount from one account to another.
func transfer(id string, amount int64) ledger.Transfer {
	return ledger.Transfer{ID: id, At: time.Unix(1, 0).UTC(), Legs: []ledger.Leg{
		{Account: "left", Amount: amount, Currency: "eur"},
		{Account: "right", Amount: -amount, Currency: "eur"},
	}}
}

// refused insists that a transfer is refused for this reason and leaves
// nothing behind.
func (b *bench) refused(t *testing.T, transfer ledger.Transfer, want error) {
	t.Helper()
	before := b.books("shop")
	if err := b.update(func(tx ledger.Tx) error { return tx.Post(transfer) }); !errors.Is(err, want) {
		t.Errorf("posting %+v: %v, want %v", transfer, err, want)
	}
	same(t, before, b.books("shop"))
}

// storeRules: the engine by itself.
var storeRules = []rule{
	{"a transfer that does not balance in each currency is refused", func(t *testing.T, b *bench) {
		off := transfer("tr_1", 100)
		off.Legs[1].Amount = -99
		b.refused(t, off, ledger.ErrUnbalanced)
		mixed := transfer("tr_1", 100)
		mixed.Legs[1].Currency = "usd"
		b.refused(t, mixed, ledger.ErrUnbalanced)
		b.refused(t, ledger.Transfer{ID: "tr_1"}, ledger.ErrUnbalanced)
	}},
	{"a sum that would wrap is refused, in a transfer and in a balance", func(t *testing.T, b *bench) {
		wide := transfer("tr_1", math.MaxInt64)
		wide.Legs = append(wide.Legs, ledger.Leg{Account: "left", Amount: 1, Currency: "eur"})
		wide.Legs[1], wide.Legs[2] = wide.Legs[2], wide.Legs[1]
		b.refused(t, wide, ledger.ErrOverflow)

		twice := func(tx ledger.Tx) error {
			if err := tx.Post(transfer("tr_1", math.MaxInt64)); err != nil {
				return err
			}
			return tx.Post(transfer("tr_2", 1))
		}
		before := b.books("shop")
		if err := b.update(twice); !errors.Is(err, ledger.ErrOverflow) {
			t.Errorf("got %v", err)
		}
		same(t, before, b.books("shop"))
	}},
	{"a transfer is booked once", func(t *testing.T, b *bench) {
		twice := func(tx ledger.Tx) error {
			if err := tx.Post(transfer("tr_1", 5)); err != nil {
				return err
			}
			return tx.Post(transfer("tr_1", 5))
		}
		if err := b.update(twice); !errors.Is(err, ledger.ErrTransferExists) {
			t.Errorf("got %v", err)
		}
	}},
	{"an error rolls everything back", func(t *testing.T, b *bench) {
		before := b.books("shop")
		err := b.update(func(tx ledger.Tx) error {
			if err := tx.PutCharge(ledger.Charge{ID: "ch_1", Owner: "shop", Status: ledger.Pending}); err != nil {
				return err
			}
			if err := tx.Post(transfer("tr_1", 5)); err != nil {
				return err
			}
			return errUndo
		})
		if !errors.Is(err, errUndo) {
			t.Errorf("got %v", err)
		}
		same(t, before, b.books("shop"))
	}},
	{"a panic rolls everything back and frees the store", func(t *testing.T, b *bench) {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_ = b.update(func(tx ledger.Tx) error {
				if err := tx.Post(transfer("tr_1", 5)); err != nil {
					return err
				}
				panic("scripted panic")
			})
		}()
		if got := b.books("shop").Postings; len(got) != 0 {
			t.Errorf("postings %v", got)
		}
		if err := b.update(func(tx ledger.Tx) error { return nil }); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}},
	{"a settled charge never becomes anything else", func(t *testing.T, b *bench) {
		c := ledger.Charge{ID: "ch_1", Owner: "shop", Amount: 5, Currency: "eur", Status: ledger.Failed}
		for name, change := range map[string]func(*ledger.Charge){
			"pending again":    func(c *ledger.Charge) { c.Status = ledger.Pending },
			"succeeded":        func(c *ledger.Charge) { c.Status = ledger.Succeeded },
			"another amount":   func(c *ledger.Charge) { c.Amount = 6 },
			"another currency": func(c *ledger.Charge) { c.Currency = "usd" },
			"another owner":    func(c *ledger.Charge) { c.Owner = "anna" },
			"no status":        func(c *ledger.Charge) { c.Status = "" },
		} {
			next := c
			change(&next)
			err := b.update(func(tx ledger.Tx) error {
				if err := tx.PutCharge(c); err != nil {
					return fmt.Errorf("first: %w", errUndo)
				}
				return tx.PutCharge(next)
			})
			if !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"charges are listed newest first, in pages, for their owner alone", pages},
	{"a view is one snapshot", func(t *testing.T, b *bench) {
		b.view(func(r ledger.Reader) error {
			if got := b.charge(request("k")); got.err != nil {
				return got.err
			}
			postings, err := r.Postings(10)
			if len(postings) != 0 {
				t.Errorf("a view sees what was committed after it began: %v", postings)
			}
			return err
		})
		if got := b.books("shop").Postings; len(got) != 2 {
			t.Errorf("postings %v", got)
		}
	}},
}

func pages(t *testing.T, b *bench) {
	var ids []string
	for i := range 7 {
		ids = append([]string{b.charge(request(fmt.Sprint("k", i))).Charge}, ids...)
		b.charge(request(fmt.Sprint("k", i), owner("shopper"))) // a name that begins like the other
	}
	for _, test := range []struct {
		page ledger.Page
		want []string
		more bool
	}{
		{ledger.Page{}, ids, false},
		{ledger.Page{Limit: 7}, ids, false},
		{ledger.Page{Limit: 3}, ids[:3], true},
		{ledger.Page{Limit: 3, After: ids[2]}, ids[3:6], true},
		{ledger.Page{Limit: 3, After: ids[5]}, ids[6:], false},
		{ledger.Page{Limit: 3, After: ids[6]}, nil, false},
		{ledger.Page{Limit: 3, Before: ids[6]}, ids[3:6], true},
		{ledger.Page{Limit: 3, Before: ids[2]}, ids[:2], false},
		{ledger.Page{Limit: 3, Before: ids[0]}, nil, false},
	} {
		b.view(func(r ledger.Reader) error {
			charges, more, err := r.Charges("shop", test.page)
			var got []string
			for _, c := range charges {
				got = append(got, c.ID)
			}
			same(t, test.want, got)
			if more != test.more {
				t.Errorf("page %+v: more %v", test.page, more)
			}
			return err
		})
	}
	b.view(func(r ledger.Reader) error {
		if _, _, err := r.Charges("shopper", ledger.Page{After: ids[0]}); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("a page of one owner at a charge of another: %v", err)
		}
		return nil
	})
}
