package ledger_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/ledger/ledgertest"
)

// The tests here run in bubbles of virtual time: leases and heartbeats take
// their real lengths and no time at all.
const (
	lease = 3 * time.Second
	span  = 2 * time.Second
)

// bubble is a ledger in virtual time.
type bubble struct {
	*ledger.Ledger
	store    ledger.Store
	provider *ledgertest.Provider
}

// inBubble runs a test on a ledger in memory, and audits what it leaves.
func inBubble(t *testing.T, tune func(*ledger.Options), test func(t *testing.T, b bubble)) {
	synctest.Test(t, func(t *testing.T) {
		store := open(t, badgerdb.Options{InMemory: true})
		b := bubble{store: store, provider: &ledgertest.Provider{}}
		options := ledger.Options{
			Store: store, Provider: b.provider, ProviderSpan: span, Terms: idem.Terms{Lease: lease},
		}
		tune(&options)
		var err error
		if b.Ledger, err = ledger.New(options); err != nil {
			t.Fatal(err)
		}
		test(t, b)
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := store.View(context.Background(), ledgertest.Audit); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

func request(key string) ledger.ChargeRequest {
	return ledger.ChargeRequest{
		Key: idem.Key{Owner: "shop", Value: key}, Fingerprint: idem.Fingerprint{Sum: "v1:" + key},
		Operation: "POST /v1/charges", Amount: 5000, Currency: "eur", Card: "tok_visa",
	}
}

func impatient(key string) ledger.ChargeRequest {
	r := request(key)
	r.Wait = -1
	return r
}

func (b bubble) record(t *testing.T, key string) (record idem.Record) {
	t.Helper()
	err := b.store.View(context.Background(), func(r ledger.Reader) (err error) {
		record, _, err = r.Record(request(key).Key)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// at sleeps at a point.
func at(point string, d time.Duration) func(context.Context, string) {
	return func(_ context.Context, here string) {
		if here == point {
			time.Sleep(d)
		}
	}
}

func frozen(context.Context, ledger.Work) bool { return false }

func TestAHeartbeatKeepsTheClaimOfAnAttemptAtWork(t *testing.T) {
	tune := func(o *ledger.Options) { o.Hooks.At = at(ledger.AtProviderCalled, 10*lease) }
	inBubble(t, tune, func(t *testing.T, b bubble) {
		done := make(chan ledger.Result)
		go func() {
			result, err := b.Charge(t.Context(), request("k"))
			if err != nil {
				t.Error(err)
			}
			done <- result
		}()
		time.Sleep(10*lease - time.Second)
		if got, err := b.Charge(t.Context(), impatient("k")); err != nil || got.Outcome != idem.Busy {
			t.Errorf("after nine leases: %v, %v", got.Outcome, err)
		}
		if got := <-done; got.Outcome != idem.Started || got.Record.Fence != 1 {
			t.Errorf("got %v under fence %d", got.Outcome, got.Record.Fence)
		}
	})
}

func TestNoHeartbeatFollowsTheLastWrite(t *testing.T) {
	for name, act := range map[string]ledgertest.Act{"settled": {}, "released": {Lost: true}} {
		t.Run(name, func(t *testing.T) {
			tune := func(o *ledger.Options) {
				// The attempt lives on for a while after its last write.
				o.Hooks.At = at(ledger.AtCommitted, 5*lease)
				o.Hooks.Unknown = func(context.Context, ledger.Work, error) { time.Sleep(5 * lease) }
			}
			inBubble(t, tune, func(t *testing.T, b bubble) {
				b.provider.Script(act)
				_, _ = b.Charge(t.Context(), request("k"))
				if got := b.record(t, "k"); !got.LeaseUntil.IsZero() || got.Fence != 1 {
					t.Errorf("leased until %v under fence %d", got.LeaseUntil, got.Fence)
				}
			})
		})
	}
}

func TestAWaiterTakesOverWhenTheLeaseEnds(t *testing.T) {
	tune := func(o *ledger.Options) { o.Hooks.Beat = frozen }
	inBubble(t, tune, func(t *testing.T, b bubble) {
		thaw := ledgertest.NewGate()
		b.provider.Script(ledgertest.Act{Before: thaw})
		began := time.Now()
		left := make(chan error)
		go func() {
			_, err := b.Charge(t.Context(), request("k"))
			left <- err
		}()
		<-thaw.Arrived()
		patient := request("k")
		patient.Wait = 10 * lease
		// The hung call is given up after its span, which is shorter than the
		// lease: it is the release that wakes the waiter.
		if got, err := b.Charge(t.Context(), patient); err != nil || got.Outcome != idem.Resumed {
			t.Errorf("got %v, %v", got.Outcome, err)
		}
		if took := time.Since(began); took != span {
			t.Errorf("it took %v", took)
		}
		if err := <-left; !errors.Is(err, ledger.ErrOutcomeUnknown) {
			t.Errorf("the hung call: %v", err)
		}
		thaw.Open()
	})
}

func TestAWaiterNeedsNoWakeWhenTheHolderIsDead(t *testing.T) {
	tune := func(o *ledger.Options) {
		o.Hooks.Beat = frozen
		var calls atomic.Int32
		o.Hooks.At = func(_ context.Context, point string) {
			if point == ledger.AtClaimed && calls.Add(1) == 1 {
				time.Sleep(10 * lease) // the first hangs where nobody gives up on it
			}
		}
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		began := time.Now()
		go func() {
			if got, err := b.Charge(t.Context(), request("k")); err != nil || got.Outcome != idem.Replay {
				t.Errorf("the zombie got %v, %v", got.Outcome, err)
			}
		}()
		synctest.Wait()
		patient := request("k")
		patient.Wait = 10 * lease
		if got, err := b.Charge(t.Context(), patient); err != nil || got.Outcome != idem.Resumed {
			t.Errorf("got %v, %v", got.Outcome, err)
		}
		if took := time.Since(began); took < lease || took > lease+time.Second {
			t.Errorf("it took %v of a lease of %v", took, lease)
		}
	})
}

func TestWaitingEndsAtItsBound(t *testing.T) {
	tune := func(o *ledger.Options) { o.Hooks.At = at(ledger.AtProviderCalled, 10*lease) }
	inBubble(t, tune, func(t *testing.T, b bubble) {
		go func() { _, _ = b.Charge(t.Context(), request("k")) }()
		synctest.Wait()
		for wait, want := range map[time.Duration]time.Duration{
			-1: 0, 0: ledger.DefaultBusyWait, time.Second: time.Second, 2 * lease: 2 * lease,
		} {
			began := time.Now()
			busy := request("k")
			busy.Wait = wait
			got, err := b.Charge(t.Context(), busy)
			if took := time.Since(began); err != nil || got.Outcome != idem.Busy || took != want {
				t.Errorf("wait %v: %v after %v, %v", wait, got.Outcome, took, err)
			}
		}
	})
}

func TestAHungClientIsGivenUpAfterItsSpan(t *testing.T) {
	inBubble(t, func(*ledger.Options) {}, func(t *testing.T, b bubble) {
		thaw := ledgertest.NewGate()
		b.provider.Script(ledgertest.Act{After: thaw})
		began := time.Now()
		got, err := b.Charge(t.Context(), request("k"))
		if !errors.Is(err, ledger.ErrOutcomeUnknown) || time.Since(began) != span {
			t.Errorf("got %v after %v, %v", got.Outcome, time.Since(began), err)
		}
		if got := b.record(t, "k"); got.Point != ledger.ProviderCalled || !got.LeaseUntil.IsZero() {
			t.Errorf("the record is at %s, leased until %v", got.Point, got.LeaseUntil)
		}
		if got, err := b.Charge(t.Context(), request("k")); err != nil || got.Outcome != idem.Resumed {
			t.Errorf("got %v, %v", got.Outcome, err)
		}
		if taken := b.provider.Captures(); len(taken) != 1 {
			t.Errorf("captures %v", taken)
		}
		soon, cancel := context.WithTimeout(t.Context(), span)
		defer cancel()
		if err := b.Close(soon); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closed while the call still hangs: %v", err)
		}
		thaw.Open()
	})
}
