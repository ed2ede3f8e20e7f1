package network

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Kind is what a fault does to a request.
type Kind string

// The kinds of fault. The empty Kind is no fault.
const (
	LoseRequest  Kind = "lose-request"  // never delivered
	LoseResponse Kind = "lose-response" // delivered and answered; the answer vanishes
	Delay        Kind = "delay"         // delivered later, even when the sender has left by then
	Duplicate    Kind = "duplicate"     // delivered twice, answered once
	Truncate     Kind = "truncate"      // half of the answer's body, then the connection ends
	Status       Kind = "status"        // not delivered; a proxy on the way answers
)

// How is the way in which a lost request or response looks to its sender.
type How string

// The ways to lose. They differ in who notices, and in who sends again without
// being told to: see (*crossing).lose.
const (
	Silent How = "silent" // no byte; the connection stays open until the sender's timeout
	Reset  How = "reset"  // 100 Continue, then RST: seen by all, sent again by none on its own
	Raw    How = "raw"    // closed without a word: HTTP libraries may send it again by themselves
)

// Limits of a fault. Each bounds what one mistyped command can do to a room
// full of people.
const (
	MaxAttempts   = 10_000            // requests that one fault takes
	MaxDelay      = 120 * time.Second // as long as the longest silence
	MaxRetryAfter = 86_400            // seconds: one day
	maxID         = 64                // bytes of a fault's name
	maxKey        = 255               // bytes of an idempotency key
)

// Fault is one scripted fault: what happens, to whom, and to how many
// requests. It is a plain value and may be copied.
type Fault struct {
	ID       string        // names it for Disarm; Arm gives one where it is empty
	Owner    string        // only this owner's requests; empty: anybody's
	Key      string        // only requests with this idempotency key; empty: any
	Kind     Kind          // required
	How      How           // of the two losses only; empty: Silent
	Attempts int           // how many requests it takes, 1 to MaxAttempts
	Delay    time.Duration // of Delay only: 1 ms to MaxDelay

	Status     int // of Status only: 429, 502, 503 or 504
	RetryAfter int // of Status only: seconds, 0 (no such header) to MaxRetryAfter
	// Posing, of Status only: the wire may pose as the far side itself, so that
	// Status is anything from 400 to 599. No header can ask for it.
	Posing bool
}

var (
	kinds    = []Kind{LoseRequest, LoseResponse, Delay, Duplicate, Truncate, Status}
	statuses = []int{429, 502, 503, 504} // what a proxy says for itself; 500 would be the application's

	ownerForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	keyForm   = regexp.MustCompile(`^[!-~]{1,255}$`)
)

// Validate reports the first thing wrong with f as a *FaultError that names
// the field, what it may be, and what it was; nil if f can be armed. A setting
// that f's kind does not use is refused, since it would do nothing and its
// author expects something.
func (f Fault) Validate() error {
	return cmp.Or(f.checkScope(), f.checkKind(), f.checkAttempts(), f.checkDelay(), f.checkStatus())
}

// checkScope bounds the names, which are kept as long as the fault is armed.
func (f Fault) checkScope() error {
	switch {
	case len(f.ID) > maxID:
		return wrong("id", fmt.Sprintf("at most %d bytes", maxID), f.ID)
	case f.Owner != "" && !ownerForm.MatchString(f.Owner):
		return wrong("owner", "1 to 64 of A-Z a-z 0-9 _ -", f.Owner)
	case f.Key != "" && !keyForm.MatchString(f.Key):
		return wrong("key", "1 to 255 visible ASCII characters", f.Key)
	}
	return nil
}

func (f Fault) checkKind() error {
	lossy := f.Kind == LoseRequest || f.Kind == LoseResponse
	switch {
	case !slices.Contains(kinds, f.Kind):
		return wrong("kind", fmt.Sprintf("one of %v", kinds), string(f.Kind))
	case f.How != "" && !lossy:
		return wrong("how", "absent unless something is lost", string(f.How))
	case !slices.Contains([]How{"", Silent, Reset, Raw}, f.How):
		return wrong("how", "silent, reset or raw", string(f.How))
	}
	return nil
}

func (f Fault) checkAttempts() error {
	if f.Attempts < 1 || f.Attempts > MaxAttempts {
		return wrong("attempts", fmt.Sprintf("1 to %d", MaxAttempts), f.Attempts)
	}
	return nil
}

func (f Fault) checkDelay() error {
	switch {
	case f.Kind == Delay && (f.Delay < time.Millisecond || f.Delay > MaxDelay):
		return wrong("ms", fmt.Sprintf("1 to %d", MaxDelay.Milliseconds()), f.Delay.Milliseconds())
	case f.Kind != Delay && f.Delay != 0:
		return wrong("ms", "absent unless the kind is delay", f.Delay.Milliseconds())
	}
	return nil
}

func (f Fault) checkStatus() error {
	switch {
	case f.Posing && (f.Kind != Status || f.Status < 400 || f.Status > 599):
		return wrong("status", "400 to 599", f.Status)
	case f.Kind == Status && !f.Posing && !slices.Contains(statuses, f.Status):
		return wrong("status", fmt.Sprintf("one of %v", statuses), f.Status)
	case f.Kind != Status && f.Status != 0:
		return wrong("status", "absent unless the kind is status", f.Status)
	case f.Kind != Status && f.RetryAfter != 0:
		return wrong("retry-after", "absent unless the kind is status", f.RetryAfter)
	case f.RetryAfter < 0 || f.RetryAfter > MaxRetryAfter:
		return wrong("retry-after", fmt.Sprintf("0 to %d seconds", MaxRetryAfter), f.RetryAfter)
	}
	return nil
}

// matches reports whether f takes a request of this owner and key.
func (f Fault) matches(owner, key string) bool {
	return (f.Owner == "" || f.Owner == owner) && (f.Key == "" || f.Key == key)
}
