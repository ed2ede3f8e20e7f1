package provider

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

func TestBookListsAnOwnersOperationsNewestFirst(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := start(t, Options{Now: func() time.Time { return at }})
	capture := post(p, "/captures", "k1", orderOf(500, "jpy", "tok_visa", "shop/ch_1")).document(t)
	post(p, "/captures", "k2", orderOf(700, "eur", "tok_visa", "shop-2/ch_2"))
	post(p, "/captures", "k3", orderOf(900, "eur", "tok_chargeDeclined", "shop/ch_3"))
	post(p, "/refunds", "k4", refundOf(capture.ID, 200))

	lines := book(t, p, "shop")
	want := []Operation{
		{Key: "k4", Reference: "shop/ch_1", Amount: 200, Currency: "jpy", Status: StatusRefunded, Capture: capture.ID, Seen: 1, At: at},
		{Key: "k3", Reference: "shop/ch_3", Amount: 900, Currency: "eur", Status: StatusDeclined, DeclineCode: "generic_decline", Seen: 1, At: at},
		{Key: "k1", Reference: "shop/ch_1", Amount: 500, Currency: "jpy", Status: StatusCaptured, Refunded: 200, Seen: 1, At: at},
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	for i, line := range lines {
		if line.ID == "" {
			t.Errorf("line %d has no id", i)
		}
		line.ID = ""
		if line != want[i] {
			t.Errorf("line %d is %+v, want %+v", i, line, want[i])
		}
	}
	if all := book(t, p, ""); len(all) != 4 || all[2].Reference != "shop-2/ch_2" {
		t.Errorf("the whole book is %+v", all)
	}
	if _, err := p.Book("no owner"); !errors.Is(err, idem.ErrOwnerInvalid) {
		t.Errorf("book of an impossible owner: %v", err)
	}
}

func TestBookIsBoundedAndItsSumsAreNot(t *testing.T) {
	db := memory(t)
	p, err := New(Options{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	const more = MaxBook + 5
	err = db.Update(context.Background(), func(tx *badgerdb.Tx) error {
		b := rows{tx, DefaultAccount}
		for i := range more {
			key := idem.Key{Owner: DefaultAccount, Value: fmt.Sprint(i)}
			op := Operation{Key: key.Value, ID: "cpt_" + key.Value, Reference: "shop/x", Amount: 1, Currency: "eur", Status: StatusCaptured}
			if err := b.decided(b.operationRow(key), op); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if lines := book(t, p, "shop"); len(lines) != MaxBook || lines[0].Key != fmt.Sprint(more-1) {
		t.Errorf("%d lines from %s on, want the newest %d", len(lines), lines[0].Key, MaxBook)
	}
	captured, captures, err := p.Totals()
	if err != nil || captured["shop"]["eur"] != more || captures["shop"] != more {
		t.Errorf("totals %v, %v (%v), want %d", captured, captures, err, more)
	}
}

func TestTotalsRefuseToSumUpAPart(t *testing.T) {
	db := memory(t)
	p, err := New(Options{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	fill := func(from, to int) {
		err := db.Update(context.Background(), func(tx *badgerdb.Tx) error {
			for i := from; i < to; i++ {
				if err := badgerdb.SetJSON(tx, rows{tx, DefaultAccount}.at("total", fmt.Sprint(i)), total{Captures: 1}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	fill(0, MaxOwners)
	if _, captures, err := p.Totals(); err != nil || len(captures) != MaxOwners {
		t.Errorf("%d owners: %v, want %d", len(captures), err, MaxOwners)
	}
	fill(MaxOwners, MaxOwners+1)
	if _, _, err := p.Totals(); !errors.Is(err, ErrTooManyOwners) {
		t.Errorf("one owner too many: %v", err)
	}
}

func TestAKeyIsNeverForgotten(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := start(t, Options{Now: func() time.Time { return now }})
	first := post(p, "/captures", "k", order50("tok_visa"))
	now = now.AddDate(50, 0, 0)
	again := post(p, "/captures", "k", order50("tok_visa"))
	if again.body != first.body || !again.replayed() {
		t.Errorf("after 50 years: %d %s, want the replay of %s", again.status, again.body, first.body)
	}
}
