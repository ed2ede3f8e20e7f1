package naive

import (
	"reflect"
	"testing"
	"time"

	"chargeonce/retrypolicy"
	"chargeonce/web/shop"
)

func TestTheHerdWaitsInStepAndWithoutABudget(t *testing.T) {
	right := shop.Options{
		Owner: "shop", Recheck: time.Second, Budget: new(retrypolicy.Budget),
		Policy: retrypolicy.Policy{MaxAttempts: 7, Base: time.Second, Cap: 8 * time.Second},
	}
	wrong := noJitter().Shop(right)
	for attempt, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second} {
		for _, random := range []float64{0, 0.5, 0.999} {
			if got := wrong.Policy.Delay(attempt+1, 0, random); got != want {
				t.Errorf("after attempt %d, by chance %v: waits %v, want %v", attempt+1, random, got, want)
			}
		}
	}
	if wrong.Budget != nil {
		t.Error("the herd has a budget")
	}
	wrong.Policy.Jitter, wrong.Budget = right.Policy.Jitter, right.Budget
	if !reflect.DeepEqual(wrong, right) {
		t.Errorf("something else is wrong as well: %+v", wrong)
	}
}

func TestTheHerdsMoneyIsRightAllTheSame(t *testing.T) {
	m := noJitter()
	s := (&system{t: t}).start(m)
	order := shop.Draft(5000, "eur", "tok_visa")
	if keys := buy(t, s, m, order); len(keys) != 2 || keys[0] != order.Key || keys[1] != order.Key {
		t.Errorf("keys on the wire: %v; want %q twice", keys, order.Key)
	}
	if n := s.captures("shop"); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
}
