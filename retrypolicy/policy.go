package retrypolicy

import (
	"math/rand/v2"
	"time"
)

// What a zero Policy means. The waits of the five attempts add up to at most
// 3 s (0.2 + 0.4 + 0.8 + 1.6), which outlives a restart of the server; more
// patience belongs to a queue, not to a caller who waits for an answer.
const (
	defaultMaxAttempts    = 5
	defaultAttemptTimeout = 2 * time.Second
	defaultBase           = 200 * time.Millisecond
	defaultCap            = 2 * time.Second
	defaultMaxElapsed     = 30 * time.Second
	defaultMaxRetryAfter  = 60 * time.Second
)

// Policy says how often, how long and how patiently to try. The zero value is
// ready for use; a zero or negative limit means its default, since there is no
// way to ask for "no limit". A Policy is a plain value: copy it freely.
type Policy struct {
	// MaxAttempts counts all attempts, the first included. 0 means 5; 1 means
	// that nothing is repeated.
	MaxAttempts int

	// AttemptTimeout bounds one attempt, from connecting to the last byte of
	// the answer. 0 means 2 s.
	AttemptTimeout time.Duration

	// Base is the longest wait after the first attempt; it doubles with each
	// further one. 0 means 200 ms.
	Base time.Duration

	// Cap bounds the doubling. 0 means 2 s. A Cap below Base wins.
	Cap time.Duration

	// Jitter is how chance is laid over that schedule. The zero value is
	// [JitterFull], and so is a number that is none of the kinds.
	Jitter Jitter

	// MaxElapsed bounds attempts and waits together, from when the request's
	// body has been read: an attempt that begins shortly before it gets only the
	// time that is left. 0 means 30 s.
	MaxElapsed time.Duration

	// MaxRetryAfter is the longest wait that a server may ask for. A longer one
	// ends the call with a [WaitTooLongError] instead of a sleep. 0 means 60 s.
	MaxRetryAfter time.Duration

	// NotFoundNotReady declares that a 404 means "not there yet", as with a
	// resource that appears some time after it was ordered. False: a 404 is
	// final.
	NotFoundNotReady bool

	// Classify decides in place of the function [Classify], whose rule for
	// requests that must not be repeated is then not asked: whoever sets it
	// answers for that as well. Nil: the function. It must be safe for
	// concurrent use when the client is used concurrently.
	Classify Classifier

	// Random returns a number in [0,1), once for each wait. It must be safe for
	// concurrent use when the client is used concurrently. Nil means
	// math/rand/v2.
	Random func() float64
}

// Span is the longest time that attempts and waits under this policy can take
// together, apart from scheduling: whoever holds a lease while calling compares
// the two. With 2 attempts of 500 ms, Base 100 ms and MaxRetryAfter 1 s it is
// 2.1 s (two timeouts, and one wait of 1 s with its jitter). It is never more
// than MaxElapsed, and often exactly that, since a server may ask for waits.
func (p Policy) Span() time.Duration {
	p = p.withDefaults()
	wait := max(p.longestWait(), saturatingAdd(p.MaxRetryAfter, p.Base))
	round := saturatingAdd(p.AttemptTimeout, wait)
	// Compared by division, since the product could overflow.
	if int64(p.MaxAttempts) > int64(p.MaxElapsed/round)+1 {
		return p.MaxElapsed
	}
	waits := time.Duration(p.MaxAttempts-1) * round
	return min(p.MaxElapsed, saturatingAdd(waits, p.AttemptTimeout))
}

func (p Policy) withDefaults() Policy {
	p.MaxAttempts = positiveOr(p.MaxAttempts, defaultMaxAttempts)
	p.AttemptTimeout = positiveOr(p.AttemptTimeout, defaultAttemptTimeout)
	p.Base = positiveOr(p.Base, defaultBase)
	p.Cap = positiveOr(p.Cap, defaultCap)
	p.MaxElapsed = positiveOr(p.MaxElapsed, defaultMaxElapsed)
	p.MaxRetryAfter = positiveOr(p.MaxRetryAfter, defaultMaxRetryAfter)
	if p.Random == nil {
		p.Random = rand.Float64
	}
	if p.Classify == nil {
		p.Classify = Classify
	}
	return p
}

func positiveOr[T int | time.Duration](value, fallback T) T {
	if value > 0 {
		return value
	}
	return fallback
}
