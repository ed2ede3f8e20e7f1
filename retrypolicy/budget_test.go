package retrypolicy_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

// takes empties a budget and says how much there was.
func takes(b *retrypolicy.Budget, now time.Time) (n int) {
	for b.Take(now) {
		n++
	}
	return n
}

func TestAZeroBudgetHoldsTenAndGainsOneASecondAndOneForTenCalls(t *testing.T) {
	b, now := new(retrypolicy.Budget), noon
	if n := takes(b, now); n != 10 {
		t.Errorf("%d at first", n)
	}
	now = now.Add(3500 * ms)
	if n := takes(b, now); n != 3 {
		t.Errorf("%d after 3.5 s", n)
	}
	for range 16 { // with the half that is left, 2.1
		b.Call(now)
	}
	if n := takes(b, now); n != 2 {
		t.Errorf("%d after 16 calls", n)
	}
	now = now.Add(time.Hour)
	b.Call(now)
	if n := takes(b, now); n != 10 {
		t.Errorf("%d after an hour, want no more than it holds", n)
	}
}

func TestFieldsOfTheirOwnDecideAndNegativeRatesBringNothing(t *testing.T) {
	b := &retrypolicy.Budget{Burst: 4, PerSecond: 2, PerCall: .5}
	if n := takes(b, noon); n != 4 {
		t.Errorf("%d at first", n)
	}
	b.Call(noon)
	if n := takes(b, noon.Add(sec)); n != 2 {
		t.Errorf("%d after a second and a call, want 2 and a half", n)
	}
	none := &retrypolicy.Budget{Burst: 3, PerSecond: -1, PerCall: -1}
	takes(none, noon)
	none.Call(noon.Add(time.Hour))
	if n := takes(none, noon.Add(time.Hour)); n != 0 {
		t.Errorf("%d out of nothing", n)
	}
}

func TestATokenThatIsReturnedCanBeTakenAgain(t *testing.T) {
	b := &retrypolicy.Budget{Burst: 2, PerSecond: -1, PerCall: -1}
	takes(b, noon)
	b.Return(noon)
	if n := takes(b, noon); n != 1 {
		t.Errorf("%d, want the returned one", n)
	}
	for range 5 {
		b.Return(noon)
	}
	if n := takes(b, noon); n != 2 {
		t.Errorf("%d, want no more than it holds", n)
	}
}

func TestATimeThatLiesBehindBringsNothingTwice(t *testing.T) {
	b := &retrypolicy.Budget{PerCall: -1}
	takes(b, noon)
	total := 0
	for range 100 { // two goroutines whose clocks differ by a second
		total += takes(b, noon.Add(sec)) + takes(b, noon)
	}
	if total != 1 {
		t.Errorf("%d tokens out of one second", total)
	}
	full := new(retrypolicy.Budget)
	full.Take(noon.Add(sec))
	if n := takes(full, noon); n != 9 {
		t.Errorf("%d of 9 tokens are left for a clock that is behind", n)
	}
}

// The bound that the doc promises, over any history.
func TestRepeatsNeverExceedBurstAndRates(t *testing.T) {
	source := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		b := &retrypolicy.Budget{Burst: 1 + source.IntN(20), PerSecond: source.Float64() * 5, PerCall: source.Float64()}
		now, calls, taken := noon, 0, 0
		for range 300 {
			now = now.Add(time.Duration(source.Int64N(int64(sec))))
			b.Call(now)
			calls++
			for range source.IntN(6) {
				if b.Take(now) {
					taken++
				}
			}
		}
		bound := float64(b.Burst) + b.PerSecond*now.Sub(noon).Seconds() + b.PerCall*float64(calls)
		if float64(taken) > bound+1e-6 {
			t.Fatalf("%d repeats, bound %v, %+v", taken, bound, b)
		}
	}
}

func TestAStormOfCallsIsBoundedWhileALoneCallMayStillRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := statuses(503)
		client := retrypolicy.Client{Transport: wire, Budget: new(retrypolicy.Budget)}
		var over atomic.Int64
		var group sync.WaitGroup
		for range 200 {
			group.Go(func() {
				_, err := client.Do(keyed(t, ""))
				exceeded := wantExceeded(t, err)
				if exceeded.Budget != errors.Is(err, retrypolicy.ErrBudget) {
					t.Errorf("budget %v, error %v", exceeded.Budget, err)
				}
				if exceeded.Budget {
					over.Add(1)
				}
				if exceeded.Response.Status != 503 || !strings.Contains(exceeded.Reason, "503") {
					t.Errorf("the last outcome is lost: %+v", exceeded)
				}
			})
		}
		group.Wait()
		// 200 first attempts, 10 tokens, up to 20 that the calls bring, depending
		// on who comes first, and what a few seconds bring; not 1000.
		if n := len(wire.sent); n < 210 || n > 235 || over.Load() < 190 {
			t.Errorf("%d attempts by 200 calls, %d of them over budget", n, over.Load())
		}
		time.Sleep(time.Minute)
		wire.sent = nil
		_, err := client.Do(keyed(t, ""))
		if exceeded := wantExceeded(t, err); exceeded.Budget || errors.Is(err, retrypolicy.ErrBudget) || exceeded.Attempts != 5 {
			t.Errorf("a lone call: %+v", exceeded)
		}
	})
}

func TestAnAttemptThatIsNotMadeCostsNothing(t *testing.T) {
	ends := map[string]func(*retrypolicy.Client, context.CancelFunc){
		"cancelled while waiting": func(c *retrypolicy.Client, cancel context.CancelFunc) {
			c.Hooks.Wait = func(context.Context, retrypolicy.Wait) { time.AfterFunc(ms, cancel) }
		},
		"a slow hook": func(c *retrypolicy.Client, _ context.CancelFunc) {
			c.Hooks.Wait = func(context.Context, retrypolicy.Wait) { time.Sleep(time.Minute) }
		},
		"attempts used up": func(c *retrypolicy.Client, _ context.CancelFunc) { c.Policy.MaxAttempts = 1 },
		"time used up":     func(c *retrypolicy.Client, _ context.CancelFunc) { c.Policy.MaxElapsed = 50 * ms },
	}
	for name, prepare := range ends {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			client := &retrypolicy.Client{
				Transport: statuses(503), Policy: always(.5),
				Budget: &retrypolicy.Budget{Burst: 1, PerSecond: -1, PerCall: -1},
			}
			prepare(client, cancel)
			if _, err := client.Do(keyed(t, "").WithContext(ctx)); err == nil {
				t.Errorf("%s: no error", name)
			}
			if !client.Budget.Take(time.Now()) {
				t.Errorf("%s: the token is gone", name)
			}
		})
	}
}
