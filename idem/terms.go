package idem

import (
	"fmt"
	"time"
)

// Defaults of [Terms].
const (
	// DefaultLease exceeds the slowest card provider call that we allow, with
	// its retries, and is still short enough for a customer to wait out.
	DefaultLease = 30 * time.Second
	// DefaultRetain is how long Stripe keeps keys: 24 hours.
	DefaultRetain = 24 * time.Hour
	// DefaultTombstone is how long a key whose answer is gone still refuses to
	// run again.
	DefaultTombstone = 30 * 24 * time.Hour
)

// Terms are the durations that a store of keys promises. The zero value means
// the defaults, field by field. Terms that [Terms.Validate] refuses are not
// safe to use.
type Terms struct {
	Lease     time.Duration // how long a claim lives without a sign of life
	Retain    time.Duration // how long an answer is replayed, from its finish
	Tombstone time.Duration // how long the key refuses to run again, from its finish
}

// Validate refuses terms that would charge twice or block a customer: a lease
// that does not exceed span, the longest time that one attempt can take; a
// retention that does not exceed window, the longest time over which a client
// still retries; a tombstone shorter than the retention. The error is
// [ErrTerms] with the figures.
func (t Terms) Validate(span, window time.Duration) error {
	switch {
	case t.Lease < 0 || t.Retain < 0 || t.Tombstone < 0:
		return fmt.Errorf("%w: a duration is negative", ErrTerms)
	case t.lease() <= span:
		return fmt.Errorf("%w: the lease (%v) must exceed the longest attempt (%v), or two attempts may work at once",
			ErrTerms, t.lease(), span)
	case t.retain() <= window:
		return fmt.Errorf("%w: answers are kept for %v, but clients retry for %v: a late retry would charge again",
			ErrTerms, t.retain(), window)
	case t.tombstone() < t.retain():
		return fmt.Errorf("%w: the tombstone (%v) must not end before the answer's retention (%v)",
			ErrTerms, t.tombstone(), t.retain())
	}
	return nil
}

func (t Terms) lease() time.Duration     { return orDefault(t.Lease, DefaultLease) }
func (t Terms) retain() time.Duration    { return orDefault(t.Retain, DefaultRetain) }
func (t Terms) tombstone() time.Duration { return orDefault(t.Tombstone, DefaultTombstone) }

func orDefault(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return d
}

// Now is one instant on the two clocks that a record knows. It is taken once
// per transaction and handed down; the rule never reads a clock.
type Now struct {
	Wall      time.Time // leases live on it
	Retention time.Time // retention lives on it: a demonstration may move it ahead
}

// At is the instant wall, with the retention clock offset ahead of it. The
// monotonic reading and the zone are dropped: neither survives in a store, and
// a record must read the same before and after a restart.
func At(wall time.Time, offset time.Duration) Now {
	wall = wall.Round(0).UTC()
	return Now{Wall: wall, Retention: wall.Add(offset)}
}
