package shop

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

// Of an order that the breaker never let out, it is known that nothing has
// happened; of one of which a single attempt went out, it is not.
func TestWhatTheBreakerHoldsBackIsQueuedAndWhatWasSentIsUnknown(t *testing.T) {
	down := answers(http.StatusServiceUnavailable, `{}`)
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t, "")
		var queued, unconfirmed []string
		s := New(Options{
			DB: db, Wire: &api{script: []func(*http.Request) (*http.Response, error){down, down, created}},
			API:     func() string { return "http://api.test" },
			Policy:  retrypolicy.Policy{MaxAttempts: 2, AttemptTimeout: time.Second},
			Breaker: &retrypolicy.Breaker{MinVolume: 2, FailureRatio: 1, Cooldown: time.Minute},
			Recheck: 20 * time.Second,
			Hooks: Hooks{
				Queued:      func(o Order, _ error) { queued = append(queued, o.ID) },
				Unconfirmed: func(o Order, _ error) { unconfirmed = append(unconfirmed, o.ID) },
			},
		})
		sent, held := Draft(5000, "eur", "tok_visa"), Draft(8000, "eur", "tok_visa")
		for _, draft := range []Order{sent, held} {
			click, err := s.Pay(context.Background(), draft)
			if err != nil {
				t.Fatal(err)
			}
			if answer, err := click.Wait(context.Background()); answer != Open || err != nil {
				t.Errorf("the click was told %q, %v", answer, err)
			}
		}
		time.Sleep(10 * time.Minute)
		if len(queued) == 0 || slices.Contains(queued, sent.ID) {
			t.Errorf("queued %v; want only %s", queued, held.ID)
		}
		if len(unconfirmed) == 0 || slices.Contains(unconfirmed, held.ID) {
			t.Errorf("unconfirmed %v; want only %s, in later rounds as well", unconfirmed, sent.ID)
		}
		for _, draft := range []Order{sent, held} {
			if o := order(t, s, draft.ID); o.State != Paid {
				t.Errorf("once the breaker has closed: %+v", o)
			}
		}
		s.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The two policy points see every open order, and only at their own time.
func TestAnOrderGoesOnAsItsPolicyPointSays(t *testing.T) {
	script := []func(*http.Request) (*http.Response, error){silent, silent, silent, silent, silent, silent, created}
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t, "")
		wire := &api{script: script}
		named := func(name string) func(Order) Order {
			return func(o Order) Order {
				o.Key = name
				return o
			}
		}
		open := func() *Shop {
			return New(Options{
				DB: db, Wire: wire, API: func() string { return "http://api.test" },
				Policy:  retrypolicy.Policy{MaxAttempts: 2, AttemptTimeout: time.Second},
				Resumed: named("resumed"), Exhausted: named("exhausted"),
			})
		}
		first := open()
		click, err := first.Pay(context.Background(), Draft(5000, "eur", "tok_visa"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute / 6) // into the second round
		first.Close()
		second := open()
		if err := second.Resume(context.Background()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		second.Close()
		keys, _, _ := wire.sent()
		key := click.Order.Key
		if got := slices.Compact(slices.Clone(keys)); !slices.Equal(got, []string{key, "exhausted", "resumed", "exhausted"}) {
			t.Errorf("keys on the wire: %v", keys)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}
