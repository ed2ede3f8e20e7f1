package retrypolicy_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"chargeonce/retrypolicy"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

func TestBackoffDoublesFromBaseToItsLimit(t *testing.T) {
	want := []time.Duration{200 * ms, 400 * ms, 800 * ms, 1600 * ms, 2 * sec, 2 * sec}
	for i, wait := range want {
		if got := retrypolicy.Backoff(i+1, 200*ms, 2*sec); got != wait {
			t.Errorf("after attempt %d: %v, want %v", i+1, got, wait)
		}
	}
}

// Case E01: an exponential delay that overflows becomes negative or 0.
func TestBackoffNeverOverflowsAndNeverFalls(t *testing.T) {
	numbers := []int{math.MinInt, -1, 0, 1, 2, 35, 36, 40, 62, 63, 64, 65, 84, 1000, math.MaxInt}
	settings := []struct{ base, limit time.Duration }{
		{200 * ms, 2 * sec},
		{1, math.MaxInt64},
		{1, math.MaxInt64 - 1},
		{math.MaxInt64, math.MaxInt64},
		{math.MaxInt64/2 + 1, math.MaxInt64},
		{3 * sec, sec},
	}
	for _, s := range settings {
		before := time.Duration(0)
		for _, n := range numbers {
			got := retrypolicy.Backoff(n, s.base, s.limit)
			if got < before || got > s.limit {
				t.Errorf("Backoff(%d, %d, %d) = %d, want within [%d, limit]", n, s.base, s.limit, got, before)
			}
			before = got
		}
		if before != s.limit {
			t.Errorf("base %d ends at %d, want the limit %d", s.base, before, s.limit)
		}
	}
}

func TestBackoffCountsSmallNumbersAsTheFirst(t *testing.T) {
	for _, n := range []int{math.MinInt, -1, 0, 1} {
		if got := retrypolicy.Backoff(n, 200*ms, 2*sec); got != 200*ms {
			t.Errorf("Backoff(%d) = %v, want the base", n, got)
		}
	}
}

func TestBackoffWithoutBaseOrLimitIsNoWait(t *testing.T) {
	for _, s := range [][2]time.Duration{{0, sec}, {-1, sec}, {sec, 0}, {sec, -1}, {0, 0}} {
		if got := retrypolicy.Backoff(math.MaxInt, s[0], s[1]); got != 0 {
			t.Errorf("Backoff(MaxInt, %d, %d) = %v, want 0", s[0], s[1], got)
		}
	}
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
