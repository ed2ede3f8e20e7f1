package retrypolicy_test

import (
	"math"
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
