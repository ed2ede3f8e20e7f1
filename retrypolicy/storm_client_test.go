package retrypolicy_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

// played plays a storm with real clients, in a bubble: each caller is a
// goroutine with a Client, and the server a transport that counts.
func played(t *testing.T, s retrypolicy.Storm) (a retrypolicy.Arrivals) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		began := time.Now()
		server := roundTripper(func(*http.Request) (*http.Response, error) {
			at := time.Since(began)
			mu.Lock()
			a.Attempts++
			window := int(at / retrypolicy.StormWindow)
			for len(a.Windows) <= window {
				a.Windows = append(a.Windows, 0)
			}
			a.Windows[window]++
			mu.Unlock()
			time.Sleep(s.Latency)
			if at < s.Outage {
				return answer(503, ""), nil
			}
			return answer(201, ""), nil
		})
		var group sync.WaitGroup
		for i := range s.Clients {
			client := &retrypolicy.Client{Transport: server, Policy: s.Policy, Budget: s.Budget, Breaker: s.Breaker}
			client.Policy.Random = rand.New(rand.NewPCG(s.Seed, uint64(i))).Float64
			group.Go(func() {
				time.Sleep(s.Spread / time.Duration(s.Clients) * time.Duration(i))
				_, err := client.Do(keyed(t, ""))
				mu.Lock()
				defer mu.Unlock()
				if a.Calls++; err == nil {
					a.Served++
				}
			})
		}
		group.Wait()
	})
	return a
}

// Without this, a storm would only be a picture of what somebody believes the
// client does.
func TestAStormIsWhatRealClientsDo(t *testing.T) {
	shared := func(s retrypolicy.Storm) retrypolicy.Storm { // fresh for each run
		s.Budget = &retrypolicy.Budget{Burst: 30}
		s.Breaker = &retrypolicy.Breaker{MinVolume: 60, Cooldown: 300 * ms, Probes: 2}
		return s
	}
	for _, jitter := range allJitters {
		storm := retrypolicy.Storm{
			Clients: 150, Outage: sec, Latency: 7 * ms, Spread: 400 * ms, Seed: 3,
			Policy: retrypolicy.Policy{Jitter: jitter, MaxAttempts: 6, MaxElapsed: 2 * sec},
		}
		for name, fresh := range map[string]func() retrypolicy.Storm{
			"alone":              func() retrypolicy.Storm { return storm },
			"budget and breaker": func() retrypolicy.Storm { return shared(storm) },
		} {
			computed, real := run(t, fresh()), played(t, fresh())
			if !slices.Equal(computed.Windows, real.Windows) || computed.Served != real.Served ||
				computed.Attempts != real.Attempts || computed.Calls != real.Calls {
				t.Errorf("%v, %s: computed %+v, played %+v", jitter, name, computed, real)
			}
			if computed.Attempts == computed.Calls {
				t.Errorf("%v, %s: nothing was repeated, so nothing is proved", jitter, name)
			}
		}
	}
}
