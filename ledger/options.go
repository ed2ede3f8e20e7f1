package ledger

import (
	"time"

	"chargeonce/idem"
)

// Defaults of [Options].
const (
	// DefaultBusyWait outlasts an ordinary provider call, so that a double
	// click ends in the first click's answer.
	DefaultBusyWait = 2 * time.Second
	// DefaultProviderSpan holds three provider attempts of 5 s with their
	// pauses, and stays below [idem.DefaultLease].
	DefaultProviderSpan = 20 * time.Second
	// DefaultRetryWindow is how long we expect clients to go on trying.
	DefaultRetryWindow = time.Hour
	// DefaultMaxInFlight bounds memory: a call holds a few kilobytes.
	DefaultMaxInFlight = 1024
)

// Options say how a ledger works. Store and Provider are needed; all else may
// be zero.
type Options struct {
	Store    Store
	Provider Provider
	Terms    idem.Terms

	BusyWait     time.Duration // how long a busy request waits; 0: [DefaultBusyWait]
	ProviderSpan time.Duration // bound of one provider call with all its attempts; 0: [DefaultProviderSpan]
	RetryWindow  time.Duration // how long clients retry; 0: [DefaultRetryWindow]
	MaxInFlight  int           // calls of Charge at one time; 0: [DefaultMaxInFlight]
	MaxWaiters   int           // busy requests that wait for one key; 0: [idem.DefaultMaxWaiters]

	// Render makes the answer that is stored and replayed, out of a settled
	// charge. It runs inside commit 2 and perhaps twice, so it must be pure.
	// The status must be 200 to 499. nil: the charge as JSON, 201 or 402.
	Render func(Charge) idem.Answer

	Now    func() time.Time           // wall clock; nil: [time.Now]
	Offset func() time.Duration       // how far the retention clock is ahead of it; nil: not at all
	NewID  func(prefix string) string // a fresh id; nil: the prefix and 130 random bits

	Hooks Hooks
}
