package retrypolicy

import (
	"math"
	"time"
)

// Backoff is the schedule without jitter: the wait that follows the attempt
// with this number (from 1; smaller numbers count as 1) is
//
//	min(limit, base × 2^(attempt-1))
//
// so that base 200 ms and limit 2 s give 200 ms, 400 ms, 800 ms, 1.6 s, 2 s,
// 2 s, … It never overflows: for every attempt number the result lies in
// [0, limit] and never falls. A base or limit of 0 or less gives 0.
func Backoff(attempt int, base, limit time.Duration) time.Duration {
	if base <= 0 || limit <= 0 {
		return 0
	}
	wait := base
	for n := 1; n < attempt; n++ {
		// Asked before doubling: past this point there is nothing to gain and
		// an overflow to lose. It also ends the loop after at most 63 rounds.
		if wait > limit/2 {
			return limit
		}
		wait *= 2
	}
	return min(wait, limit)
}

// saturatingAdd adds two durations that are not negative, stopping at the
// longest one there is.
func saturatingAdd(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
