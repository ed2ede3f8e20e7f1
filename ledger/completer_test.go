package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/ledgertest"
)

const completeAfter = 30 * time.Second

// completes asks for a completer.
func completes(o *ledger.Options) { o.CompleteAfter = completeAfter }

// moments are the times at which something happened.
type moments struct {
	mu    sync.Mutex // guards times
	times []time.Time
}

func (m *moments) now() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.times = append(m.times, time.Now())
}

// since lists them as distances.
func (m *moments) since(began time.Time) (all []time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range m.times {
		all = append(all, at.Sub(began))
	}
	return all
}

// settles notes when commits 2 happen.
func (m *moments) settles(_ context.Context, c ledger.Commit) {
	if c.Phase == 2 {
		m.now()
	}
}

// silent is a number of calls without an answer.
func silent(n int) (acts []ledgertest.Act) {
	for range n {
		acts = append(acts, ledgertest.Act{Silent: true})
	}
	return acts
}

func TestWhatWasGivenUpIsCompletedAfterItsTimeAndNotBefore(t *testing.T) {
	var settled moments
	tune := func(o *ledger.Options) { completes(o); o.Hooks.Committed = settled.settles }
	inBubble(t, tune, func(t *testing.T, b bubble) {
		time.Sleep(7 * time.Second) // the completer has looked around before
		b.provider.Script(silent(1)...)
		began := time.Now()
		_, _ = b.Charge(t.Context(), request("k"))
		time.Sleep(2 * completeAfter)
		if got := settled.since(began); !slices.Equal(got, []time.Duration{completeAfter}) {
			t.Errorf("settled after %v", got)
		}
	})
}

func TestADeadAttemptIsCompletedAfterItsLease(t *testing.T) {
	var settled moments
	var dead atomic.Bool
	tune := func(o *ledger.Options) {
		completes(o)
		o.Hooks.Committed = settled.settles
		o.Hooks.Beat = frozen
		o.Hooks.At = func(_ context.Context, point string) {
			if point == ledger.AtClaimed && dead.CompareAndSwap(false, true) {
				time.Sleep(100 * lease)
			}
		}
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		began := time.Now()
		go func() { _, _ = b.Charge(t.Context(), request("k")) }()
		time.Sleep(2 * completeAfter)
		if got := settled.since(began); !slices.Equal(got, []time.Duration{lease + completeAfter}) {
			t.Errorf("settled after %v", got)
		}
	})
}

func TestAnAttemptThatLivesIsLeftAlone(t *testing.T) {
	var completed atomic.Int32
	tune := func(o *ledger.Options) {
		completes(o)
		o.Hooks.At = at(ledger.AtProviderCalled, 20*completeAfter)
		o.Hooks.Completing = func(context.Context, idem.Record) { completed.Add(1) }
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		got, err := b.Charge(t.Context(), request("k"))
		if err != nil || got.Outcome != idem.Started || completed.Load() != 0 {
			t.Errorf("got %v, %v; completed %d times", got.Outcome, err, completed.Load())
		}
	})
}

func TestWithoutACompleterNothingHappensByItself(t *testing.T) {
	inBubble(t, func(*ledger.Options) {}, func(t *testing.T, b bubble) {
		b.provider.Script(silent(1)...)
		_, _ = b.Charge(t.Context(), request("k"))
		time.Sleep(time.Hour)
		if got := b.record(t, "k"); got.Point != ledger.ProviderCalled || got.Fence != 1 {
			t.Errorf("the record is %+v", got)
		}
	})
}

func TestAnUnknownOutcomeIsAskedAboutAgainAtAnEvenPace(t *testing.T) {
	var calls moments
	tune := func(o *ledger.Options) {
		completes(o)
		o.Hooks.ProviderCall = func(context.Context, ledger.ProviderCall) { calls.now() }
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		b.provider.Script(silent(5)...)
		began := time.Now()
		_, _ = b.Charge(t.Context(), request("k"))
		time.Sleep(10 * completeAfter)
		var want []time.Duration
		for i := range 6 {
			want = append(want, time.Duration(i)*completeAfter)
		}
		if got := calls.since(began); !slices.Equal(got, want) {
			t.Errorf("called after %v, want %v", got, want)
		}
	})
}

func TestTheCompleterIsBoundedAndGetsThroughEverything(t *testing.T) {
	const abandoned, hands = 23, 3
	var working, most, done atomic.Int32
	tune := func(o *ledger.Options) {
		completes(o)
		o.CompleteAtOnce = hands
		o.Hooks.At = func(ctx context.Context, point string) {
			if point != ledger.AtClaimed || ctx.Value(client{}) != nil {
				return
			}
			for n, seen := working.Add(1), most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
			}
			time.Sleep(time.Second)
			working.Add(-1)
			done.Add(1)
		}
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		b.provider.Script(silent(abandoned)...)
		ctx := context.WithValue(t.Context(), client{}, true)
		for i := range abandoned {
			_, _ = b.Charge(ctx, request(fmt.Sprint("k", i)))
		}
		time.Sleep(completeAfter + (abandoned/hands+1)*time.Second + time.Millisecond)
		if most.Load() != hands || done.Load() != abandoned {
			t.Errorf("%d at once, %d done", most.Load(), done.Load())
		}
	})
}

// client marks the context of requests: a completer's work has none.
type client struct{}

// poisoned is a store in which one key cannot be claimed.
type poisoned struct {
	ledger.Store
	on atomic.Bool
}

type poisonedTx struct{ ledger.Tx }

var errPoison = errors.New("scripted poison")

func (tx poisonedTx) InsertKey(r idem.Record) (idem.Record, bool, error) {
	if r.Key.Value == "poison" {
		return idem.Record{}, false, errPoison
	}
	return tx.Tx.InsertKey(r)
}

func (s *poisoned) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.Store.Update(ctx, func(tx ledger.Tx) error {
		if s.on.Load() {
			return fn(poisonedTx{tx})
		}
		return fn(tx)
	})
}

func TestARecordThatCannotBeClaimedHoldsUpNoOther(t *testing.T) {
	store := &poisoned{}
	var troubles atomic.Int32
	tune := func(o *ledger.Options) {
		completes(o)
		o.CompleteAtOnce = 1
		store.Store, o.Store = o.Store, store
		o.Hooks.Trouble = func(_ context.Context, _ string, err error) {
			if errors.Is(err, errPoison) {
				troubles.Add(1)
			}
		}
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		b.provider.Script(silent(2)...)
		_, _ = b.Charge(t.Context(), request("poison"))
		_, _ = b.Charge(t.Context(), request("k"))
		store.on.Store(true)
		time.Sleep(completeAfter + time.Second)
		if got := b.record(t, "k"); got.Open() || troubles.Load() != 1 {
			t.Errorf("the other is at %s; %d troubles", got.Point, troubles.Load())
		}
		time.Sleep(10 * completeAfter) // it is asked for at that pace, and not in a loop
		if got := troubles.Load(); got != 11 {
			t.Errorf("%d troubles", got)
		}
		store.on.Store(false)
		time.Sleep(completeAfter)
		if got := b.record(t, "poison"); got.Open() {
			t.Errorf("cured, it is at %s", got.Point)
		}
	})
}

func TestARecordThatRestsIsAskedForWhenItsRestIsOver(t *testing.T) {
	store := &poisoned{}
	var troubles moments
	tune := func(o *ledger.Options) {
		completes(o)
		store.Store, o.Store = o.Store, store
		o.Hooks.Trouble = func(context.Context, string, error) { troubles.now() }
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		began := time.Now()
		b.provider.Script(silent(2)...)
		_, _ = b.Charge(t.Context(), request("poison"))
		store.on.Store(true)
		time.Sleep(10 * time.Second)
		_, _ = b.Charge(t.Context(), request("k")) // due in between, so there is a look then
		time.Sleep(2 * completeAfter)
		if got := troubles.since(began); !slices.Equal(got, []time.Duration{completeAfter, 2 * completeAfter}) {
			t.Errorf("asked for after %v", got)
		}
		store.on.Store(false)
		time.Sleep(completeAfter)
	})
}

func TestAStoreThatCannotBeReadIsTroubleAndNoMore(t *testing.T) {
	store := &unreadable{}
	var troubles atomic.Int32
	tune := func(o *ledger.Options) {
		completes(o)
		store.Store, o.Store = o.Store, store
		o.Hooks.Trouble = func(context.Context, string, error) { troubles.Add(1) }
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		b.provider.Script(silent(1)...)
		_, _ = b.Charge(t.Context(), request("k"))
		store.broken.Store(true)
		time.Sleep(3*completeAfter + time.Second)
		store.broken.Store(false)
		time.Sleep(completeAfter)
		if got := b.record(t, "k"); got.Open() || troubles.Load() != 3 {
			t.Errorf("it is at %s after %d troubles", got.Point, troubles.Load())
		}
	})
}

type unreadable struct {
	ledger.Store
	broken atomic.Bool
}

func (s *unreadable) View(ctx context.Context, fn func(ledger.Reader) error) error {
	if s.broken.Load() {
		return errPoison
	}
	return s.Store.View(ctx, fn)
}

func TestClosingWaitsForWhatIsBeingCompleted(t *testing.T) {
	tune := func(o *ledger.Options) {
		completes(o)
		o.Hooks.At = func(ctx context.Context, point string) {
			if point == ledger.AtClaimed && ctx.Value(client{}) == nil {
				time.Sleep(time.Minute)
			}
		}
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		b.provider.Script(silent(1)...)
		_, _ = b.Charge(context.WithValue(t.Context(), client{}, true), request("k"))
		time.Sleep(completeAfter)
		synctest.Wait()
		began := time.Now()
		if err := b.Close(context.Background()); err != nil || time.Since(began) != time.Minute {
			t.Errorf("closed after %v, %v", time.Since(began), err)
		}
		if got := b.record(t, "k"); got.Open() {
			t.Errorf("the record is at %s", got.Point)
		}
	})
}

func TestAPanicOfTheCompletersHookEndsNothingElse(t *testing.T) {
	var panicked atomic.Int32
	tune := func(o *ledger.Options) {
		completes(o)
		o.Hooks.Completing = func(context.Context, idem.Record) { panic("scripted panic") }
		o.Hooks.Trouble = func(_ context.Context, _ string, err error) {
			if errors.Is(err, ledger.ErrOutcomeUnknown) {
				panicked.Add(1)
			}
		}
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		b.provider.Script(silent(1)...)
		_, _ = b.Charge(t.Context(), request("k"))
		time.Sleep(2*completeAfter + time.Second)
		if panicked.Load() != 2 {
			t.Errorf("%d panics", panicked.Load())
		}
		if got, err := b.Charge(t.Context(), request("k")); err != nil || got.Outcome != idem.Resumed {
			t.Errorf("got %v, %v", got.Outcome, err)
		}
	})
}
