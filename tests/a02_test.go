package tests

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/retrypolicy"
)

// race is what the clients of one key saw.
type race struct {
	mu       sync.Mutex
	attempts map[int]int     // by status; 0: no answer
	charges  map[string]bool // by id
	changes  []retrypolicy.Change
}

// hooks and change keep what the client tells.
func (r *race) hooks() retrypolicy.Hooks {
	return retrypolicy.Hooks{Ended: func(_ context.Context, e retrypolicy.Ended) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.attempts[e.Status]++
	}}
}

func (r *race) change(c retrypolicy.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes = append(r.changes, c)
}

// raceRequest is one charge of many under one key. Those that do not wait are
// told that it is busy; the others wait for the winner's answer.
func raceRequest(t *testing.T, base, prefer string) *http.Request {
	form := url.Values{"amount": {"5000"}, "currency": {"eur"}, "source": {"tok_chargeonceSlow"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/charges", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer sk_test_race")
	req.Header.Set("Idempotency-Key", "order-1")
	if prefer != "" {
		req.Header.Set("Prefer", prefer)
	}
	return req
}

// Case A02: the losers of a race got 503, which fed a storm of repeats and the
// breaker.
func TestLosersOfARaceAreNoFailuresAndLeaveTheBreakerClosed(t *testing.T) {
	// The slow card makes the race long enough for everybody to lose it, and the
	// API waits for the card.
	api := start(t, "api", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--provider-timeout", patience.String(), "--lease", "10m")
	seen := &race{attempts: map[int]int{}, charges: map[string]bool{}}
	transport := &http.Transport{MaxIdleConnsPerHost: 50}
	defer transport.CloseIdleConnections()
	client := &retrypolicy.Client{
		Transport: transport, Hooks: seen.hooks(),
		// Patient, since the machine may be busy; and a breaker that opens at
		// the second failure.
		Policy:  retrypolicy.Policy{MaxAttempts: 60, AttemptTimeout: patience, MaxElapsed: patience},
		Breaker: &retrypolicy.Breaker{MinVolume: 2, FailureRatio: 0.01, OnChange: seen.change},
	}
	barrier := make(chan struct{})
	var group sync.WaitGroup
	for i := range 50 {
		req := raceRequest(t, api.URL, []string{"", "wait=0"}[i%2])
		group.Go(func() {
			<-barrier
			resp, err := client.Do(req)
			if err != nil || resp.Status != http.StatusCreated {
				t.Errorf("client %d: %+v, %v", i, resp, err)
				return
			}
			var charge struct{ ID string }
			if err := json.Unmarshal(resp.Body, &charge); err != nil {
				t.Error(err)
			}
			seen.mu.Lock()
			defer seen.mu.Unlock()
			seen.charges[charge.ID] = true
		})
	}
	close(barrier)
	group.Wait()
	state := client.Breaker.State(time.Now()) // tells its changes, so not under the lock that they take
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if len(seen.charges) != 1 || seen.attempts[http.StatusCreated] != 50 {
		t.Errorf("charges %v, attempts by status %v", seen.charges, seen.attempts)
	}
	if busy := seen.attempts[http.StatusConflict]; busy == 0 || len(seen.attempts) != 2 {
		t.Errorf("attempts by status %v: want 201 and 409 busy, and nothing else", seen.attempts)
	}
	if state != retrypolicy.Closed || len(seen.changes) != 0 {
		t.Errorf("breaker is %v after %+v", state, seen.changes)
	}
}
