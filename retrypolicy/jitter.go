package retrypolicy

import "time"

// Jitter is how chance is laid over the schedule of [Backoff].
type Jitter int

// The kinds of jitter, named as in the article that compares them:
// https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
const (
	// JitterFull waits anything from 0 to the schedule: see [FullJitter].
	JitterFull Jitter = iota
	// JitterEqual waits at least half of the schedule: see [EqualJitter].
	JitterEqual
	// JitterDecorrelated lets each wait grow from the one before: see
	// [DecorrelatedJitter].
	JitterDecorrelated
	// JitterNone waits the schedule itself, so that clients that failed
	// together come back together. It is there to be compared with.
	JitterNone
)

// String returns "full", "equal", "decorrelated" or "none".
func (j Jitter) String() string {
	switch j {
	case JitterEqual:
		return "equal"
	case JitterDecorrelated:
		return "decorrelated"
	case JitterNone:
		return "none"
	}
	return "full"
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

// EqualJitter keeps one half of d and spreads the other: d/2 + random × d/2,
// with random as in [FullJitter]. Nobody comes back at once, at the price of
// half as much room for those that do.
func EqualJitter(d time.Duration, random float64) time.Duration {
	if d <= 0 {
		return 0
	}
	// The halves of an odd d differ, and must add up to d.
	return d/2 + FullJitter(d-d/2, random)
}

// DecorrelatedJitter spreads each wait from base to three times the wait
// before it, and not above limit:
//
//	min(limit, base + random × (3 × previous - base))
//
// A previous wait below base counts as base, so 0 is right for the first one:
// base 200 ms and random 0.5 give 400 ms, then 700 ms, then 1.15 s. Of all
// kinds it alone has a memory in place of the attempt's number. A base or limit
// of 0 or less gives 0.
func DecorrelatedJitter(previous, base, limit time.Duration, random float64) time.Duration {
	if base <= 0 || limit <= 0 {
		return 0
	}
	top := max(previous, base)
	top = saturatingAdd(top, saturatingAdd(top, top))
	return min(limit, base+FullJitter(top-base, random))
}

// Delay is the client's own wait after the attempt with this number (from 1).
// It is pure: chance comes in as random, in [0,1). previous is the wait that
// Delay gave for the attempt before, 0 if there was none; only
// [JitterDecorrelated] reads it.
func (p Policy) Delay(attempt int, previous time.Duration, random float64) time.Duration {
	p = p.withDefaults()
	schedule := Backoff(attempt, p.Base, p.Cap)
	switch p.Jitter {
	case JitterNone:
		return schedule
	case JitterEqual:
		return EqualJitter(schedule, random)
	case JitterDecorrelated:
		return DecorrelatedJitter(previous, p.Base, p.Cap, random)
	}
	return FullJitter(schedule, random)
}

// floor raises the client's own wait to what the server asked for. The wish is
// a floor, never a replacement: the wait is not shorter than the client's own,
// and clients that were told the same second are still spread over one base.
// It reports whether the wish decided.
func (p Policy) floor(own, asked time.Duration, random float64) (time.Duration, bool) {
	if asked <= 0 {
		return own, false
	}
	if p.Jitter == JitterNone {
		random = 0
	}
	wish := saturatingAdd(asked, FullJitter(p.Base, random))
	return max(own, wish), wish >= own
}

// longestWait is the longest that Delay can give before the last attempt, and
// needs the defaults filled in. No kind of jitter falls from one attempt to the
// next at a random of 1, and each grows fast enough to end the loop soon.
func (p Policy) longestWait() (wait time.Duration) {
	for n := 1; n < p.MaxAttempts && wait < p.Cap; n++ {
		wait = p.Delay(n, wait, 1)
	}
	return wait
}
