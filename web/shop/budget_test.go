package shop

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"chargeonce/retrypolicy"
)

// A budget belongs to the shop and not to an order: what one order has used up
// is not there for the next. Its outcome is unknown then, and no failure.
func TestAllOrdersShareOneBudgetOfRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t, "")
		defer func() { _ = db.Close() }()
		wire := &api{script: []func(*http.Request) (*http.Response, error){answers(503, "down")}}
		unsure := make(chan error, 2)
		s := New(Options{
			DB: db, Wire: wire, API: func() string { return "http://api.test" },
			Budget: &retrypolicy.Budget{Burst: 1, PerSecond: -1, PerCall: -1},
			Policy: retrypolicy.Policy{MaxAttempts: 3},
			Hooks:  Hooks{Unconfirmed: func(_ Order, err error) { unsure <- err }},
		})
		defer s.Close()
		for _, attempts := range []int{2, 3} {
			click, err := s.Pay(context.Background(), Draft(5000, "eur", "tok_visa"))
			if err != nil {
				t.Fatal(err)
			}
			if state, err := click.Wait(context.Background()); state != Open || err != nil {
				t.Errorf("the order is %s: %v", state, err)
			}
			if err := <-unsure; !errors.Is(err, retrypolicy.ErrBudget) {
				t.Errorf("the round ended for another reason: %v", err)
			}
			if keys, _, _ := wire.sent(); len(keys) != attempts {
				t.Errorf("%d attempts in all, want %d", len(keys), attempts)
			}
		}
	})
}
