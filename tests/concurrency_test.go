package tests

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"chargeonce/web/control"
)

func TestSixtyFourClientsWithOneKeyMakeOneCharge(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	const clients = 64
	var (
		barrier  = make(chan struct{})
		group    sync.WaitGroup
		mu       sync.Mutex
		statuses = map[int]int{}
		ids      = map[string]bool{}
	)
	for range clients {
		group.Go(func() {
			<-barrier
			response, body, err := postCharge(c.base, "crowd", "order-1", 5000)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("request: %v", err)
				return
			}
			statuses[response.StatusCode]++
			if response.StatusCode == http.StatusCreated {
				var charge struct{ ID string }
				if err := json.Unmarshal(body, &charge); err != nil {
					t.Error(err)
				}
				ids[charge.ID] = true
			}
		})
	}
	close(barrier)
	group.Wait()
	if statuses[http.StatusCreated]+statuses[http.StatusConflict] != clients || len(ids) != 1 {
		t.Errorf("statuses %v, charge ids %v: want 201 and 409 only, and one id", statuses, ids)
	}
	c.chargedOnce("crowd")
	counters := c.state().Counters[control.Safe]
	if counters[control.Started] != 1 || counters[control.Captured] != 1 {
		t.Errorf("counters: %v", counters)
	}
}

func TestOwnersWithOneKeyNeverMeet(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	a, bodyA := c.charge("alice", "order-1", 5000)
	b, bodyB := c.charge("bob", "order-1", 5000)
	if a.StatusCode != http.StatusCreated || b.StatusCode != http.StatusCreated || b.Header.Get("Idempotent-Replayed") != "" {
		t.Fatalf("%d %s; %d %s", a.StatusCode, bodyA, b.StatusCode, bodyB)
	}
	c.chargedOnce("alice")
	c.chargedOnce("bob")
}
