package tests

import (
	"net/http"
	"path/filepath"
	"testing"

	"chargeonce/web/control"
)

// loseProviderAnswers arms silence on the provider's wire: the provider
// captures, and the payments API never hears of it.
func (c *stageClient) loseProviderAnswers(attempts int) {
	c.t.Helper()
	c.post("/stage/faults", control.Fault{
		Boundary: "provider", Side: control.Safe, Kind: "lose-response", How: "silent", Attempts: attempts,
	}, http.StatusCreated, nil)
}

func TestAKillBetweenCaptureAndRecordResumesWithOneCapture(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	before := c.state().Children[control.Safe].PID
	form, _ := c.checkout()
	c.loseProviderAnswers(1)
	c.pay(form, "normal", "pm_card_visa")
	eventually(t, "the provider has captured", func() (bool, any) {
		captures := c.captures("shop")
		return len(captures) == 1, captures
	})
	var child control.Child
	c.post("/stage/kill", map[string]string{"side": "safe"}, http.StatusOK, &child)
	if child.PID == before || child.State != "ready" {
		t.Errorf("after the kill: %+v, the process before was %d", child, before)
	}
	c.awaitPaid()
	c.chargedOnce("shop")
	counters := c.state().Counters[control.Safe]
	if counters[control.Killed] != 1 || counters[control.Resumed] != 1 {
		t.Errorf("want one kill and one resumed charge, got %v", counters)
	}
	if seen := c.captures("shop")[0].Seen; seen != 1 {
		t.Errorf("the resumed attempt sent the capture again (%d times) instead of asking by key first", seen)
	}
}

func TestAKilledStageSettlesItsOpenOrderWithTheSameKey(t *testing.T) {
	dir := t.TempDir()
	p, c := startStage(t, dir)
	form, _ := c.checkout()
	c.post("/stage/faults", control.Fault{
		Boundary: "api", Side: control.Safe, Kind: "lose-response", How: "reset", Attempts: 100,
	}, http.StatusCreated, nil)
	c.pay(form, "normal", "pm_card_visa")
	c.awaitCount(control.Attempt, 2)
	p.kill() // in mid-retry: the card is charged, the shop does not know

	_, c2 := startStage(t, dir)
	c2.http.Jar = c.http.Jar
	eventually(t, "the order is paid after the restart", func() (bool, any) {
		books := c2.books("shop")
		return books.Charges == 1 && books.Unpaid["eur"] == 0, books
	})
	c2.awaitCount(control.Replay, 1)
	c2.chargedOnce("shop")
	var keys []string
	for _, e := range eventsUpTo(t, c2.follow(0), c2.state().Seq) {
		if e.Side == control.Safe && e.Lane == control.LaneShop && e.Kind == control.KindRequest {
			keys = append(keys, e.Key)
		}
	}
	for _, key := range keys {
		if key != form.key {
			t.Errorf("the restarted shop sent key %q, the order's key is %q", key, form.key)
		}
	}
	if len(keys) == 0 {
		t.Error("the restarted shop sent nothing")
	}
}

func TestEachCrashPointLeavesOneCharge(t *testing.T) {
	for _, point := range []string{"begin", "claimed", "provider-called", "committed", "answered"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "api")
			args := []string{"api", "--listen", "127.0.0.1:0", "--data", dir, "--lease", "3s", "--provider-timeout", "500ms"}
			first := start(t, append(args, "--crash-at", point)...)
			if _, _, err := postCharge(first.URL, "you", "order-1", 5000); err == nil && point != "answered" {
				t.Fatal("the process should have died before it answered")
			}
			<-first.done

			second := start(t, args...)
			c := newStageClient(t, second.URL)
			var ids []string
			eventually(t, "the charge is answered", func() (bool, any) {
				response, body := c.charge("you", "order-1", 5000)
				ids = append(ids, string(body))
				return response.StatusCode == http.StatusCreated, string(body)
			})
			response, body := c.charge("you", "order-1", 5000)
			if response.Header.Get("Idempotent-Replayed") != "true" || string(body) != ids[len(ids)-1] {
				t.Errorf("replay: %v %s, first %s", response.Header, body, ids[len(ids)-1])
			}
			var list struct{ Data []struct{ Status string } }
			c.getAs("you", "/v1/charges", &list)
			if len(list.Data) != 1 || list.Data[0].Status != "succeeded" {
				t.Errorf("charges: %+v", list.Data)
			}
		})
	}
}

// getAs reads as an owner.
func (c *stageClient) getAs(owner, path string, into any) {
	c.t.Helper()
	request, err := http.NewRequest(http.MethodGet, c.base+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer sk_test_"+owner)
	response, err := c.http.Do(request)
	c.decode(response, err, http.StatusOK, into)
}
