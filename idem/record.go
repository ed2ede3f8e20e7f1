package idem

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Point is a recovery point: how far the work of a record has come, and so
// where an attempt that resumes it must go on. The package knows the first and
// the last; those between belong to whoever does the work.
type Point string

const (
	// Claimed: an attempt holds the key and has recorded nothing beyond it. It
	// is left by [Advance] or [Finish].
	Claimed Point = "claimed"
	// Done: the answer is stored and nothing will run any more. It is left only
	// when the tombstone is over and the key is started anew.
	Done Point = "done"
)

const (
	// MaxHistory bounds the steps that a record remembers. A record that is
	// resumed over and over keeps its first step and the latest ones.
	MaxHistory = 24
	// MaxStep bounds the text of a step, in bytes: a line for people.
	MaxStep = 100
	// MaxAnswer bounds the body of a stored answer, in bytes, on every engine
	// alike, so that what can be stored in a test can be stored on disk. It
	// leaves room for a request of 64 KiB that comes back with its markup
	// escaped, and in base64 it still fits a value of 256 KiB.
	MaxAnswer = 176 << 10
)

// Record is what is remembered of one key.
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
	History []Step // at most [MaxHistory], oldest first
}

// Answer is the response that a finished record replays, byte for byte.
type Answer struct {
	Status  int               // HTTP status, 200 to 499: a 5xx is an accident and is not stored
	Header  map[string]string // allow-listed headers only: Content-Type, Location
	Body    []byte            // at most [MaxAnswer] bytes
	Request string            // id of the request that made it
}

// Step is one entry of a record's history.
type Step struct {
	At   time.Time // wall clock
	What string    // at most [MaxStep] bytes
}

// Open reports whether the work is unfinished.
func (r Record) Open() bool { return r.Point != Done }

// held reports whether the record belongs to an attempt, dead or alive.
func (r Record) held() bool { return r.Open() && !r.LeaseUntil.IsZero() }

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

// Clone returns a copy that shares no memory with the record. Engines that
// keep records in memory store clones and hand out clones.
func (r Record) Clone() Record {
	r.Fingerprint.Params = maps.Clone(r.Fingerprint.Params)
	r.Answer.Header = maps.Clone(r.Answer.Header)
	r.Answer.Body = bytes.Clone(r.Answer.Body)
	r.History = slices.Clone(r.History)
	return r
}

// logged returns the record with one more step. It copies the history, because
// the old record may still be in somebody's hands.
func (r Record) logged(at time.Time, what string) Record {
	history := make([]Step, 0, len(r.History)+1)
	history = append(history, r.History...)
	if len(history) >= MaxHistory {
		history = slices.Delete(history, 1, len(history)-MaxHistory+2)
	}
	r.History = append(history, Step{At: at, What: clip(what)})
	return r
}

// clip cuts a text for people to its bound, between characters.
func clip(text string) string {
	if len(text) <= MaxStep {
		return text
	}
	return strings.ToValidUTF8(text[:MaxStep], "")
}

func (a Answer) check() error {
	if a.Status < 200 || a.Status > 499 {
		return fmt.Errorf("%w: status %d is not a definite answer", ErrAnswer, a.Status)
	}
	if len(a.Body) > MaxAnswer {
		return fmt.Errorf("%w: a body of %d bytes, %d allowed", ErrAnswer, len(a.Body), MaxAnswer)
	}
	return nil
}
