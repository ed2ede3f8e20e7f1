package retrypolicy_test

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"chargeonce/retrypolicy"
)

// One order, one key, however often the program is started.
func ExampleKeyFor() {
	fmt.Println(retrypolicy.KeyFor("shop/charge", "7F3A")[:16])
	fmt.Println(retrypolicy.KeyFor("shop/charge", "7F3A")[:16])
	fmt.Println(retrypolicy.KeyFor("shop/refund", "7F3A")[:16])
	// Output:
	// dc659f6339cf01d0
	// dc659f6339cf01d0
	// 7d768c932a47f766
}

// Where there is no order id to derive a key from: a random key, in a file
// before the first attempt, and found there by whoever comes after a crash.
func ExampleFixKey() {
	dir, err := os.MkdirTemp("", "keys")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store := retrypolicy.KeyFile(filepath.Join(dir, "purchase.key"))

	var keys [2]string
	for run := range keys { // the second run is the one after the crash
		req, err := http.NewRequest(http.MethodPost, "http://api.test/v1/charges", nil)
		if err != nil {
			log.Fatal(err)
		}
		if err := retrypolicy.FixKey(req, store, "pay order 7F3A"); err != nil {
			log.Fatal(err)
		}
		keys[run] = req.Header.Get("Idempotency-Key")
	}
	fmt.Println(keys[0] == keys[1])
	// Output: true
}

// A storm of calls finds the bucket empty; a lone call later does not.
func ExampleBudget() {
	budget, now := &retrypolicy.Budget{Burst: 3}, time.Now()
	for range 5 {
		fmt.Print(budget.Take(now), " ")
	}
	fmt.Println(budget.Take(now.Add(time.Second)))
	// Output: true true true false false true
}

// A breaker around something that is no HTTP call.
func ExampleBreaker() {
	now := time.Now()
	breaker := &retrypolicy.Breaker{MinVolume: 2, Cooldown: time.Second, OnChange: func(c retrypolicy.Change) {
		fmt.Printf("%v → %v: %s\n", c.From, c.To, c.Reason)
	}}
	try := func(health retrypolicy.Health) {
		permit, err := breaker.Allow(now)
		if errors.Is(err, retrypolicy.ErrOpen) {
			fmt.Println(err)
			return
		}
		permit.Done(now, health)
	}
	try(retrypolicy.Failing)
	try(retrypolicy.Failing)
	try(retrypolicy.Healthy)
	now = now.Add(time.Second)
	try(retrypolicy.Healthy)
	// Output:
	// closed → open: 2 of 2 attempts failed within 10s
	// circuit breaker is open for another 1s, nothing was sent
	// open → half-open: the cool-down is over
	// half-open → closed: 1 of 1 probes were healthy
}

// A thousand callers, and a server that is down for a second: what they send
// in vain, and how many come back within the worst 20 ms after it is up.
func ExampleStorm() {
	fmt.Println("              in vain   peak")
	for _, row := range []struct {
		name   string
		policy retrypolicy.Policy
	}{
		{"no backoff", retrypolicy.Policy{Base: 1, Cap: 1, Jitter: retrypolicy.JitterNone, MaxAttempts: 1000}},
		{"no jitter", retrypolicy.Policy{Jitter: retrypolicy.JitterNone}},
		{"equal", retrypolicy.Policy{Jitter: retrypolicy.JitterEqual}},
		{"decorrelated", retrypolicy.Policy{Jitter: retrypolicy.JitterDecorrelated}},
		{"full", retrypolicy.Policy{Jitter: retrypolicy.JitterFull}},
	} {
		storm := retrypolicy.Storm{
			Clients: 1000, Outage: time.Second, Latency: 10 * time.Millisecond, Policy: row.policy, Seed: 1,
		}
		seen, err := storm.Run()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-13s %7d %6d\n", row.name, seen.Attempts-seen.Served, seen.Peak(storm.Outage))
	}
	// Output:
	//               in vain   peak
	// no backoff     100000   1000
	// no jitter        3000   1000
	// equal            3294     53
	// decorrelated     2541     33
	// full             3987     35
}

// A budget bounds the load of an outage, and a breaker ends it. A hundred
// callers come each second, for 20 s; the server is down for the first five.
func ExampleStorm_budgetAndBreaker() {
	storm := retrypolicy.Storm{
		Clients: 2000, Spread: 20 * time.Second, Outage: 5 * time.Second, Latency: 10 * time.Millisecond,
		Policy: retrypolicy.Policy{MaxAttempts: 10}, Again: 5 * time.Second, Seed: 1,
	}
	for _, name := range []string{"neither", "budget", "breaker"} {
		storm.Budget, storm.Breaker = nil, nil
		switch name {
		case "budget":
			storm.Budget = new(retrypolicy.Budget)
		case "breaker":
			storm.Breaker = &retrypolicy.Breaker{Cooldown: time.Second}
		}
		seen, err := storm.Run()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-8s %5d in vain, peak %2d, %d of %d served\n",
			name, seen.Attempts-seen.Served, seen.Peak(storm.Outage), seen.Served, storm.Clients)
	}
	// Output:
	// neither   2711 in vain, peak 20, 2000 of 2000 served
	// budget     946 in vain, peak 11, 2000 of 2000 served
	// breaker     16 in vain, peak 10, 2000 of 2000 served
}
