package ledger

import (
	"context"
	"time"

	"chargeonce/idem"
)

// Hooks are told what a ledger does. Each may be nil. All are called after the
// commit, never inside a transaction or under a lock, and may be called from
// many goroutines at once. The context carries the values of the request's
// own; it may outlive the request.
type Hooks struct {
	// Decided: what a request may do. A request that has to wait is told busy
	// once, when the waiting starts, and then what it came to in the end.
	Decided func(ctx context.Context, key idem.Key, decision idem.Decision)
	// Committed: one of the two commits of a charge or a refund is durable, or
	// the only one of what needs no provider.
	Committed func(ctx context.Context, commit Commit)
	// ProviderCall: the provider is about to be called.
	ProviderCall func(ctx context.Context, call ProviderCall)
	// ProviderAnswered: the call came back, or was given up.
	ProviderAnswered func(ctx context.Context, answer ProviderAnswer)
	// Unknown: the attempt ends without a definite outcome; the key is
	// released where that was possible.
	Unknown func(ctx context.Context, work Work, err error)
	// Fenced: the attempt lost its claim and discards what it found.
	Fenced func(ctx context.Context, work Work, record idem.Record)
	// Completing: the completer takes up a record that nobody came back for.
	// What follows on the same key is told as for a request, without the
	// context of one.
	Completing func(ctx context.Context, record idem.Record)
	// Trouble: the completer or the reaper could not do what it says here. It
	// goes on by itself.
	Trouble func(ctx context.Context, what string, err error)
	// At is called at each point of a request (see [AtBegin]) and may block, to
	// hold it there; the attempt's lease goes on being renewed.
	At func(ctx context.Context, point string)
	// Beat is asked before each heartbeat whether it may happen; false skips
	// it. It is how a worker is frozen beyond its lease for show and in tests.
	Beat func(ctx context.Context, work Work) bool
}

// The points of [Hooks.At], in their order.
const (
	AtBegin          = "begin"           // before commit 1
	AtClaimed        = "claimed"         // after commit 1
	AtProviderCalled = "provider-called" // the provider has answered; before commit 2
	AtCommitted      = "committed"       // after commit 2; the answer is not sent
)

// Commit is one durable transaction of a charge or a refund.
type Commit struct {
	Phase int // 1: claimed; 2: settled, also where the claim was part of it
	Work
	Record idem.Record
	Rows   []string // the keys that the one transaction wrote
}

// ProviderCall is a call that is about to be made.
type ProviderCall struct {
	Work
	Lookup bool // asks what became of the key; else captures or refunds
}

// ProviderAnswer is what a call came to.
type ProviderAnswer struct {
	Work
	Lookup   bool
	Found    bool // of a look-up
	Captured Captured
	Err      error
	Elapsed  time.Duration
}

func (h Hooks) decided(ctx context.Context, key idem.Key, d idem.Decision) {
	if h.Decided != nil {
		h.Decided(ctx, key, d)
	}
}

func (h Hooks) committed(ctx context.Context, c Commit) {
	if h.Committed != nil {
		h.Committed(ctx, c)
	}
}

func (h Hooks) providerCall(ctx context.Context, c ProviderCall) {
	if h.ProviderCall != nil {
		h.ProviderCall(ctx, c)
	}
}

func (h Hooks) providerAnswered(ctx context.Context, a ProviderAnswer) {
	if h.ProviderAnswered != nil {
		h.ProviderAnswered(ctx, a)
	}
}

func (h Hooks) unknown(ctx context.Context, w Work, err error) {
	if h.Unknown != nil {
		h.Unknown(ctx, w, err)
	}
}

func (h Hooks) fenced(ctx context.Context, w Work, r idem.Record) {
	if h.Fenced != nil {
		h.Fenced(ctx, w, r)
	}
}

func (h Hooks) completing(ctx context.Context, r idem.Record) {
	if h.Completing != nil {
		h.Completing(ctx, r)
	}
}

func (h Hooks) trouble(ctx context.Context, what string, err error) {
	if h.Trouble != nil {
		h.Trouble(ctx, what, err)
	}
}

func (h Hooks) at(ctx context.Context, point string) {
	if h.At != nil {
		h.At(ctx, point)
	}
}

func (h Hooks) beat(ctx context.Context, w Work) bool {
	return h.Beat == nil || h.Beat(ctx, w)
}
