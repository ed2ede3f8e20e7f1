package tests

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"chargeonce/web/control"
)

// talk is how long a presenter talks while a request is held: longer than the
// shop's whole patience, which is 30 seconds, unless the tests are to be short.
func talk() time.Duration {
	if testing.Short() {
		return 3 * time.Second
	}
	return 35 * time.Second
}

func (c *stageClient) arm(side control.Side, gate string) {
	c.t.Helper()
	c.post("/stage/gates", control.Gate{Side: side, Gate: gate, Owner: "shop", Count: 1}, http.StatusCreated, nil)
}

func (c *stageClient) awaitHold(side control.Side) (hold control.Hold) {
	c.t.Helper()
	eventually(c.t, "a request is held", func() (bool, any) {
		holds := c.state().Holds
		for _, h := range holds {
			if h.Side == side {
				hold = h
				return true, holds
			}
		}
		return false, holds
	})
	return hold
}

func (c *stageClient) decide(hold control.Hold, action string, ms int64) {
	c.t.Helper()
	c.post("/stage/holds/"+hold.Hold, map[string]any{"action": action, "ms": ms}, http.StatusNoContent, nil)
}

func TestAHeldRequestOutlivesTheTalkAndMeetsEachFate(t *testing.T) {
	for _, fate := range []struct {
		action string
		ms     int64
	}{{"deliver", 0}, {"drop", 0}, {"delay", 100}, {"kill", 0}} {
		for _, gate := range []string{"provider-called", "committed"} {
			t.Run(fmt.Sprintf("%s at %s", fate.action, gate), func(t *testing.T) {
				t.Parallel()
				_, c := startStage(t, t.TempDir())
				c.arm(control.Safe, gate)
				form, _ := c.checkout()
				c.pay(form, "normal", "pm_card_visa")
				hold := c.awaitHold(control.Safe)
				if hold.Gate != gate || hold.Owner != "shop" || hold.Key != form.key {
					t.Errorf("held: %+v", hold)
				}
				time.Sleep(talk()) // the talk itself is what is tested
				if attempts := c.state().Counters[control.Safe][control.Attempt]; attempts != 1 {
					t.Errorf("while the request was held the shop made %d attempts", attempts)
				}
				c.decide(hold, fate.action, fate.ms)
				c.awaitPaid()
				c.chargedOnce("shop")
				if holds := c.state().Holds; len(holds) != 0 {
					t.Errorf("still held: %+v", holds)
				}
			})
		}
	}
}

func TestDroppedBeforeAnyWorkNothingIsDone(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.arm(control.Safe, "received")
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.decide(c.awaitHold(control.Safe), "drop", 0)
	c.awaitPaid()
	c.chargedOnce("shop")
	if counters := c.state().Counters[control.Safe]; counters[control.Started] != 1 || counters[control.Replay] != 0 || counters[control.Attempt] != 2 {
		t.Errorf("attempt 2 should be the first to work: %v", counters)
	}
}

func TestDisarmingDeliversWhatIsHeld(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.arm(control.Safe, "claimed")
	c.arm(control.Naive, "inserted")
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.awaitHold(control.Safe)
	c.awaitHold(control.Naive)
	request, err := http.NewRequest(http.MethodDelete, c.base+"/stage/gates", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.http.Do(request)
	c.decode(response, err, http.StatusNoContent, nil)
	c.awaitPaid()
	c.chargedOnce("shop")
	if state := c.state(); len(state.Gates)+len(state.Holds) != 0 {
		t.Errorf("left: %+v %+v", state.Gates, state.Holds)
	}
}

func TestGatesThatDoNotExistAreRefused(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	for _, gate := range []control.Gate{
		{Side: control.Safe, Gate: "looked", Count: 1}, // of the other side
		{Side: control.Safe, Gate: "", Count: 1},
		{Side: control.Naive, Gate: "looked", Count: 1}, // under no-key nothing looks
		{Side: control.Safe, Gate: "claimed", Count: 0},
		{Side: control.Safe, Gate: "claimed", Count: -1},
		{Side: "both", Gate: "claimed", Count: 1},
	} {
		c.post("/stage/gates", gate, http.StatusBadRequest, nil)
	}
	c.post("/stage/holds/nobody", map[string]string{"action": "deliver"}, http.StatusNotFound, nil)
}
