package tests

import (
	"net/http"
	"testing"

	"chargeonce/web/control"
)

// side reads one side's books of an owner.
func (c *stageClient) side(side control.Side, owner string) control.OwnerBooks {
	c.t.Helper()
	var books control.Books
	c.get("/stage/books", &books)
	return books.Sides[side].Owners[owner]
}

// awaitBooks waits until an owner's books on a side satisfy a condition.
func (c *stageClient) awaitBooks(side control.Side, owner, what string, condition func(control.OwnerBooks) bool) {
	c.t.Helper()
	eventually(c.t, what, func() (bool, any) {
		books := c.side(side, owner)
		return condition(books), books
	})
}

func TestTheSameClickChargesTwiceOnTheNaiveSide(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "lose", "pm_card_visa")
	c.awaitBooks(control.Naive, "shop", "the naive side has charged twice", func(b control.OwnerBooks) bool {
		return b.Captures == 2 && b.Charges == 2
	})
	c.awaitPaid()
	naive := c.side(control.Naive, "shop")
	if naive.Wanted["eur"] != 5000 || naive.Captured["eur"] != 10000 || naive.Overcharged["eur"] != 5000 || naive.Unpaid["eur"] != 0 {
		t.Errorf("naive: %+v", naive)
	}
	c.chargedOnce("shop")
	state := c.state()
	if state.Mistake != "no-key" || state.Counters[control.Naive][control.Started] != 2 || state.Counters[control.Naive][control.Replay] != 0 {
		t.Errorf("state: mistake %q, %v", state.Mistake, state.Counters)
	}
}

func TestReceiptsFollowTheCharges(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "lose", "pm_card_visa")
	c.awaitBooks(control.Naive, "shop", "two receipts on the naive side", func(b control.OwnerBooks) bool {
		return b.Receipts == 2 && b.Stock == -2
	})
	c.awaitBooks(control.Safe, "shop", "one receipt on the safe side", func(b control.OwnerBooks) bool {
		return b.Receipts == 1 && b.Stock == -1
	})
}

func TestAMessageThatIsLostComesAgainAndTakesEffectOnce(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.post("/stage/faults", control.Fault{
		Boundary: "webhook", Side: control.Safe, Kind: "lose-response", How: "reset", Attempts: 2,
	}, http.StatusCreated, nil)
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.awaitBooks(control.Safe, "shop", "the third delivery is acknowledged", func(b control.OwnerBooks) bool {
		return b.Wire.Webhook >= 3
	})
	if books := c.side(control.Safe, "shop"); books.Receipts != 1 || books.Stock != -1 {
		t.Errorf("books: %+v", books)
	}
}

func TestAnotherMistakeCanBeChosen(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.post("/stage/mistake", map[string]string{"id": "look-then-insert"}, http.StatusOK, nil)
	if state := c.state(); state.Mistake != "look-then-insert" || state.Children[control.Naive].State != "ready" {
		t.Errorf("state: %+v", state)
	}
	// Looking first and inserting later is fine as long as nobody is quick.
	form, _ := c.checkout()
	c.pay(form, "lose", "pm_card_visa")
	eventually(t, "attempt 2 is answered on the naive side", func() (bool, any) {
		counters := c.state().Counters[control.Naive]
		return counters[control.Replay] == 1, counters
	})
	if naive := c.side(control.Naive, "shop"); naive.Captures != 1 {
		t.Errorf("one after the other, even this mistake charges once: %+v", naive)
	}
	c.post("/stage/mistake", map[string]string{"id": "nonsense"}, http.StatusBadRequest, nil)
}
