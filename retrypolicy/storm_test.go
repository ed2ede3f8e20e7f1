package retrypolicy_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"chargeonce/retrypolicy"
)

func run(t testing.TB, s retrypolicy.Storm) retrypolicy.Arrivals {
	t.Helper()
	a, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// outage is a thousand callers that all begin in the instant in which the
// server goes down for a second.
func outage(policy retrypolicy.Policy) retrypolicy.Storm {
	return retrypolicy.Storm{Clients: 1000, Outage: sec, Latency: 10 * ms, Policy: policy, Seed: 1}
}

func noBackoff() retrypolicy.Storm {
	storm := outage(retrypolicy.Policy{Base: 1, Cap: 1, Jitter: retrypolicy.JitterNone})
	storm.Policy.MaxAttempts = 1000
	return storm
}

func jittered(jitter retrypolicy.Jitter) retrypolicy.Storm {
	return outage(retrypolicy.Policy{Jitter: jitter})
}

// traffic is a hundred callers a second for 20 s; the server is down for the
// first five of them. A caller without an answer calls again after a while.
func traffic() retrypolicy.Storm {
	return retrypolicy.Storm{
		Clients: 2000, Spread: 20 * sec, Outage: 5 * sec, Latency: 10 * ms,
		Policy: retrypolicy.Policy{MaxAttempts: 10}, Again: 5 * sec, Seed: 1,
	}
}

// inVain counts the attempts that failed.
func inVain(a retrypolicy.Arrivals) int { return a.Attempts - a.Served }

func TestBackoffDividesTheLoadOfAnOutageByTwenty(t *testing.T) {
	wild := inVain(run(t, noBackoff()))
	for _, jitter := range allJitters {
		calm := inVain(run(t, jittered(jitter)))
		t.Logf("%-12s %6d attempts in vain (no backoff %d: %d times as many)", jitter, calm, wild, wild/calm)
		if wild < 20*calm {
			t.Errorf("%v: %d against %d", jitter, calm, wild)
		}
	}
}

// Case E21, and the lesson of the storm: without jitter everybody comes back
// in the same 20 ms.
func TestJitterDividesThePeakAfterAnOutageByFifteen(t *testing.T) {
	none, hammered := run(t, jittered(retrypolicy.JitterNone)).Peak(sec), run(t, noBackoff()).Peak(sec)
	t.Logf("no backoff   peak %d, no jitter peak %d", hammered, none)
	if none != 1000 || hammered != 1000 {
		t.Errorf("peaks %d without jitter and %d without backoff, want all 1000 at once", none, hammered)
	}
	for _, jitter := range allJitters[:3] {
		peak := run(t, jittered(jitter)).Peak(sec)
		t.Logf("%-12s peak %3d within 20 ms after the outage (without jitter %d: %d times as high)", jitter, peak, none, none/peak)
		if none < 15*peak {
			t.Errorf("%v: peak %d against %d", jitter, peak, none)
		}
	}
}

// What the kinds of jitter trade: a floor under the wait saves attempts in
// vain, full room saves the peak.
func TestFullJitterSpreadsWidestAndEqualJitterAsksLess(t *testing.T) {
	equal, full := run(t, jittered(retrypolicy.JitterEqual)), run(t, jittered(retrypolicy.JitterFull))
	if inVain(equal) >= inVain(full) || full.Peak(sec) >= equal.Peak(sec) {
		t.Errorf("in vain: equal %d, full %d; peaks: equal %d, full %d", inVain(equal), inVain(full), equal.Peak(sec), full.Peak(sec))
	}
}

func TestTheLessonsStormHasATenfoldLowerPeak(t *testing.T) {
	naive := retrypolicy.Storm{
		Clients: 200, Outage: sec, Policy: retrypolicy.Policy{MaxAttempts: 10, Jitter: retrypolicy.JitterNone},
	}
	for seed := range uint64(100) { // not a matter of luck
		safe := retrypolicy.Storm{
			Clients: 200, Outage: sec, Policy: retrypolicy.Policy{MaxAttempts: 10, Base: sec, Cap: 8 * sec},
			Budget: new(retrypolicy.Budget), Again: 5 * sec, Seed: seed,
		}
		storm, calm := run(t, naive), run(t, safe)
		if storm.Peak(sec) != 200 || 10*calm.Peak(sec) > storm.Peak(sec) || storm.Served != 200 || calm.Served != 200 {
			t.Errorf("seed %d: peaks %d and %d, served %d and %d", seed, storm.Peak(sec), calm.Peak(sec), storm.Served, calm.Served)
		}
	}
}

func TestABudgetBoundsTheLoadAndABreakerEndsIt(t *testing.T) {
	neither, budget, breaker, both := traffic(), traffic(), traffic(), traffic()
	budget.Budget, both.Budget = new(retrypolicy.Budget), new(retrypolicy.Budget)
	breaker.Breaker, both.Breaker = &retrypolicy.Breaker{Cooldown: sec}, &retrypolicy.Breaker{Cooldown: sec}
	vain := map[string]int{}
	for name, storm := range map[string]retrypolicy.Storm{"neither": neither, "budget": budget, "breaker": breaker, "both": both} {
		a := run(t, storm)
		vain[name] = inVain(a)
		t.Logf("%-8s %5d attempts in vain, peak %d after the outage, %d of 2000 callers served in %d calls",
			name, vain[name], a.Peak(storm.Outage), a.Served, a.Calls)
		if a.Served != 2000 {
			t.Errorf("%s: %d of 2000 served in the end", name, a.Served)
		}
	}
	// 500 callers begin within the outage; a budget adds a tenth of all calls,
	// ten, and five for the time.
	if vain["neither"] < 5*500 || vain["budget"] > vain["neither"]/2 || vain["breaker"] > 30 || vain["both"] > 30 {
		t.Errorf("attempts in vain: %v", vain)
	}
}

// The price: without another call, those whom budget or breaker turn away are
// not served.
func TestWhatABudgetOrABreakerRefusesIsNotServedByItself(t *testing.T) {
	for name, storm := range map[string]retrypolicy.Storm{
		"budget":  {Budget: new(retrypolicy.Budget)},
		"breaker": {Breaker: new(retrypolicy.Breaker)},
	} {
		whole := outage(retrypolicy.Policy{})
		whole.Budget, whole.Breaker = storm.Budget, storm.Breaker
		if a := run(t, whole); a.Served > 10 || a.Attempts > 1010 {
			t.Errorf("%s: %d served with %d attempts", name, a.Served, a.Attempts)
		}
	}
}

func TestCallersWithoutJitterCallAgainTogetherToo(t *testing.T) {
	storm := jittered(retrypolicy.JitterNone)
	storm.Policy.MaxAttempts, storm.Again = 1, 2*sec
	if a := run(t, storm); a.Peak(sec) != 1000 || a.Served != 1000 || a.Calls != 2000 {
		t.Errorf("peak %d, %d served in %d calls", a.Peak(sec), a.Served, a.Calls)
	}
	storm.Policy.Jitter = retrypolicy.JitterFull
	if a := run(t, storm); a.Peak(sec) > 50 || a.Served != 1000 {
		t.Errorf("with jitter: peak %d, %d served", a.Peak(sec), a.Served)
	}
}

func TestTheSameSeedGivesTheSameStorm(t *testing.T) {
	one, same, other := traffic(), traffic(), traffic()
	other.Seed = 2
	if !slices.Equal(run(t, one).Windows, run(t, same).Windows) || slices.Equal(run(t, one).Windows, run(t, other).Windows) {
		t.Error("a seed decides everything, and nothing else does")
	}
}

func TestFirstCallsAreSpreadEvenly(t *testing.T) {
	a := run(t, retrypolicy.Storm{Clients: 1000, Spread: sec})
	if len(a.Windows) != 50 || a.Peak(0) != 20 || slices.Min(a.Windows) != 20 || a.Served != 1000 || a.Calls != 1000 {
		t.Errorf("%+v", a)
	}
}

func TestAServerAnswersUpToItsCapacityInEachWindow(t *testing.T) {
	storm := retrypolicy.Storm{Clients: 100, Capacity: 4, Policy: retrypolicy.Policy{MaxAttempts: 1}}
	if a := run(t, storm); a.Served != 4 || a.Attempts != 100 {
		t.Errorf("%+v", a)
	}
	storm.Spread = sec // two in each window
	if a := run(t, storm); a.Served != 100 {
		t.Errorf("%+v", a)
	}
}

func TestAnAnswerThatComesAfterTheTimeoutServesNobody(t *testing.T) {
	storm := retrypolicy.Storm{Clients: 3, Latency: 2 * sec, Policy: retrypolicy.Policy{MaxAttempts: 2}}
	if a := run(t, storm); a.Served != 0 || a.Attempts != 6 {
		t.Errorf("%+v", a)
	}
}

func TestPeakLooksFromAGivenTimeOn(t *testing.T) {
	a := retrypolicy.Arrivals{Windows: []int{9, 1, 5, 2}}
	for from, want := range map[time.Duration]int{0: 9, 1: 5, 20 * ms: 5, 41 * ms: 2, sec: 0} {
		if got := a.Peak(from); got != want {
			t.Errorf("from %v: %d, want %d", from, got, want)
		}
	}
}

func TestAStormHasLimits(t *testing.T) {
	if a := run(t, retrypolicy.Storm{}); a.Attempts != 0 || a.Served != 0 {
		t.Errorf("nobody: %+v", a)
	}
	for name, storm := range map[string]retrypolicy.Storm{
		"too many callers": {Clients: retrypolicy.MaxStormClients + 1},
		"too many events":  {Clients: 1, Outage: time.Hour, Again: 1, Policy: retrypolicy.Policy{MaxAttempts: 1}},
	} {
		if _, err := storm.Run(); !errors.Is(err, retrypolicy.ErrStorm) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	endless := retrypolicy.Storm{Clients: 10, Outage: 1000 * time.Hour, Again: time.Minute}
	a := run(t, endless)
	if a.Served != 0 || time.Duration(len(a.Windows))*retrypolicy.StormWindow > time.Hour+sec {
		t.Errorf("an outage without end: %d served, %d windows", a.Served, len(a.Windows))
	}
}

func TestAStormTakesStrangeTimesForTheNearestThatMakeSense(t *testing.T) {
	const ever = time.Duration(math.MaxInt64)
	patient := retrypolicy.Policy{Base: ever - sec, Cap: ever, MaxElapsed: ever, Jitter: retrypolicy.JitterNone}
	for name, c := range map[string]struct {
		storm  retrypolicy.Storm
		served int
	}{
		"negative spread":  {retrypolicy.Storm{Clients: 10, Spread: -sec}, 10},
		"negative latency": {retrypolicy.Storm{Clients: 10, Latency: -sec, Outage: sec, Policy: retrypolicy.Policy{MaxAttempts: 20}}, 10},
		"endless again":    {retrypolicy.Storm{Clients: 10, Spread: sec, Outage: 2 * sec, Again: ever, Policy: patient}, 0},
		"endless wait":     {retrypolicy.Storm{Clients: 10, Spread: 5 * sec, Outage: 5 * sec, Latency: ms, Policy: patient}, 0},
	} {
		a := run(t, c.storm)
		if a.Served != c.served || a.Attempts < 10 || len(a.Windows) > int(5*sec/retrypolicy.StormWindow) {
			t.Errorf("%s: %d served, %d attempts, %d windows", name, a.Served, a.Attempts, len(a.Windows))
		}
	}
}

func BenchmarkStormOfFiveThousandClients(b *testing.B) {
	for b.Loop() {
		run(b, retrypolicy.Storm{Clients: 5000, Outage: sec, Latency: 10 * ms, Policy: retrypolicy.Policy{MaxAttempts: 10}})
	}
}
