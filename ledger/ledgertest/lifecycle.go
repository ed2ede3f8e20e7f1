package ledgertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// lifecycleRules: clients that leave and servers that stop.
var lifecycleRules = []rule{
	{"a client that hangs up does not stop its charge", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		if got := b.abandon(request("k"), gate); !errors.Is(got.err, ledger.ErrOutcomeUnknown) || !errors.Is(got.err, context.Canceled) || got.Charge == "" {
			t.Errorf("got %v, charge %q, error %v", got.Outcome, got.Charge, got.err)
		}
		gate.Open()
		b.log.await(t, "committed 2 k", 1)
		b.must(request("k"), idem.Replay, 201)
		b.captures(1)
	}},
	{"a client that hangs up while it waits leaves the other alone", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		first := b.start(request("k"))
		b.arrives(gate)
		ctx, hangUp := context.WithCancel(context.Background())
		defer hangUp()
		done := b.startWith(ctx, request("k"))
		b.log.await(t, "decided busy", 1)
		hangUp()
		if got := b.result(done); !errors.Is(got.err, context.Canceled) {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		gate.Open()
		b.check(b.result(first), idem.Started, 201)
	}},
	{"closing waits for abandoned work, and then refuses", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		b.abandon(request("k"), gate)

		short, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if err := b.ledger.Close(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closed over work under way: %v", err)
		}
		if got := b.charge(request("other")); !errors.Is(got.err, ledger.ErrClosed) {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		gate.Open()
		if err := b.ledger.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
		if c := b.books("shop").Charges; len(c) != 1 || c[0].Status != ledger.Succeeded {
			t.Errorf("charges %+v", c)
		}
	}},
	{"closing sends those away who wait", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		first := b.start(request("k"))
		b.arrives(gate)
		second := b.start(request("k"))
		b.log.await(t, "decided busy", 1)
		closed := make(chan error, 1)
		go func() { closed <- b.ledger.Close(context.Background()) }()
		if got := b.result(second); got.err != nil || got.Outcome != idem.Busy {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		gate.Open()
		b.check(b.result(first), idem.Started, 201)
		if err := <-closed; err != nil {
			t.Errorf("close: %v", err)
		}
	}},
	{"no more charges are under way than allowed, abandoned ones included", func(t *testing.T, b *bench) {
		b.ledger = b.newLedger(func(o *ledger.Options) { o.MaxInFlight = 1 })
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		b.abandon(request("k"), gate)
		if got := b.charge(request("other")); !errors.Is(got.err, ledger.ErrOverloaded) {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		gate.Open()
		if err := b.ledger.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	}},
	{"the points come in their order and are named once", func(t *testing.T, b *bench) {
		b.must(request("k"), idem.Started, 201)
		b.must(request("k"), idem.Replay, 201)
		want := []string{"at begin", "at claimed", "at provider-called", "at committed", "at begin"}
		same(t, want, b.log.all("at "))
	}},
}
