package ledger

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
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
	MaxInFlight  int           // charges under way at one time; 0: [DefaultMaxInFlight]
	MaxWaiters   int           // busy requests that wait for one key; 0: [idem.DefaultMaxWaiters]

	// CompleteAfter is how long after the end of its last attempt a record is
	// resumed by itself, if no client comes back for it; 0: never. Clients
	// should have had time to: what the completer finds out, nobody waits for.
	CompleteAfter  time.Duration
	CompleteAtOnce int // records that are completed at one time; 0: [DefaultCompleteAtOnce]
	// ReapEvery is how often answers past Terms.Retain and keys past
	// Terms.Tombstone are removed; 0: never (but see [Ledger.Reap]).
	ReapEvery time.Duration

	// Render makes the answer that commit 2 stores and that is replayed, out
	// of the charge as it will stand settled. It must be pure: the commit may
	// still fail, and another attempt then renders again. The status must be
	// 200 to 499. nil: the charge as JSON, 201 or 402.
	Render func(Charge) idem.Answer
	// RenderRefund does so for a refund and its charge, with refused nil: the
	// charge is the one of the claim, so its sums may be behind. Where the
	// charge does not allow the refund it gets the [*RefusedError] and a refund
	// that is not stored; it then runs inside commit 1. nil: the refund as JSON,
	// 201, 402 where the provider declined, or 400 with the reason.
	RenderRefund func(r Refund, of Charge, refused error) idem.Answer
	// RenderIntent does so for a payment intent and its charge, which is zero
	// where the intent is not confirmed; it then runs inside commit 1. nil: the
	// intent as JSON, 201 or 402.
	RenderIntent func(Intent, Charge) idem.Answer

	// RenderUnconfirmed makes the answer of a confirmation that the intent does
	// not allow; it runs inside commit 1. nil: 400 with the reason.
	RenderUnconfirmed func(*IntentError) idem.Answer

	// RenderCart does so for a cart that was changed, or as it stands where it
	// refused the change ([ErrQuantity], [ErrCartFull], [ErrTooManyCarts]). It
	// runs inside the one commit. nil: the cart as JSON, 200, or 400 with the
	// reason.
	RenderCart func(c Cart, refused error) idem.Answer

	// RenderEndpoint does so for a webhook endpoint that was made, or that was
	// one too many. It runs inside the one commit. nil: the endpoint as JSON,
	// 201, or 400 with the reason.
	RenderEndpoint func(e Endpoint, refused error) idem.Answer

	// RenderChange makes the answer of a webhook endpoint that was changed. It
	// runs inside the one commit. nil: the endpoint as JSON, 200.
	RenderChange func(Endpoint) idem.Answer

	// RenderRemoval makes the answer of a webhook endpoint that was removed under a
	// key. It runs inside the one commit. nil: its id as JSON, 200.
	RenderRemoval func(Endpoint) idem.Answer

	// Announce makes each event that commit 2 puts into the outbox, out of the
	// event as the ledger knows it (no body, nobody to be told) and the work
	// as it will stand settled, with a refund counted on its charge. The context
	// is the request's. It must be pure, like Render; it runs inside the transaction.
	// nil: there is no outbox.
	Announce func(context.Context, Event, Work) Event

	Now    func() time.Time           // wall clock; nil: [time.Now]
	Offset func() time.Duration       // how far the retention clock is ahead of it; nil: not at all
	NewID  func(prefix string) string // a fresh id; nil: the prefix and 130 random bits

	Hooks Hooks
}

// withDefaults fills in what was left zero.
func (o Options) withDefaults() Options {
	orDuration(&o.Terms.Lease, idem.DefaultLease) // the heartbeat needs the figure,
	orDuration(&o.Terms.Retain, idem.DefaultRetain)
	orDuration(&o.Terms.Tombstone, idem.DefaultTombstone) // and the reaper these two
	orDuration(&o.BusyWait, DefaultBusyWait)
	orDuration(&o.ProviderSpan, DefaultProviderSpan)
	orDuration(&o.RetryWindow, DefaultRetryWindow)
	if o.MaxInFlight == 0 {
		o.MaxInFlight = DefaultMaxInFlight
	}
	if o.CompleteAtOnce == 0 {
		o.CompleteAtOnce = DefaultCompleteAtOnce
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Offset == nil {
		o.Offset = func() time.Duration { return 0 }
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	return o.withRenderings()
}

func (o Options) validate() error {
	if o.Store == nil || o.Provider == nil {
		return errors.New("ledger: a store and a provider are needed")
	}
	if min(o.BusyWait, o.ProviderSpan, o.RetryWindow) < 0 || min(o.MaxInFlight, o.CompleteAtOnce) < 0 {
		return fmt.Errorf("%w: a bound is negative", idem.ErrTerms)
	}
	for _, pause := range []time.Duration{o.CompleteAfter, o.ReapEvery} {
		if pause < 0 || pause > 0 && pause < time.Millisecond {
			return fmt.Errorf("%w: a pause of %v would spin", idem.ErrTerms, pause)
		}
	}
	if o.Terms.Lease < beats*time.Millisecond {
		return fmt.Errorf("%w: the lease (%v) leaves no time for heartbeats", idem.ErrTerms, o.Terms.Lease)
	}
	if err := o.Terms.Validate(o.ProviderSpan, o.RetryWindow); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// now is one instant for one transaction. The monotonic reading is dropped,
// because the instant is compared with ones that were stored.
func (o Options) now() idem.Now { return idem.At(o.Now().Round(0).UTC(), o.Offset()) }

func orDuration(d *time.Duration, fallback time.Duration) {
	if *d == 0 {
		*d = fallback
	}
}

func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()) }
