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
	// Committed: one of the two commits of a charge is durable.
	Committed func(ctx context.Context, commit Commit)
	// ProviderCall: the provider is about to be called.
	ProviderCall func(ctx context.Context, call ProviderCall)
	// ProviderAnswered: the call came back, or was given up.
	ProviderAnswered func(ctx context.Context, answer ProviderAnswer)
	// Unknown: the attempt ends without a definite outcome; the key is
	// released where that was possible.
	Unknown func(ctx context.Context, charge Charge, err error)
	// Fenced: the attempt lost its claim and discards what it found.
	Fenced func(ctx context.Context, charge Charge, record idem.Record)
	// At is called at each point of a charge (see [AtBegin]) and may block, to hold the
	// request there; the attempt's lease goes on being renewed.
	At func(ctx context.Context, point string)
	// Beat is asked before each heartbeat whether it may happen; false skips
	// it. It is how a worker is frozen beyond its lease for show and in tests.
	Beat func(ctx context.Context, charge Charge) bool
}

// The points of [Hooks.At], in their order.
const (
	AtBegin          = "begin"           // before commit 1
	AtClaimed        = "claimed"         // after commit 1
	AtProviderCalled = "provider-called" // the provider has answered; before commit 2
	AtCommitted      = "committed"       // after commit 2; the answer is not sent
)

// Commit is one durable transaction of a charge.
type Commit struct {
	Phase  int // 1: claimed; 2: settled
	Charge Charge
	Record idem.Record
	Rows   []string // the keys that the one transaction wrote
}

// ProviderCall is a call that is about to be made.
type ProviderCall struct {
	Charge Charge
	Lookup bool // asks what became of the key; else captures
}

// ProviderAnswer is what a call came to.
type ProviderAnswer struct {
	Charge   Charge
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

func (h Hooks) unknown(ctx context.Context, c Charge, err error) {
	if h.Unknown != nil {
		h.Unknown(ctx, c, err)
	}
}

func (h Hooks) fenced(ctx context.Context, c Charge, r idem.Record) {
	if h.Fenced != nil {
		h.Fenced(ctx, c, r)
	}
}

func (h Hooks) at(ctx context.Context, point string) {
	if h.At != nil {
		h.At(ctx, point)
	}
}

func (h Hooks) beat(ctx context.Context, c Charge) bool {
	return h.Beat == nil || h.Beat(ctx, c)
}
