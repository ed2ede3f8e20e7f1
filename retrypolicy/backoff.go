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

// FullJitter spreads clients that failed together over the whole interval
// from 0 to d: random × d, with random in [0,1). Numbers outside of that, NaN
// included, are brought to its nearest end, and a negative d counts as 0.
//
// Of the usual kinds of jitter it brings the fewest calls under contention:
// https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
func FullJitter(d time.Duration, random float64) time.Duration {
	// Negated, so that NaN, which is not greater than anything, ends here too.
	if d <= 0 || !(random > 0) {
		return 0
	}
	if random >= 1 {
		return d
	}
	// No overflow: even where float64(d) is d rounded up, the largest random
	// below 1 brings the product down by at least one step.
	return time.Duration(random * float64(d))
}

// delay is the wait after an attempt. The server's wish is a floor, never a
// replacement: the wait is not shorter than the client's own backoff, and
// clients that were told the same second are still spread over one base.
// It reports whether the wish decided.
func (p Policy) delay(attempt int, asked time.Duration) (time.Duration, bool) {
	random := p.Random()
	own := FullJitter(Backoff(attempt, p.Base, p.Cap), random)
	if asked <= 0 {
		return own, false
	}
	wish := saturatingAdd(asked, FullJitter(p.Base, random))
	return max(own, wish), wish >= own
}

// saturatingAdd adds two durations that are not negative, stopping at the
// longest one there is.
func saturatingAdd(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
