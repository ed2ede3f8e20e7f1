package ledger_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// tenacious is a provider whose client tries again by itself, as long as it
// may.
type tenacious struct {
	attempts atomic.Int32
	pause    time.Duration
	most     int32
}

func (p *tenacious) Capture(ctx context.Context, _ string, _ ledger.Capture) (ledger.Captured, error) {
	for p.attempts.Load() < p.most {
		if err := ledger.MayCall(ctx); err != nil {
			return ledger.Captured{}, err
		}
		p.attempts.Add(1)
		time.Sleep(p.pause)
	}
	return ledger.Captured{ID: "pc_1"}, nil
}

func (p *tenacious) Lookup(context.Context, string) (ledger.Captured, bool, error) {
	return ledger.Captured{}, false, nil
}

func (p *tenacious) Refund(context.Context, string, string, int64) (ledger.Refunded, error) {
	return ledger.Refunded{}, ledger.ErrProviderRefused
}

// flaky is a store whose next writes fail.
type flaky struct {
	ledger.Store
	failures atomic.Int32
}

func (s *flaky) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	if s.failures.Add(-1) >= 0 {
		return ledger.ErrDiskFull
	}
	return s.Store.Update(ctx, fn)
}

func TestAFailedHeartbeatStopsTheNextProviderAttempt(t *testing.T) {
	provider := &tenacious{pause: lease / 10, most: 6}
	store := &flaky{}
	tune := func(o *ledger.Options) {
		store.Store = o.Store
		o.Store, o.Provider = store, provider
		var once atomic.Bool
		o.Hooks.ProviderCall = func(context.Context, ledger.ProviderCall) {
			if once.CompareAndSwap(false, true) {
				store.failures.Store(1) // the first beat, after a third of the lease
			}
		}
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		began := time.Now()
		got, err := b.Charge(t.Context(), request("k"))
		// Four attempts of the first claim; the other two under the next one,
		// which the same request asked for.
		if err != nil || got.Outcome != idem.Resumed || got.Record.Fence != 2 || provider.attempts.Load() != 6 {
			t.Errorf("got %v under fence %d after %d attempts, %v", got.Outcome, got.Record.Fence, provider.attempts.Load(), err)
		}
		if took := time.Since(began); took != 6*provider.pause {
			t.Errorf("it took %v", took)
		}
	})
}

func TestAPanickingHeartbeatCostsTheClaimAndNothingElse(t *testing.T) {
	var beats atomic.Int32
	provider := &tenacious{pause: lease / 10, most: 6}
	tune := func(o *ledger.Options) {
		o.Provider = provider
		o.Hooks.Beat = func(context.Context, ledger.Work) bool {
			if beats.Add(1) == 1 {
				panic("scripted panic")
			}
			return true
		}
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		got, err := b.Charge(t.Context(), request("k"))
		if err != nil || got.Outcome != idem.Resumed || got.Record.Fence != 2 {
			t.Errorf("got %v under fence %d, %v", got.Outcome, got.Record.Fence, err)
		}
	})
}

func TestAClaimThatIsLostOverAndOverIsGivenUp(t *testing.T) {
	tune := func(o *ledger.Options) {
		o.Hooks.Beat = frozen
		o.Hooks.At = at(ledger.AtClaimed, lease) // each round sleeps through its lease
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		got, err := b.Charge(t.Context(), request("k"))
		if !errors.Is(err, ledger.ErrOutcomeUnknown) || got.RetryAfter < ledger.RetryAfter || len(b.provider.Calls()) != 0 {
			t.Errorf("got %v, calls %v, %v", got.Outcome, b.provider.Calls(), err)
		}
		if record := b.record(t, "k"); record.Point != idem.Claimed || !record.LeaseUntil.IsZero() {
			t.Errorf("the record is at %s, leased until %v", record.Point, record.LeaseUntil)
		}
	})
}

// contradictory says both that it captured and that it does not know.
type contradictory struct{}

func (contradictory) Capture(context.Context, string, ledger.Capture) (ledger.Captured, error) {
	return ledger.Captured{ID: "pc_1"}, ledger.ErrOutcomeUnknown
}

func (contradictory) Lookup(context.Context, string) (ledger.Captured, bool, error) {
	return ledger.Captured{ID: "pc_1"}, true, ledger.ErrOutcomeUnknown
}

func (contradictory) Refund(context.Context, string, string, int64) (ledger.Refunded, error) {
	return ledger.Refunded{ID: "pr_1"}, ledger.ErrOutcomeUnknown
}

func TestAnErrorOutweighsWhatComesWithIt(t *testing.T) {
	var answers []ledger.ProviderAnswer
	tune := func(o *ledger.Options) {
		o.Provider = contradictory{}
		o.Hooks.ProviderAnswered = func(_ context.Context, a ledger.ProviderAnswer) { answers = append(answers, a) }
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		for range 2 {
			if _, err := b.Charge(t.Context(), request("k")); !errors.Is(err, ledger.ErrOutcomeUnknown) {
				t.Errorf("got %v", err)
			}
		}
		if len(answers) != 2 {
			t.Fatalf("answers %+v", answers)
		}
		for _, a := range answers {
			if a.Captured.ID != "" || a.Found || a.Err == nil {
				t.Errorf("look-up %v was told as %+v", a.Lookup, a)
			}
		}
	})
}

func TestAContextThatIsNoAttemptsMayCall(t *testing.T) {
	if err := ledger.MayCall(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAnAttemptThatIsOverMayNotCall(t *testing.T) {
	var late context.Context
	tune := func(o *ledger.Options) {
		o.Hooks.At = func(ctx context.Context, _ string) { late = ctx }
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		if _, err := b.Charge(t.Context(), request("k")); err != nil {
			t.Fatal(err)
		}
		if err := ledger.MayCall(late); !errors.Is(err, ledger.ErrClaimLost) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTheTraceOfTheRequestReachesHooksAndProvider(t *testing.T) {
	type trace struct{}
	var seen []any
	tune := func(o *ledger.Options) {
		o.Hooks.Committed = func(ctx context.Context, _ ledger.Commit) { seen = append(seen, ctx.Value(trace{})) }
		o.Hooks.ProviderCall = func(ctx context.Context, _ ledger.ProviderCall) { seen = append(seen, ctx.Value(trace{})) }
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		if _, err := b.Charge(context.WithValue(t.Context(), trace{}, "req_1"), request("k")); err != nil {
			t.Fatal(err)
		}
		if len(seen) != 3 || seen[0] != "req_1" || seen[1] != "req_1" || seen[2] != "req_1" {
			t.Errorf("got %v", seen)
		}
	})
}

func TestAPanicInAnyHookEndsOneAttemptOnly(t *testing.T) {
	boom := func() { panic("scripted panic") }
	for name, hooks := range map[string]ledger.Hooks{
		"decided":   {Decided: func(context.Context, idem.Key, idem.Decision) { boom() }},
		"committed": {Committed: func(context.Context, ledger.Commit) { boom() }},
		"call":      {ProviderCall: func(context.Context, ledger.ProviderCall) { boom() }},
		"answered":  {ProviderAnswered: func(context.Context, ledger.ProviderAnswer) { boom() }},
		"at claimed": {At: func(_ context.Context, point string) {
			if point != ledger.AtBegin { // that one is on the caller's own stack
				boom()
			}
		}},
		"at committed, then unknown": {
			At: func(_ context.Context, point string) {
				if point == ledger.AtCommitted {
					boom()
				}
			},
			Unknown: func(context.Context, ledger.Work, error) { boom() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(o *ledger.Options) { o.Hooks = hooks }, func(t *testing.T, b bubble) {
				if _, err := b.Charge(t.Context(), request("k")); !errors.Is(err, ledger.ErrOutcomeUnknown) {
					t.Errorf("got %v", err)
				}
				if record := b.record(t, "k"); !record.LeaseUntil.IsZero() {
					t.Errorf("still leased until %v", record.LeaseUntil)
				}
			})
		})
	}
}
