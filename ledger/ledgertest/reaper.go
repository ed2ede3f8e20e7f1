package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// reap sweeps and insists on what was removed.
func (b *bench) reap(answers, keys int) {
	b.t.Helper()
	got, err := b.ledger.Reap(context.Background())
	if want := (ledger.Reaped{Answers: answers, Keys: keys}); err != nil || got != want {
		b.t.Errorf("reaped %+v, %v; want %+v", got, err, want)
	}
}

// listed counts the records of each list.
func (b *bench) listed() (count map[ledger.List]int) {
	b.t.Helper()
	count = make(map[ledger.List]int)
	b.view(func(r ledger.Reader) error {
		for _, list := range ledger.Lists {
			err := r.Agenda(list, time.Time{}, func(ledger.Due) (bool, error) {
				count[list]++
				return true, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return count
}

// counting is a store that counts its transactions, and the walks that begin
// at the head of a list.
type counting struct {
	ledger.Store
	updates, heads atomic.Int32
}

// View implements [ledger.Store].
func (c *counting) View(ctx context.Context, fn func(ledger.Reader) error) error {
	return c.Store.View(ctx, func(r ledger.Reader) error { return fn(countingReader{r, c}) })
}

type countingReader struct {
	ledger.Reader
	store *counting
}

func (c countingReader) Agenda(list ledger.List, from time.Time, fn func(ledger.Due) (bool, error)) error {
	if from.IsZero() {
		c.store.heads.Add(1)
	}
	return c.Reader.Agenda(list, from, fn)
}

// Update implements [ledger.Store].
func (c *counting) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	c.updates.Add(1)
	return c.Store.Update(ctx, fn)
}

// reaperRules: what expires, and what never does.
var reaperRules = []rule{
	{"an answer goes after its retention; its key still refuses to run", func(t *testing.T, b *bench) {
		b.must(request("k"), idem.Started, 201)
		b.reap(0, 0)
		b.clock.AdvanceRetention(idem.DefaultRetain - 1)
		b.reap(0, 0)
		b.must(request("k"), idem.Replay, 201)
		b.clock.AdvanceRetention(1)
		b.reap(1, 0)
		b.reap(0, 0)
		record := b.record(request("k").Key)
		if len(record.Answer.Body) != 0 || record.Answer.Status != 201 || record.Open() {
			t.Errorf("the record is %+v", record)
		}
		if got := b.charge(request("k")); got.err != nil || got.Outcome != idem.ResultExpired || got.Charge == "" {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		if got := b.charge(request("k", amount(1))); got.Outcome != idem.Conflict {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		b.captures(1)
	}},
	{"a key goes after its tombstone, and may then run again; its charge stays", func(t *testing.T, b *bench) {
		b.reborn = true
		first := b.must(request("k"), idem.Started, 201).Charge
		b.clock.AdvanceRetention(idem.DefaultRetain)
		b.reap(1, 0)
		b.clock.AdvanceRetention(idem.DefaultTombstone - idem.DefaultRetain - 1)
		b.reap(0, 0)
		if got := b.charge(request("k")); got.Outcome != idem.ResultExpired {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		b.clock.AdvanceRetention(1)
		b.reap(0, 1)
		same(t, map[ledger.List]int{}, b.listed())
		b.clock.Advance(time.Second)
		second := b.must(request("k"), idem.Started, 201).Charge
		if first == second || b.chargeNow(first).Status != ledger.Succeeded {
			t.Errorf("charges %s and %s", first, second)
		}
		b.captures(2)
	}},
	{"a sweep that comes late takes answer and key at once", func(t *testing.T, b *bench) {
		b.must(request("k"), idem.Started, 201)
		b.clock.AdvanceRetention(idem.DefaultTombstone)
		b.reap(0, 1)
	}},
	{"an open record never expires, whatever its age", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Lost: true})
		b.unknown(request("k"))
		b.clock.Advance(10 * idem.DefaultTombstone)
		b.clock.AdvanceRetention(100 * idem.DefaultTombstone)
		b.reap(0, 0)
		same(t, map[ledger.List]int{ledger.OpenKeys: 1}, b.listed())
		b.must(request("k"), idem.Resumed, 201)
	}},
	{"a record stands on one list, and moves with each write", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		done := b.start(request("k"))
		b.arrives(gate)
		same(t, map[ledger.List]int{ledger.OpenKeys: 1}, b.listed())
		gate.Open()
		b.check(b.result(done), idem.Started, 201)
		same(t, map[ledger.List]int{ledger.KeptKeys: 1}, b.listed())
		b.clock.AdvanceRetention(idem.DefaultRetain)
		b.reap(1, 0)
		same(t, map[ledger.List]int{ledger.SpentKeys: 1}, b.listed())
	}},
	{"a list is in the order of its times, and a walk ends when told", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Lost: true}, Act{Lost: true}, Act{Lost: true})
		for _, key := range []string{"z", "a", "m"} {
			b.unknown(request(key))
			b.clock.Advance(time.Second)
		}
		var keys []string
		b.view(func(r ledger.Reader) error {
			return r.Agenda(ledger.OpenKeys, time.Time{}, func(d ledger.Due) (bool, error) {
				keys = append(keys, d.Record.Key.Value)
				return len(keys) < 2, nil
			})
		})
		same(t, []string{"z", "a"}, keys)
		b.view(func(r ledger.Reader) error {
			keys = nil
			from := b.clock.Now().Add(-2 * time.Second) // when "a" was given up
			return r.Agenda(ledger.OpenKeys, from, func(d ledger.Due) (bool, error) {
				keys = append(keys, d.Record.Key.Value)
				return true, nil
			})
		})
		same(t, []string{"a", "m"}, keys)
		err := b.store.View(context.Background(), func(r ledger.Reader) error {
			return r.Agenda(ledger.OpenKeys, time.Time{}, func(ledger.Due) (bool, error) { return true, errUndo })
		})
		if !errors.Is(err, errUndo) {
			t.Errorf("got %v", err)
		}
		for _, key := range []string{"z", "a", "m"} {
			b.must(request(key), idem.Resumed, 201)
		}
	}},
	{"a sweep goes in batches, and leaves what is not due", sweep}, // K05
	{"a sweep that is called off has done whole batches", func(t *testing.T, b *bench) {
		b.must(request("k"), idem.Started, 201)
		b.clock.AdvanceRetention(idem.DefaultTombstone)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if got, err := b.ledger.Reap(ctx); !errors.Is(err, context.Canceled) || got != (ledger.Reaped{}) {
			t.Errorf("reaped %+v, %v", got, err)
		}
		b.reap(0, 1)
	}},
	{"only the record that was read is dropped", func(t *testing.T, b *bench) {
		b.must(request("k"), idem.Started, 201)
		record := b.record(request("k").Key)
		for name, change := range map[string]func(*idem.Record){
			"an earlier fence": func(r *idem.Record) { r.Fence++ },
			"another resource": func(r *idem.Record) { r.Resource = "ch_other" },
			"another key":      func(r *idem.Record) { r.Key.Value = "other" },
		} {
			other := record
			change(&other)
			err := b.update(func(tx ledger.Tx) error {
				dropped, err := tx.DropKey(other)
				if dropped {
					t.Errorf("%s was dropped", name)
				}
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		b.must(request("k"), idem.Replay, 201)
	}},
	{"an open record is not dropped, whoever asks", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Lost: true})
		b.unknown(request("k"))
		record := b.record(request("k").Key)
		err := b.update(func(tx ledger.Tx) error {
			dropped, err := tx.DropKey(record)
			if dropped {
				t.Error("dropped")
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		b.must(request("k"), idem.Resumed, 201)
	}},
	{"sweeping beside everything else harms nothing", func(t *testing.T, b *bench) { // A10
		stop := make(chan struct{})
		swept := make(chan error, 1)
		go func() {
			for {
				if _, err := b.ledger.Reap(context.Background()); err != nil {
					swept <- err
					return
				}
				select {
				case <-stop:
					swept <- nil
					return
				default:
					b.clock.AdvanceRetention(idem.DefaultRetain)
				}
			}
		}()
		answers := b.race(racers, func(i int) ledger.ChargeRequest { return request(fmt.Sprint("k", i)) })
		close(stop)
		if err := <-swept; err != nil {
			t.Errorf("sweep: %v", err)
		}
		if got := outcomes(answers); got[idem.Started] != racers {
			t.Errorf("outcomes %v", got)
		}
		b.captures(racers)
	}},
}

// sweep lets 300 keys expire, in two steps, and one not.
func sweep(t *testing.T, b *bench) {
	const expired, batch = 300, 64
	err := b.update(func(tx ledger.Tx) error {
		for i := range expired {
			r := idem.Record{
				Key: idem.Key{Owner: "shop", Value: fmt.Sprint("refused", i)}, Fingerprint: idem.Fingerprint{Sum: "v1:00"},
				Resource: fmt.Sprint("re_", i), Point: idem.Done, Fence: 1, Created: b.clock.Now(), Finished: b.clock.Now(),
				Answer: idem.Answer{Status: 400, Body: []byte("refused")},
			}
			if _, _, err := tx.InsertKey(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	store := &counting{Store: b.store}
	b.ledger = b.newLedger(func(o *ledger.Options) { o.Store = store })
	b.clock.AdvanceRetention(idem.DefaultRetain)
	b.must(request("young"), idem.Started, 201)
	store.updates.Store(0)
	b.reap(expired, 0)
	const batches = (expired + batch - 1) / batch
	if got := store.updates.Load(); got != batches {
		t.Errorf("%d transactions", got)
	}
	// It goes on where it stood, past what it has removed. (The other list is
	// empty, so each look at it is one at its head.)
	if got := store.heads.Load(); got != 1+batches+1 {
		t.Errorf("%d walks from the head", got)
	}
	same(t, map[ledger.List]int{ledger.KeptKeys: 1, ledger.SpentKeys: expired}, b.listed())
	b.clock.AdvanceRetention(idem.DefaultTombstone - idem.DefaultRetain)
	store.heads.Store(0)
	b.reap(1, expired)
	if got := store.heads.Load(); got != 2 {
		t.Errorf("%d walks from the head", got)
	}
	same(t, map[ledger.List]int{ledger.SpentKeys: 1}, b.listed())
}
