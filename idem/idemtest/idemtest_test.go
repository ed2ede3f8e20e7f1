package idemtest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"chargeonce/idem"
)

func TestARightStorePasses(t *testing.T) {
	Run(t, func(testing.TB) idem.Store { return &faulty{} })
}

// Each of these stores breaks one promise, as real ones have done. The check
// that is there for it must notice.
func TestAWrongStoreFails(t *testing.T) {
	same := func(record idem.Record) idem.Record { return record }
	unnoticed := make(map[string]bool)
	for _, c := range checks {
		unnoticed[c.name] = true
	}
	for _, row := range []struct {
		name    string
		store   func() *faulty
		noticed string
	}{
		{"looks, then inserts", func() *faulty { return &faulty{unlocked: true} }, "AnInsertHasOneWinner"},
		{"looks, then swaps", func() *faulty { return &faulty{unlocked: true} }, "ASwapHasOneWinner"},
		{"inserts without looking", func() *faulty {
			return &faulty{holder: func(_, given idem.Record) (idem.Record, bool) { return given, true }}
		}, "AnInsertReturnsTheHolder"},
		{"returns the loser as the holder", func() *faulty {
			return &faulty{holder: func(_, given idem.Record) (idem.Record, bool) { return given, false }}
		}, "AnInsertReturnsTheHolder"},
		{"does not see its own writes", func() *faulty { return &faulty{blind: true} }, "ATransactionSeesItsOwnWrites"},
		{"swaps without a fence", func() *faulty {
			return &faulty{swappable: func(_, _ idem.Record, _ uint64) bool { return true }}
		}, "ASwapNeedsTheFence"},
		{"compares the fence only", func() *faulty {
			return &faulty{swappable: func(stored, _ idem.Record, fence uint64) bool { return stored.Fence == fence }}
		}, "WhatNobodyHoldsIsReopenedOnlyUnderAHigherFence"},
		{"takes any higher fence", func() *faulty {
			return &faulty{swappable: func(stored, next idem.Record, _ uint64) bool { return next.Fence >= stored.Fence }}
		}, "ASwapNeedsTheFence"},
		{"writes before the commit", func() *faulty { return &faulty{through: true} }, "AnErrorRollsBack"},
		{"writes before the panic", func() *faulty { return &faulty{through: true} }, "APanicRollsBackAndComesThrough"},
		{"swallows errors", func() *faulty { return &faulty{result: func(error) error { return nil }} }, "AnErrorRollsBack"},
		{"replaces errors", func() *faulty {
			return &faulty{result: func(err error) error { return fmt.Errorf("failed: %v", err) }}
		}, "AnErrorRollsBack"},
		{"swallows panics", func() *faulty { return &faulty{swallow: true} }, "APanicRollsBackAndComesThrough"},
		{"does not look at the context", func() *faulty { return &faulty{deaf: true} }, "ACallerWhoIsGoneRunsNothing"},
		{"has global keys", func() *faulty { return &faulty{key: func(k idem.Key) any { return k.Value }} }, "OwnersAreApart"},
		{"glues owner and key", func() *faulty {
			return &faulty{key: func(k idem.Key) any { return k.Owner + k.Value }}
		}, "OwnersAreApart"},
		{"glues owner and key with a colon", func() *faulty {
			return &faulty{key: func(k idem.Key) any { return k.Owner + ":" + k.Value }}
		}, "OwnersAreApart"},
		{"cuts long keys", func() *faulty {
			return &faulty{key: func(k idem.Key) any { return k.Owner + "\x00" + k.Value[:min(len(k.Value), 128)] }}
		}, "KeysAreApart"},
		{"has one record", func() *faulty { return &faulty{key: func(idem.Key) any { return 0 }} }, "DistinctKeysAreIndependent"},
		{"rounds times", func() *faulty {
			return &faulty{keep: func(r idem.Record) idem.Record { r.LeaseUntil = r.LeaseUntil.Truncate(time.Second); return r.Clone() }}
		}, "ARecordSurvivesExactly"},
		{"forgets the history", func() *faulty {
			return &faulty{keep: func(r idem.Record) idem.Record { r.History = nil; return r.Clone() }}
		}, "ARecordSurvivesExactly"},
		{"forgets the request", func() *faulty {
			return &faulty{keep: func(r idem.Record) idem.Record { r.Answer.Request = ""; return r.Clone() }}
		}, "ARecordSurvivesExactly"},
		{"cuts large answers", func() *faulty {
			return &faulty{keep: func(r idem.Record) idem.Record {
				r.Answer.Body = r.Answer.Body[:min(len(r.Answer.Body), 64<<10)]
				return r.Clone()
			}}
		}, "ALargeAnswerSurvives"},
		{"keeps what it was given", func() *faulty { return &faulty{keep: same} }, "RecordsShareNoMemory"},
		{"hands out what it keeps", func() *faulty { return &faulty{hand: same} }, "RecordsShareNoMemory"},
		{"takes a life for one day", func() *faulty {
			return &faulty{keep: func(r idem.Record) idem.Record { r.Finished = time.Time{}; return r.Clone() }}
		}, "AKeyLivesItsWholeLife"},
		{"lets all run", func() *faulty { return &faulty{unlocked: true} }, "OneOfManyRuns"},
		{"lets all resume", func() *faulty { return &faulty{unlocked: true} }, "OneOfManyResumes"},
	} {
		delete(unnoticed, row.noticed)
		t.Run(row.name, func(t *testing.T) {
			// What goes wrong by chance of timing gets several chances.
			for range 50 {
				if len(tried(t, row.noticed, row.store())) > 0 {
					return
				}
			}
			t.Errorf("%s lets a store pass that %s", row.noticed, row.name)
		})
	}
	for name := range unnoticed {
		t.Errorf("no wrong store shows that the check %s can fail", name)
	}
}

func TestRerunRunsEveryFunctionTwice(t *testing.T) {
	runs := 0
	if err := Rerun(&faulty{}).Update(t.Context(), func(tx idem.Tx) error {
		runs++
		if _, inserted, err := tx.InsertKey(held(order, "ch_1")); err != nil || !inserted {
			t.Errorf("run %d: inserted %v, error %v", runs, inserted, err)
		}
		return nil
	}); err != nil || runs != 2 {
		t.Errorf("%d runs, error %v; want 2 runs", runs, err)
	}
}

// tried runs one check and returns its complaints.
func tried(t *testing.T, name string, store idem.Store) []string {
	t.Helper()
	for _, c := range checks {
		if c.name != name {
			continue
		}
		witness := &witness{TB: t}
		var group sync.WaitGroup
		group.Go(func() { c.run(witness, store) }) // Fatalf ends its goroutine
		group.Wait()
		return witness.complaints
	}
	t.Fatalf("there is no check %s", name)
	return nil
}

// witness is a test that takes its failures down instead of failing.
type witness struct {
	testing.TB
	mu         sync.Mutex // guards complaints
	complaints []string
}

func (w *witness) Helper() {}

func (w *witness) Error(args ...any) { w.Errorf("%s", fmt.Sprint(args...)) }

func (w *witness) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.complaints = append(w.complaints, fmt.Sprintf(format, args...))
}

func (w *witness) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	runtime.Goexit()
}
