package retrypolicy_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"chargeonce/retrypolicy"
)

// A charge whose first attempt meets a server that is busy. The key is made
// once, before the first attempt, and kept with the order.
func Example() {
	server := httptest.NewServer(flaky())
	defer server.Close()

	client := retrypolicy.Client{
		Policy: retrypolicy.Policy{MaxAttempts: 3, Base: time.Millisecond},
		Hooks: retrypolicy.Hooks{
			Ended: func(_ context.Context, e retrypolicy.Ended) {
				fmt.Printf("attempt %d of %d: %s\n", e.Number, e.Of, e.Reason)
			},
		},
	}
	req, err := http.NewRequest(http.MethodPost, server.URL+"/v1/charges", strings.NewReader("amount=5000&currency=eur"))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Idempotency-Key", "order-7F3A")
	resp, err := client.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d for %s\n", resp.Status, resp.Body)
	// Output:
	// attempt 1 of 3: 503: unavailable for the moment
	// attempt 2 of 3: 201: answered
	// 201 for order-7F3A
}

// flaky is unavailable once, then charges and names the key that it was given.
func flaky() http.Handler {
	calls := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprint(w, r.Header.Get("Idempotency-Key"))
	})
}

func ExampleBackoff() {
	for attempt := 1; attempt <= 5; attempt++ {
		schedule := retrypolicy.Backoff(attempt, 200*time.Millisecond, 2*time.Second)
		fmt.Println(schedule, retrypolicy.FullJitter(schedule, .25), retrypolicy.EqualJitter(schedule, .25))
	}
	// Output:
	// 200ms 50ms 125ms
	// 400ms 100ms 250ms
	// 800ms 200ms 500ms
	// 1.6s 400ms 1s
	// 2s 500ms 1.25s
}

func ExampleClassify() {
	timeout := &retrypolicy.TimeoutError{After: 2 * time.Second}
	for _, keyed := range []bool{true, false} {
		result := retrypolicy.Result{Method: http.MethodPost, Keyed: keyed, Err: timeout}
		verdict, reason := retrypolicy.Classify(result, retrypolicy.Policy{})
		fmt.Printf("%v: %s\n", verdict, reason)
	}
	// Output:
	// retry: timed out; outcome unknown
	// stop: timed out; outcome unknown; not repeated: no idempotency key, and bytes may have left
}
