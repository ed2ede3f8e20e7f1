package tests

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"chargeonce/web/control"
)

func TestPayNormallyChargesOnce(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, page := c.checkout()
	if !strings.Contains(page, "€50.00") || form.key == "" || form.order == "" {
		t.Fatalf("the first screen shows no order: %+v", form)
	}
	if status := c.pay(form, "normal", "pm_card_visa"); status != http.StatusOK {
		t.Fatalf("pay: status %d after the redirect", status)
	}
	c.awaitPaid()
	c.chargedOnce("shop")
	books := c.books("shop")
	if books.Wanted["eur"] != 5000 || books.Overcharged["eur"] != 0 || books.Unpaid["eur"] != 0 {
		t.Errorf("books: %+v", books)
	}
	if books.Wire.API != 1 || books.Wire.Provider != 1 {
		t.Errorf("a normal payment is one request on each wire, got %+v", books.Wire)
	}
}

func TestALostAnswerIsReplayedUnderTheSameKey(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "lose", "pm_card_visa")
	c.awaitPaid()
	c.chargedOnce("shop")
	state := c.state()
	counters := state.Counters[control.Safe]
	if counters[control.Attempt] != 2 || state.Retries[control.Safe] != 1 || counters[control.Silence] != 1 ||
		counters[control.Started] != 1 || counters[control.Replay] != 1 {
		t.Errorf("counters: %v, retries %v", counters, state.Retries)
	}
	if wire := c.books("shop").Wire.API; wire != 2 {
		t.Errorf("the wire saw %d requests, want 2", wire)
	}
	for _, e := range eventsUpTo(t, c.follow(0), state.Seq) {
		if e.Side == control.Safe && e.Lane == control.LaneShop && e.Kind == control.KindRequest && e.Key != form.key {
			t.Errorf("attempt %d carries key %q, want %q", e.Attempt, e.Key, form.key)
		}
	}
}

func TestADoubleClickIsBusyAndThenReplayed(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.pay(form, "normal", "pm_card_visa")
	c.awaitCount(control.Replay, 1)
	c.awaitPaid()
	c.chargedOnce("shop")
	counters := c.state().Counters[control.Safe]
	if counters[control.Started] != 1 || counters[control.Busy] != 1 || counters[control.Replay] != 1 {
		t.Errorf("want one started, one busy, one replay, got %v", counters)
	}
}

func TestTheSameKeyWithAnotherAmountConflicts(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	first, _ := c.charge("you", "order-1", 5000)
	if first.StatusCode != http.StatusCreated {
		t.Fatalf("first: %d", first.StatusCode)
	}
	second, body := c.charge("you", "order-1", 8000)
	var problem struct {
		Error struct{ Type, Code, Param string }
	}
	if err := json.Unmarshal(body, &problem); err != nil {
		t.Fatal(err)
	}
	if second.StatusCode != http.StatusConflict || problem.Error.Code != "idempotency_key_reused" || problem.Error.Param != "amount" {
		t.Errorf("second: %d %s", second.StatusCode, body)
	}
	if second.Header.Get("Stripe-Should-Retry") != "false" || second.Header.Get("Retry-After") != "" {
		t.Errorf("a conflict must not be retried: %v", second.Header)
	}
	c.awaitCount(control.Conflict, 1)
	c.chargedOnce("you")
	if books := c.books("you"); books.Wanted != nil || books.Overcharged != nil {
		t.Errorf("nobody knows what an outside client wanted: %+v", books)
	}
}

func TestAnOutsideClientMeetsTheSameNetwork(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	_, _, err := postCharge(c.base, "you", "order-2", 5000, "Chargeonce-Fault", "lose-response;how=reset")
	if err == nil {
		t.Fatal("the answer should be lost")
	}
	again, _ := c.charge("you", "order-2", 5000, "Chargeonce-Fault", "lose-response;how=reset")
	if again.StatusCode != http.StatusCreated || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("attempt 2: %d %v", again.StatusCode, again.Header)
	}
	c.chargedOnce("you")
}

func TestADeclinedCardIsAnAnswer(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_chargeDeclined")
	eventually(t, "the page says declined", func() (bool, any) {
		_, page := c.checkout()
		return strings.Contains(page, "The card was declined"), page
	})
	if counters := c.state().Counters[control.Safe]; counters[control.Attempt] != 1 {
		t.Errorf("a decline must not be retried: %v", counters)
	}
	if books := c.books("shop"); books.Captures != 0 || books.Unpaid["eur"] != 0 || books.Overcharged["eur"] != 0 {
		t.Errorf("books: %+v", books)
	}
	next := c.newOrder()
	if next.key == form.key || next.order == form.order {
		t.Errorf("New order must mint a new key: %+v after %+v", next, form)
	}
}

func TestReloadKeepsTheKeyAndPaysNothing(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	if again, _ := c.checkout(); again != form {
		t.Errorf("a reload changed the order: %+v, then %+v", form, again)
	}
	c.pay(form, "normal", "pm_card_visa")
	c.awaitPaid()
	for range 3 {
		c.checkout()
	}
	if wire := c.books("shop").Wire.API; wire != 1 {
		t.Errorf("reloading the page put %d requests on the wire", wire)
	}
}

func TestAnEditedOrderIsExplainedAndNotSent(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.awaitPaid()
	edited := form
	edited.amount = "8000"
	if status := c.pay(edited, "normal", "pm_card_visa"); status != http.StatusConflict {
		t.Errorf("status %d, want 409", status)
	}
	if books := c.books("shop"); books.Wire.API != 1 || books.Captured["eur"] != 5000 {
		t.Errorf("books: %+v", books)
	}
}
