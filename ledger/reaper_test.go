package ledger_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/ledgertest"
)

func TestTheReaperSweepsByItself(t *testing.T) {
	var offset atomic.Int64
	tune := func(o *ledger.Options) {
		o.ReapEvery = time.Minute
		o.Offset = func() time.Duration { return time.Duration(offset.Load()) }
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		if _, err := b.Charge(t.Context(), request("k")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2*time.Minute + 1)
		if got := b.record(t, "k"); len(got.Answer.Body) == 0 {
			t.Error("the answer went before its time")
		}
		offset.Store(int64(idem.DefaultRetain))
		time.Sleep(time.Minute)
		if got := b.record(t, "k"); len(got.Answer.Body) != 0 || got.Open() {
			t.Errorf("the record is %+v", got)
		}
		offset.Store(int64(idem.DefaultTombstone))
		time.Sleep(time.Minute)
		if got := b.record(t, "k"); got.Fence != 0 {
			t.Errorf("the record is %+v", got)
		}
	})
}

func TestASweepThatFailsIsTroubleAndIsMadeAgain(t *testing.T) {
	store := &unreadable{}
	var troubles atomic.Int32
	tune := func(o *ledger.Options) {
		o.ReapEvery = time.Minute
		o.Offset = func() time.Duration { return idem.DefaultTombstone }
		store.Store, o.Store = o.Store, store
		o.Hooks.Trouble = func(context.Context, string, error) { troubles.Add(1) }
	}
	inBubble(t, tune, func(t *testing.T, b bubble) {
		store.broken.Store(true)
		time.Sleep(2*time.Minute + time.Second)
		store.broken.Store(false)
		time.Sleep(2 * time.Minute)
		if troubles.Load() != 2 {
			t.Errorf("%d troubles", troubles.Load())
		}
	})
}

// Field case K05, at a twentieth of its size: a whole life's worth of keys expires.
// One transaction cannot hold that many, and none tries to.
func TestASweepOfThousandsOfKeysFitsTheEngine(t *testing.T) {
	const keys, batch = 5_000, 500
	clock := ledgertest.NewClock()
	for name, store := range map[string]ledger.Store{"badger": inMemory(t), "memory": ledger.OpenMemory()} {
		for from := 0; from < keys; from += batch {
			err := store.Update(t.Context(), func(tx ledger.Tx) error {
				for i := from; i < from+batch; i++ {
					if _, _, err := tx.InsertKey(refused(i, clock.Now().Add(time.Duration(i-keys)))); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		l, err := ledger.New(ledger.Options{
			Store: store, Provider: &ledgertest.Provider{}, Now: clock.Now,
			Offset: func() time.Duration { return idem.DefaultTombstone },
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := l.Reap(t.Context()); err != nil || got != (ledger.Reaped{Keys: keys}) {
			t.Errorf("%s: reaped %+v, %v", name, got, err)
		}
		if err := store.View(t.Context(), ledgertest.Audit); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestABatchOfTheLargestRecordsFitsTheEngine(t *testing.T) {
	const keys = 70
	store, clock := inMemory(t), ledgertest.NewClock()
	for i := range keys {
		r := refused(i, clock.Now())
		r.Operation, r.Answer.Body = strings.Repeat("<", idem.MaxStep), make([]byte, idem.MaxAnswer/2)
		r.Fingerprint.Params = make(map[string]string)
		for n := range 64 {
			r.Fingerprint.Params[strings.Repeat("<", 62)+fmt.Sprint(10+n)] = strings.Repeat("0", 16)
		}
		for range idem.MaxHistory {
			r.History = append(r.History, idem.Step{At: clock.Now(), What: strings.Repeat("<", idem.MaxStep)})
		}
		err := store.Update(t.Context(), func(tx ledger.Tx) error {
			_, _, err := tx.InsertKey(r)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	l, err := ledger.New(ledger.Options{
		Store: store, Provider: &ledgertest.Provider{}, Now: clock.Now,
		Offset: func() time.Duration { return idem.DefaultRetain },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := l.Reap(t.Context()); err != nil || got != (ledger.Reaped{Answers: keys}) {
		t.Errorf("reaped %+v, %v", got, err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// refused is the record of a request that made nothing.
func refused(i int, finished time.Time) idem.Record {
	return idem.Record{
		Key: idem.Key{Owner: "shop", Value: fmt.Sprint("k", i)}, Fingerprint: idem.Fingerprint{Sum: "v1:00"},
		Resource: fmt.Sprint("re_", i), Point: idem.Done, Fence: 1, Created: finished, Finished: finished,
		Answer: idem.Answer{Status: 400, Body: []byte("refused")},
	}
}
