package tests

import (
	"net/http"
	"testing"

	"chargeonce/web/control"
)

func TestALeaseIsCountedDownBeforeEverybodysEyes(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.post("/stage/gates", control.Gate{Side: control.Safe, Gate: "claimed", Owner: "ann", Count: 1}, http.StatusCreated, nil)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _, _ = postCharge(c.base, "ann", "order-1", 5000) // what it says is not looked at
	}()
	var held control.Hold
	eventually(t, "the request is held", func() (bool, any) {
		holds := c.state().Holds
		if len(holds) == 1 {
			held = holds[0]
		}
		return len(holds) == 1, holds
	})
	b := openTab(t, c.base, "/keys?owner=ann&key=order-1", 320, 720)
	b.awaitText(".slip", "claimed")
	first := b.text(".slip .lease")
	eventually(t, "the lease changes by itself", func() (bool, any) {
		now := b.text(".slip .lease")
		return first != "" && now != "" && now != first, first
	})
	c.post("/stage/holds/"+held.Hold, map[string]string{"action": "deliver"}, http.StatusNoContent, nil)
	<-answered
	b.awaitText(".slip", "ended or released")
	b.awaitText("#record", "Stored answer: 201")
	if wide := eval[float64](b, `document.documentElement.scrollWidth`); wide > 320 {
		t.Errorf("the page is %v px wide", wide)
	}
}

func TestTheBooksOfALostAnswerSayWhichMoneyIsWrong(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/books", 320, 720)
	b.awaitText("main", "Nothing has been bought yet")
	form, _ := c.checkout()
	c.pay(form, "lose", "pm_card_visa")
	eventually(t, "both sides have their receipts", func() (bool, any) {
		var books control.Books
		c.get("/stage/books", &books)
		naive, safe := books.Sides[control.Naive].Owners["shop"], books.Sides[control.Safe].Owners["shop"]
		return naive.Receipts == 2 && safe.Receipts == 1, books
	})
	b = openTab(t, c.base, "/books", 320, 720)
	wrong := `[...document.querySelectorAll(".book-side")].map(side => side.querySelectorAll("td .bad").length).join()`
	// Ledger, card, overcharged; the order's captures; one capture; one receipt.
	if got := eval[string](b, wrong); got != "6,0" {
		t.Errorf("wrong figures of naive, safe: %s, want 6,0", got)
	}
	b.awaitText(".book-side", "charged €50.00 too much")
	b.awaitText(".book-side", "sum of all accounts, EUR")
	links := eval[[]string](b, `[...document.querySelectorAll(".book-side:first-of-type a")].map(a => a.href)`)
	if len(links) > 0 {
		t.Errorf("keys that nobody sent lead to %v", links)
	}
	if wide := eval[float64](b, `document.documentElement.scrollWidth`); wide > 320 {
		t.Errorf("the page is %v px wide", wide)
	}
}
