package retrypolicy_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"chargeonce/retrypolicy"
)

var allJitters = []retrypolicy.Jitter{
	retrypolicy.JitterFull, retrypolicy.JitterEqual, retrypolicy.JitterDecorrelated, retrypolicy.JitterNone,
}

func TestFullJitterIsTheShareOfTheWaitThatRandomSays(t *testing.T) {
	cases := []struct {
		d      time.Duration
		random float64
		want   time.Duration
	}{
		{sec, 0, 0},
		{sec, .25, 250 * ms},
		{sec, .5, 500 * ms},
		{sec, .75, 750 * ms},
		{sec, math.Nextafter(1, 0), sec - 1},
		{0, .5, 0},
		{-sec, .5, 0},
	}
	for _, c := range cases {
		if got := retrypolicy.FullJitter(c.d, c.random); got != c.want {
			t.Errorf("FullJitter(%v, %v) = %v, want %v", c.d, c.random, got, c.want)
		}
	}
}

func TestFullJitterBringsStrangeNumbersToTheNearestEnd(t *testing.T) {
	cases := map[float64]time.Duration{
		-1: 0, math.Inf(-1): 0, 1: sec, 7: sec, math.Inf(1): sec,
	}
	for random, want := range cases {
		if got := retrypolicy.FullJitter(sec, random); got != want {
			t.Errorf("FullJitter(1s, %v) = %v, want %v", random, got, want)
		}
	}
	if got := retrypolicy.FullJitter(sec, math.NaN()); got != 0 {
		t.Errorf("FullJitter(1s, NaN) = %v, want 0", got)
	}
}

func TestFullJitterStaysWithinTheWaitForAnyInput(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		d := time.Duration(source.Int64() >> source.IntN(63))
		for _, random := range []float64{source.Float64(), math.Nextafter(1, 0)} {
			if got := retrypolicy.FullJitter(d, random); got < 0 || got > d {
				t.Fatalf("FullJitter(%d, %v) = %d", d, random, got)
			}
		}
	}
	if got := retrypolicy.FullJitter(math.MaxInt64, math.Nextafter(1, 0)); got < 0 {
		t.Errorf("FullJitter(MaxInt64) wraps around to %d", got)
	}
}

// Case E21: without jitter all clients come back in the same moment.
func TestFullJitterSpreadsClientsOverTheWholeWait(t *testing.T) {
	const clients, bins = 2000, 10
	source := rand.New(rand.NewPCG(3, 4))
	var count [bins]int
	for range clients {
		count[retrypolicy.FullJitter(sec, source.Float64())/(sec/bins)]++
	}
	for i, n := range count {
		if n < clients/bins/2 || n > clients/bins*2 {
			t.Errorf("tenth %d of the wait holds %d of %d clients", i, n, clients)
		}
	}
}

func TestEqualJitterKeepsOneHalfAndSpreadsTheOther(t *testing.T) {
	cases := []struct {
		d      time.Duration
		random float64
		want   time.Duration
	}{
		{sec, 0, 500 * ms},
		{sec, .25, 625 * ms},
		{sec, .5, 750 * ms},
		{sec, 1, sec},
		{3, 0, 1},
		{3, 1, 3}, // the halves of an odd wait add up to it
		{math.MaxInt64, 1, math.MaxInt64},
		{0, .5, 0},
		{-sec, .5, 0},
	}
	for _, c := range cases {
		if got := retrypolicy.EqualJitter(c.d, c.random); got != c.want {
			t.Errorf("EqualJitter(%v, %v) = %v, want %v", c.d, c.random, got, c.want)
		}
	}
}

func TestDecorrelatedJitterSpreadsFromBaseToThreeTimesTheWaitBefore(t *testing.T) {
	cases := []struct {
		previous, base, limit time.Duration
		random                float64
		want                  time.Duration
	}{
		{0, 200 * ms, 2 * sec, 0, 200 * ms},
		{0, 200 * ms, 2 * sec, .25, 300 * ms},
		{0, 200 * ms, 2 * sec, .5, 400 * ms},
		{0, 200 * ms, 2 * sec, 1, 600 * ms},
		{400 * ms, 200 * ms, 2 * sec, .5, 700 * ms},
		{700 * ms, 200 * ms, 2 * sec, .5, 1150 * ms},
		{1150 * ms, 200 * ms, 2 * sec, 1, 2 * sec},
		{-sec, 200 * ms, 2 * sec, .5, 400 * ms},
		{0, 3 * sec, sec, .5, sec}, // a limit below base wins
		{math.MaxInt64, 1, math.MaxInt64, 1, math.MaxInt64},
		{math.MaxInt64 / 2, math.MaxInt64, math.MaxInt64, 1, math.MaxInt64},
		{sec, 0, sec, .5, 0},
		{sec, sec, 0, .5, 0},
	}
	for _, c := range cases {
		got := retrypolicy.DecorrelatedJitter(c.previous, c.base, c.limit, c.random)
		if got != c.want {
			t.Errorf("DecorrelatedJitter(%v, %v, %v, %v) = %v, want %v", c.previous, c.base, c.limit, c.random, got, c.want)
		}
	}
}

func TestThePolicyChoosesTheJitter(t *testing.T) {
	want := map[retrypolicy.Jitter][3]time.Duration{ // after attempts 1, 2 and 3, at random .5
		retrypolicy.JitterFull:         {100 * ms, 200 * ms, 400 * ms},
		retrypolicy.JitterEqual:        {150 * ms, 300 * ms, 600 * ms},
		retrypolicy.JitterDecorrelated: {400 * ms, 700 * ms, 1150 * ms},
		retrypolicy.JitterNone:         {200 * ms, 400 * ms, 800 * ms},
		retrypolicy.Jitter(77):         {100 * ms, 200 * ms, 400 * ms}, // no kind at all
	}
	for jitter, waits := range want {
		previous := time.Duration(0)
		for i, wait := range waits {
			got := retrypolicy.Policy{Jitter: jitter}.Delay(i+1, previous, .5)
			if got != wait {
				t.Errorf("%v after attempt %d: %v, want %v", jitter, i+1, got, wait)
			}
			previous = got
		}
	}
}

func TestJitterNamesItsKind(t *testing.T) {
	for i, want := range []string{"full", "equal", "decorrelated", "none"} {
		if got := allJitters[i].String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Case E01, for every kind of jitter.
func TestNoJitterLeavesTheCapAtAnyAttempt(t *testing.T) {
	numbers := []int{math.MinInt, -1, 0, 1, 35, 36, 40, 63, 64, 84, 1000, math.MaxInt}
	randoms := []float64{math.Inf(-1), -1, 0, .25, .5, math.Nextafter(1, 0), 1, 2, math.NaN()}
	for _, limit := range []time.Duration{1, 2 * sec, math.MaxInt64} {
		for _, jitter := range allJitters {
			policy := retrypolicy.Policy{Jitter: jitter, Base: 200 * ms, Cap: limit}
			for _, random := range randoms {
				previous := time.Duration(0)
				for _, n := range numbers {
					previous = policy.Delay(n, previous, random)
					if previous < 0 || previous > limit {
						t.Errorf("%v after attempt %d at %v: %v is outside of [0, %v]", jitter, n, random, previous, limit)
					}
				}
			}
		}
	}
}

// At a random of 1 every kind ends at its cap, and none ever falls.
func TestEveryJitterGrowsToTheCap(t *testing.T) {
	for _, jitter := range allJitters {
		policy, previous := retrypolicy.Policy{Jitter: jitter}, time.Duration(0)
		for n := 1; n <= 10; n++ {
			wait := policy.Delay(n, previous, 1)
			if wait < previous {
				t.Errorf("%v falls from %v to %v after attempt %d", jitter, previous, wait, n)
			}
			previous = wait
		}
		if previous != 2*sec {
			t.Errorf("%v ends at %v, want the cap", jitter, previous)
		}
	}
}
