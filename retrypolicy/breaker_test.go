package retrypolicy_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/retrypolicy"
)

// onBreaker drives a breaker on a time of its own.
type onBreaker struct {
	t *testing.T
	*retrypolicy.Breaker
	now time.Time
}

func breaker(t *testing.T, b *retrypolicy.Breaker) *onBreaker {
	return &onBreaker{t: t, Breaker: b, now: noon}
}

func (b *onBreaker) permit() *retrypolicy.Permit {
	b.t.Helper()
	permit, err := b.Allow(b.now)
	if err != nil {
		b.t.Fatalf("no permit: %v", err)
	}
	return permit
}

// attempts makes n attempts that all end alike.
func (b *onBreaker) attempts(n int, health retrypolicy.Health) {
	b.t.Helper()
	for range n {
		b.permit().Done(b.now, health)
	}
}

func (b *onBreaker) want(state retrypolicy.State) {
	b.t.Helper()
	if got := b.State(b.now); got != state {
		b.t.Fatalf("%v at %v, want %v", got, b.now.Sub(noon), state)
	}
}

func (b *onBreaker) refuses(state retrypolicy.State, after time.Duration) {
	b.t.Helper()
	_, err := b.Allow(b.now)
	open, ok := errors.AsType[*retrypolicy.OpenError](err)
	if !ok || !errors.Is(err, retrypolicy.ErrOpen) || open.State != state || open.After != after {
		b.t.Fatalf("%+v, want refused as %v for another %v", err, state, after)
	}
}

// opened returns a breaker that has just opened.
func opened(t *testing.T, b *retrypolicy.Breaker) *onBreaker {
	driven := breaker(t, b)
	driven.attempts(10, retrypolicy.Failing)
	driven.want(retrypolicy.Open)
	return driven
}

func TestAZeroBreakerOpensAtHalfOfTenAndProbesAfterFiveSeconds(t *testing.T) {
	b := breaker(t, new(retrypolicy.Breaker))
	b.attempts(5, retrypolicy.Healthy)
	b.attempts(4, retrypolicy.Failing)
	b.want(retrypolicy.Closed) // 4 of 9
	b.attempts(1, retrypolicy.Failing)
	b.refuses(retrypolicy.Open, 5*sec) // 5 of 10
	b.now = b.now.Add(5*sec - 1)
	b.refuses(retrypolicy.Open, 1)
	b.now = b.now.Add(1)
	probe := b.permit()
	b.refuses(retrypolicy.HalfOpen, 0)
	probe.Done(b.now, retrypolicy.Healthy)
	b.want(retrypolicy.Closed)
}

func TestBelowTheMinimumVolumeNoRatioOpens(t *testing.T) {
	b := breaker(t, &retrypolicy.Breaker{MinVolume: 100})
	b.attempts(99, retrypolicy.Failing)
	b.want(retrypolicy.Closed)
	b.attempts(1, retrypolicy.Failing)
	b.want(retrypolicy.Open)
}

func TestARatioOfItsOwnDecides(t *testing.T) {
	b := breaker(t, &retrypolicy.Breaker{FailureRatio: .9})
	b.attempts(1, retrypolicy.Healthy)
	b.attempts(8, retrypolicy.Failing)
	b.want(retrypolicy.Closed)
	b.attempts(1, retrypolicy.Failing)
	b.want(retrypolicy.Open)
}

func TestAHealthyAttemptNeverOpens(t *testing.T) {
	b := breaker(t, new(retrypolicy.Breaker))
	b.attempts(9, retrypolicy.Failing)
	b.attempts(1, retrypolicy.Healthy) // 9 of 10 have failed, but this one has not
	b.want(retrypolicy.Closed)
}

func TestTheWindowForgetsFailuresThatAreOld(t *testing.T) {
	b := breaker(t, new(retrypolicy.Breaker))
	for range 100 { // one failure each 2 s: never more than 6 of them within 10 s
		b.attempts(1, retrypolicy.Failing)
		b.now = b.now.Add(2 * sec)
	}
	b.want(retrypolicy.Closed)
	b.now = b.now.Add(time.Hour)
	b.attempts(9, retrypolicy.Failing)
	b.want(retrypolicy.Closed)
	b.now = b.now.Add(9 * sec) // still within the window
	b.attempts(1, retrypolicy.Failing)
	b.want(retrypolicy.Open)
}

func TestATimeThatLiesBehindCountsAsNow(t *testing.T) {
	b := breaker(t, new(retrypolicy.Breaker))
	b.attempts(5, retrypolicy.Failing)
	b.now = b.now.Add(-time.Minute) // as of a goroutine that had to wait for the lock
	b.attempts(5, retrypolicy.Failing)
	b.want(retrypolicy.Open)
}

func TestNeutralAttemptsNeitherOpenNorDilute(t *testing.T) {
	b := breaker(t, new(retrypolicy.Breaker))
	b.attempts(1000, retrypolicy.Neutral)
	b.attempts(9, retrypolicy.Failing)
	b.attempts(1000, retrypolicy.Neutral)
	b.want(retrypolicy.Closed)
	b.attempts(1, retrypolicy.Failing)
	b.want(retrypolicy.Open)
}

// Case F01: a minimum volume left it half-open for ever.
func TestOneFailingProbeOpensAgainAndLaterProbesHappen(t *testing.T) {
	b := opened(t, new(retrypolicy.Breaker))
	for range 3 {
		b.now = b.now.Add(5 * sec)
		b.permit().Done(b.now, retrypolicy.Failing)
		b.refuses(retrypolicy.Open, 5*sec)
	}
	b.now = b.now.Add(5 * sec)
	b.permit().Done(b.now, retrypolicy.Healthy)
	b.want(retrypolicy.Closed)
}

// Case F02: half-open let everything through.
func TestOfTwoHundredAtOnceExactlyNAreProbes(t *testing.T) {
	for _, probes := range []int{1, 3, 10} {
		b := opened(t, &retrypolicy.Breaker{Probes: probes})
		b.now = b.now.Add(5 * sec)
		var permits, refusals atomic.Int64
		var group sync.WaitGroup
		for range 200 {
			group.Go(func() {
				if _, err := b.Allow(b.now); err != nil {
					refusals.Add(1)
					return
				}
				permits.Add(1)
			})
		}
		group.Wait()
		if int(permits.Load()) != probes || int(refusals.Load()) != 200-probes {
			t.Errorf("%d permits and %d refusals, want %d probes", permits.Load(), refusals.Load(), probes)
		}
	}
}

func TestAllProbesMustBeHealthyToClose(t *testing.T) {
	b := opened(t, &retrypolicy.Breaker{Probes: 3})
	b.now = b.now.Add(5 * sec)
	first, second, third := b.permit(), b.permit(), b.permit()
	first.Done(b.now, retrypolicy.Healthy)
	second.Done(b.now, retrypolicy.Healthy)
	b.refuses(retrypolicy.HalfOpen, 0) // an ended probe is one of the three all the same
	third.Done(b.now, retrypolicy.Healthy)
	b.want(retrypolicy.Closed)
	b.attempts(9, retrypolicy.Failing)
	b.want(retrypolicy.Closed) // it begins with an empty window
}

func TestACancelledProbeFreesItsPlace(t *testing.T) {
	b := opened(t, new(retrypolicy.Breaker))
	b.now = b.now.Add(5 * sec)
	for range 20 {
		probe := b.permit()
		b.refuses(retrypolicy.HalfOpen, 0)
		probe.Done(b.now, retrypolicy.Neutral)
	}
	b.permit().Done(b.now, retrypolicy.Healthy)
	b.want(retrypolicy.Closed)
}

func TestOnlyTheFirstDoneCounts(t *testing.T) {
	b := opened(t, &retrypolicy.Breaker{Probes: 2})
	b.now = b.now.Add(5 * sec)
	probe := b.permit()
	for range 5 {
		probe.Done(b.now, retrypolicy.Healthy)
		probe.Done(b.now, retrypolicy.Neutral)
	}
	b.permit()
	b.refuses(retrypolicy.HalfOpen, 0)
}

// Case F05: stragglers restarted the cool-down, or cancelled it.
func TestLateAnswersOfAnOlderGenerationAreIgnored(t *testing.T) {
	for _, late := range []retrypolicy.Health{retrypolicy.Failing, retrypolicy.Healthy, retrypolicy.Neutral} {
		b := breaker(t, new(retrypolicy.Breaker))
		stragglers := []*retrypolicy.Permit{b.permit(), b.permit(), b.permit(), b.permit()}
		b.attempts(10, retrypolicy.Failing)
		b.now = b.now.Add(4 * sec)
		stragglers[0].Done(b.now, late) // while open
		b.refuses(retrypolicy.Open, sec)
		b.now = b.now.Add(sec)
		b.want(retrypolicy.HalfOpen)
		stragglers[1].Done(b.now, late) // while half-open
		b.want(retrypolicy.HalfOpen)
		probe := b.permit()
		stragglers[2].Done(b.now, late) // while the only place is taken
		b.refuses(retrypolicy.HalfOpen, 0)
		probe.Done(b.now, retrypolicy.Healthy)
		b.attempts(9, retrypolicy.Failing)
		stragglers[3].Done(b.now, late) // while closed again
		b.want(retrypolicy.Closed)
	}
}

func TestEachChangeIsToldOnceAfterTheLockIsReleased(t *testing.T) {
	var told []retrypolicy.Change
	b := breaker(t, &retrypolicy.Breaker{Probes: 2})
	b.OnChange = func(c retrypolicy.Change) {
		if got := b.State(c.At); got != c.To { // deadlocks if the lock is held
			t.Errorf("told %+v while %v", c, got)
		}
		told = append(told, c)
	}
	b.attempts(10, retrypolicy.Failing)
	b.now = b.now.Add(5 * sec)
	b.permit().Done(b.now, retrypolicy.Failing)
	b.now = b.now.Add(6 * sec)
	b.attempts(2, retrypolicy.Healthy)
	want := []retrypolicy.Change{
		{From: retrypolicy.Closed, To: retrypolicy.Open, Generation: 1, At: noon, Reason: "10 of 10 attempts failed within 10s"},
		{From: retrypolicy.Open, To: retrypolicy.HalfOpen, Generation: 2, At: noon.Add(5 * sec), Reason: "the cool-down is over"},
		{From: retrypolicy.HalfOpen, To: retrypolicy.Open, Generation: 3, At: noon.Add(5 * sec), Reason: "a probe failed"},
		{From: retrypolicy.Open, To: retrypolicy.HalfOpen, Generation: 4, At: noon.Add(11 * sec), Reason: "the cool-down is over"},
		{From: retrypolicy.HalfOpen, To: retrypolicy.Closed, Generation: 5, At: noon.Add(11 * sec), Reason: "2 of 2 probes were healthy"},
	}
	if len(told) != len(want) {
		t.Fatalf("%d changes told: %+v", len(told), told)
	}
	for i := range want {
		if told[i] != want[i] {
			t.Errorf("told %+v, want %+v", told[i], want[i])
		}
	}
}

// Whatever happens in whatever order, the promises hold.
func TestABreakerKeepsItsPromisesUnderAnyHistory(t *testing.T) {
	source := rand.New(rand.NewPCG(5, 6))
	const probes = 3
	var told []retrypolicy.Change
	b := breaker(t, &retrypolicy.Breaker{
		Probes: probes, MinVolume: 4,
		OnChange: func(c retrypolicy.Change) { told = append(told, c) },
	})
	flying := map[*retrypolicy.Permit]int{} // permits, with how many changes had been told
	for range 20_000 {
		b.now = b.now.Add(time.Duration(source.Int64N(int64(sec))))
		if permit, err := b.Allow(b.now); err == nil {
			flying[permit] = len(told)
		}
		for permit := range flying { // one of them, in an order of the map's own
			permit.Done(b.now, retrypolicy.Health(source.IntN(3)))
			delete(flying, permit)
			break
		}
		probing := 0
		for _, generation := range flying {
			if generation == len(told) {
				probing++
			}
		}
		if b.State(b.now) == retrypolicy.HalfOpen && probing > probes {
			t.Fatalf("%d probes at once", probing)
		}
	}
	legal := map[[2]retrypolicy.State]bool{
		{retrypolicy.Closed, retrypolicy.Open}:     true,
		{retrypolicy.Open, retrypolicy.HalfOpen}:   true,
		{retrypolicy.HalfOpen, retrypolicy.Open}:   true,
		{retrypolicy.HalfOpen, retrypolicy.Closed}: true,
	}
	for i, c := range told {
		if c.Generation != uint64(i+1) || !legal[[2]retrypolicy.State{c.From, c.To}] {
			t.Fatalf("change %d is %+v", i, c)
		}
	}
	if len(told) < 100 {
		t.Errorf("only %d changes: the history is too dull to prove anything", len(told))
	}
}
