package idem

import "time"

// Point is a recovery point: how far the work of a record has come, and so
// where an attempt that resumes it must go on. The package knows the first and
// the last; those between belong to whoever does the work.
type Point string

const (
	// Claimed: an attempt holds the key and has done nothing outside yet. It is
	// left by [Advance] or [Finish].
	Claimed Point = "claimed"
	// Done: the answer is stored and nothing will run any more. It is left only
	// when the tombstone is over and the key is started anew.
	Done Point = "done"
)

// MaxHistory bounds the steps that a record remembers. A record that is
// resumed over and over keeps its first step and the latest ones.
const MaxHistory = 24

// Record is what is remembered of one key. It is a value: changing a copy
// changes nothing in the store.
type Record struct {
	Key         Key
	Fingerprint Fingerprint
	Operation   string // "POST /v1/charges": what the key was used for
	Resource    string // the id of what the request makes, fixed at the claim

	Point      Point
	Fence      uint64    // raised by each take-over, from 1; guards every write
	LeaseUntil time.Time // wall clock; zero: released or done
	Created    time.Time // wall clock
	Finished   time.Time // retention clock (see [Now]); zero while open

	Answer  Answer // zero while open
	History []Step
}

// Answer is the response that a finished record replays, byte for byte.
type Answer struct {
	Status  int               // HTTP status, 200 to 499: a 5xx is an accident and is not stored
	Header  map[string]string // allow-listed headers only: Content-Type, Location
	Body    []byte
	Request string // id of the request that made it
}

// Step is one entry of a record's history.
type Step struct {
	At   time.Time
	What string
}

// Open reports whether the work is unfinished.
func (r Record) Open() bool { return r.Point != Done }

// LeaseLeft is the time for which the record still belongs to its attempt;
// never negative.
func (r Record) LeaseLeft(now Now) time.Duration {
	return max(0, r.LeaseUntil.Sub(now.Wall))
}

// Expires is when the stored answer may no longer be replayed, on the
// retention clock; zero while the record is open.
func (r Record) Expires(terms Terms) time.Time {
	if r.Open() {
		return time.Time{}
	}
	return r.Finished.Add(terms.retain())
}

// logged returns the record with one more step. It copies the history, because
// the old record may still be in somebody's hands.
func (r Record) logged(at time.Time, what string) Record {
	keep := r.History
	if len(keep) >= MaxHistory {
		keep = append([]Step{keep[0]}, keep[len(keep)-MaxHistory+2:]...)
	}
	history := make([]Step, len(keep), len(keep)+1)
	copy(history, keep)
	r.History = append(history, Step{At: at, What: what})
	return r
}
