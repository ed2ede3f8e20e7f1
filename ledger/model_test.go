package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chargeonce/idem"
)

// The rule of keys and the phases of charges and refunds, against a model of a
// few fields. Requests, attempts, crashes, leases, retention, the completer and
// the reaper come in any order; since each phase is one transaction, the orders
// of phases are all the orders that there are.

const (
	modelLease     = 30 * time.Second
	modelRetain    = 2 * time.Hour
	modelTombstone = 10 * time.Hour
	// modelRounds of a hundred stories each: so many that every corner that the
	// test asks for comes up ten times and more.
	modelRounds = 8
)

// modelKey is all that the model knows of a key.
type modelKey struct {
	body     string // which request it belongs to
	asked    task   // that request, to be sent again
	resource string
	fence    uint64
	lease    time.Time // zero: nobody's
	done     bool
	finished time.Time // on the retention clock
	stripped bool      // its answer is gone
}

// modelCharge is all that the model knows of money.
type modelCharge struct {
	amount, refunded, reserved int64
	status                     Status
}

// modelIntent is all that the model knows of a payment intent.
type modelIntent struct {
	charges []string // that carried it out, in their order
}

// modelAttempt is an attempt that may still write, alive or a zombie.
type modelAttempt struct {
	claimed
	mine   idem.Record // its latest copy of its record
	answer *Captured   // what the provider said, once it was asked
}

// world is the real ledger beside the model of it.
type world struct {
	ledger   *Ledger
	wall     time.Time
	offset   time.Duration
	keys     map[string]*modelKey
	charges  map[string]*modelCharge
	intents  map[string]*modelIntent
	attempts []*modelAttempt
	book     map[string]Captured // the provider's, by key: it decides once
	seen     map[string]int      // of all runs: what has come up, and how often
	decline  func() bool
}

func newWorld(t *rapid.T, seen map[string]int) *world {
	w := &world{
		seen: seen,
		wall: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC),
		keys: make(map[string]*modelKey), charges: make(map[string]*modelCharge), intents: make(map[string]*modelIntent), book: make(map[string]Captured),
	}
	w.decline = func() bool { return rapid.Bool().Draw(t, "decline") }
	l, err := New(Options{
		Store: OpenMemory(), Provider: modelProvider{w}, Now: func() time.Time { return w.wall }, Offset: func() time.Duration { return w.offset },
		Terms:        idem.Terms{Lease: modelLease, Retain: modelRetain, Tombstone: modelTombstone},
		ProviderSpan: modelLease - 1, RetryWindow: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.ledger = l
	return w
}

// modelProvider decides each key once.
type modelProvider struct{ w *world }

func (p modelProvider) Capture(_ context.Context, key string, _ Capture) (Captured, error) {
	return p.w.decides(key, "pc_"), nil
}

func (p modelProvider) Refund(_ context.Context, key, _ string, _ int64) (Refunded, error) {
	return p.w.decides(key, "pr_"), nil
}

func (p modelProvider) Lookup(_ context.Context, key string) (Captured, bool, error) {
	answer, found := p.w.book[key]
	return answer, found, nil
}

func (w *world) decides(key, prefix string) Captured {
	if _, known := w.book[key]; !known {
		w.book[key] = Captured{ID: prefix + key}
		if w.decline() {
			w.book[key] = Captured{Declined: true, DeclineCode: "lost_card"}
		}
	}
	return w.book[key]
}

// want is the rule, said in other words than package idem says it.
func (w *world) want(key, body string) idem.Outcome {
	k, known := w.keys[key]
	age := w.wall.Add(w.offset)
	switch {
	case !known:
		return idem.Started
	case k.done && age.Sub(k.finished) >= modelTombstone:
		return idem.Started
	case k.body != body:
		return idem.Conflict
	case !k.done && k.lease.After(w.wall):
		return idem.Busy
	case !k.done:
		return idem.Resumed
	case age.Sub(k.finished) >= modelRetain:
		return idem.ResultExpired
	}
	return idem.Replay
}

// begin makes commit 1 of a task and holds its outcome against the model.
func (w *world) begin(t *rapid.T, key, body string, asked task) claimed {
	want := w.want(key, body)
	c, err := w.ledger.begin(context.Background(), asked)
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	if c.Outcome != want {
		t.Fatalf("key %s, body %s: %v (%s), want %v; the model has %+v", key, body, c.Outcome, c.Reason, want, w.keys[key])
	}
	k := w.keys[key]
	w.met(k, c)
	switch want {
	case idem.Started:
		fence := uint64(1)
		if k != nil {
			fence = k.fence + 1
		}
		k = &modelKey{body: body, asked: asked, resource: c.Record.Resource, fence: fence, lease: w.wall.Add(modelLease)}
		w.keys[key] = k
	case idem.Resumed:
		k.fence, k.lease = k.fence+1, w.wall.Add(modelLease)
	}
	if want.Holds() && !c.answered() {
		w.attempts = append(w.attempts, &modelAttempt{claimed: c, mine: c.Record})
	}
	return c
}

// met notes what a request came upon: a model that never gets into a corner
// proves nothing about it.
func (w *world) met(k *modelKey, c claimed) {
	w.seen[c.Outcome.String()]++
	switch {
	case c.Outcome == idem.Started && k != nil:
		w.seen["a second life"]++
	case c.Outcome == idem.Resumed && !k.lease.IsZero():
		w.seen["a take-over"]++ // the lease has ended and was not given back
		if slices.ContainsFunc(w.attempts, func(a *modelAttempt) bool { return a.mine.Key == c.Record.Key }) {
			w.seen["a take-over from one that lives"]++
		}
	}
}

// finish notes that a key is done.
func (w *world) finish(k *modelKey) {
	k.done, k.lease, k.finished, k.stripped = true, time.Time{}, w.wall.Add(w.offset), false
}

// holds reports whether an attempt's next write has to be accepted.
func (w *world) holds(a *modelAttempt) bool {
	k := w.keys[a.mine.Key.Value]
	return k != nil && !k.done && !k.lease.IsZero() && k.resource == a.mine.Resource && k.fence == a.mine.Fence
}

// writes makes a write of an attempt and insists that it is accepted if the
// attempt holds its key, and fenced off without a trace if not.
func (w *world) writes(t *rapid.T, a *modelAttempt, write func(tx Tx, now idem.Now) error) (accepted bool) {
	before := w.photograph(t)
	err := w.ledger.opts.Store.Update(context.Background(), func(tx Tx) error { return write(tx, w.ledger.opts.now()) })
	if w.holds(a) {
		if err != nil {
			t.Fatalf("the holder of %v was refused: %v", a.mine.Key, err)
		}
		return true
	}
	w.seen["a fenced write"]++
	if !errors.Is(err, idem.ErrFenced) {
		t.Fatalf("who does not hold %v got %v", a.mine.Key, err)
	}
	if after := w.photograph(t); after != before {
		t.Fatalf("a fenced write has changed\n%s\nto\n%s", before, after)
	}
	return false
}

// photograph is everything that the store holds, in a comparable form.
func (w *world) photograph(t *rapid.T) (all string) {
	s := w.ledger.opts.Store.(*memoryStore).now()
	for key, value := range s.rows.up(everything) {
		all += fmt.Sprintf("%q %s\n", key, value)
	}
	for key, record := range s.records.up(everything) {
		all += fmt.Sprintf("%s %+v\n", key, record)
	}
	return all
}

// pick draws one attempt that passes the filter.
func (w *world) pick(t *rapid.T, ok func(*modelAttempt) bool) *modelAttempt {
	var some []*modelAttempt
	for _, a := range w.attempts {
		if ok(a) {
			some = append(some, a)
		}
	}
	if len(some) == 0 {
		t.Skip("no such attempt")
	}
	return some[rapid.IntRange(0, len(some)-1).Draw(t, "attempt")]
}

func (w *world) forget(gone *modelAttempt) {
	w.attempts = slices.DeleteFunc(w.attempts, func(a *modelAttempt) bool { return a == gone })
}

// pickCharge draws a charge that is no longer pending.
func (w *world) pickCharge(t *rapid.T) string {
	var some []string
	for _, id := range slices.Sorted(maps.Keys(w.charges)) {
		if w.charges[id].status != Pending {
			some = append(some, id)
		}
	}
	if len(some) == 0 {
		t.Skip("no such charge")
	}
	return rapid.SampledFrom(some).Draw(t, "charge")
}

// inAnyOrder is one story.
func inAnyOrder(t *rapid.T, seen map[string]int) {
	w := newWorld(t, seen)
	t.Repeat(map[string]func(*rapid.T){
		"charge": w.charge, "refund": w.refund, "intent": w.intent, "confirm": w.confirm,
		"again": w.again, "run": w.run, "ask": w.ask, "settle": w.settle, "give up": w.giveUp, "renew": w.renew, "crash": w.crash,
		"complete": w.complete, "reap": w.reap,
		"wait": func(t *rapid.T) {
			w.wall = w.wall.Add(rapid.SampledFrom([]time.Duration{time.Second, modelLease / 2, modelLease - 1, modelLease}).Draw(t, "wait"))
		},
		"wait long": func(t *rapid.T) {
			w.offset += rapid.SampledFrom([]time.Duration{time.Hour, modelRetain, modelTombstone}).Draw(t, "wait")
		},
		"": w.check,
	})
}

func TestPhasesInAnyOrderFollowTheModel(t *testing.T) {
	seen := make(map[string]int)
	for range modelRounds {
		rapid.Check(t, func(t *rapid.T) { inAnyOrder(t, seen) })
	}
	t.Logf("came up: %v", seen)
	for _, corner := range []string{
		"started", "resumed", "replay", "conflict", "busy", "result_expired",
		"a second life", "a take-over", "a take-over from one that lives", "a fenced write", "a crash in the call", "a completed key",
		"a reaped answer", "a reaped key", "two keys on one intent", "an intent confirmed again",
	} {
		if seen[corner] == 0 {
			t.Errorf("%s never came up", corner)
		}
	}
}
