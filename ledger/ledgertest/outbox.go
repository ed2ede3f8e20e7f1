package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// announce is the suite's [ledger.Options.Announce].
func announce(_ context.Context, e ledger.Event, w ledger.Work) ledger.Event {
	e.Body = fmt.Appendf(nil, "%s of %d %s", e.Type, w.Amount(), w.Currency())
	e.Pending = true
	return e
}

// events reads the whole outbox of an owner, the oldest first.
func (b *bench) events(owner string) (all []ledger.Event) {
	b.t.Helper()
	b.outbox(func(r ledger.EventReader) (err error) {
		all, err = allEvents(r, owner)
		return err
	})
	slices.Reverse(all)
	return all
}

func (b *bench) outbox(fn func(ledger.EventReader) error) {
	b.t.Helper()
	if err := b.store.View(context.Background(), func(r ledger.Reader) error { return fn(r) }); err != nil {
		b.t.Fatalf("view events: %v", err)
	}
}

// pending lists the ids that are still to be delivered.
func (b *bench) pending(after uint64, limit int) (ids []string) {
	b.t.Helper()
	b.outbox(func(r ledger.EventReader) error {
		queue, err := r.Pending(after, limit)
		for _, q := range queue {
			ids = append(ids, q.ID)
		}
		return err
	})
	return ids
}

func allEvents(r ledger.EventReader, owner string) ([]ledger.Event, error) {
	return all(owner, r.Events, func(e ledger.Event) string { return e.ID })
}

// Fact is something that an event has to tell.
type Fact struct {
	Object string // id of the charge, the refund or the payment intent
	Type   string // of the event
}

// AuditEvents checks that each fact has its event, as often as it became true,
// that there is no other event, and that the queue holds exactly what is
// pending, in the order of the commits.
func AuditEvents(r ledger.EventReader, owners []string, facts map[Fact]int) error {
	var wrong []error
	waiting := make(map[string]bool)
	told := make(map[Fact]int)
	for _, owner := range owners {
		events, err := allEvents(r, owner)
		if err != nil {
			return err
		}
		for _, e := range events {
			if e.Owner != owner {
				wrong = append(wrong, fmt.Errorf("%s of %s is listed for %s", e.ID, e.Owner, owner))
			}
			told[Fact{e.Object, e.Type}]++
			if e.Pending {
				waiting[e.ID] = true
			}
			for _, endpoint := range e.Waiting {
				waiting[e.ID+" "+endpoint] = true
			}
		}
	}
	if !maps.Equal(told, facts) {
		wrong = append(wrong, fmt.Errorf("the facts are %v, the events tell %v", facts, told))
	}
	queue, err := r.Pending(0, len(waiting)+1)
	if err != nil {
		return err
	}
	if len(queue) != len(waiting) || !slices.IsSortedFunc(queue, func(a, b ledger.Queued) int { return int(a.Seq) - int(b.Seq) }) {
		wrong = append(wrong, fmt.Errorf("%d events are pending, the queue is %v", len(waiting), queue))
	}
	return errors.Join(wrong...)
}

// factsOf is what the charges and refunds of an owner have made true.
func factsOf(r ledger.Reader, owner string, facts map[Fact]int) error {
	charges, err := allCharges(r, owner)
	if err != nil {
		return err
	}
	refunds, err := allRefunds(r, owner)
	if err != nil {
		return err
	}
	for _, c := range charges {
		switch c.Status {
		case ledger.Succeeded:
			facts[Fact{c.ID, ledger.ChargeSucceeded}]++
			intentFact(facts, c, ledger.IntentEventSucceeded)
		case ledger.Failed:
			facts[Fact{c.ID, ledger.ChargeFailed}]++
			intentFact(facts, c, ledger.IntentEventFailed)
		}
	}
	for _, refund := range refunds {
		if refund.Status == ledger.Succeeded {
			facts[Fact{refund.Charge, ledger.ChargeRefunded}]++
			facts[Fact{refund.ID, ledger.RefundCreated}]++
		}
	}
	return nil
}

// intentFact adds what a settled charge makes true of the intent behind it.
func intentFact(facts map[Fact]int, c ledger.Charge, kind string) {
	if c.Intent != "" {
		facts[Fact{c.Intent, kind}]++
	}
}

// auditOutbox is [AuditEvents] for what a test leaves behind.
func (b *bench) auditOutbox() error {
	var owners []string
	facts := make(map[Fact]int)
	err := b.store.View(context.Background(), func(r ledger.Reader) error {
		all, err := r.Owners(ledger.MaxPage)
		if err != nil {
			return err
		}
		for _, owner := range all {
			owners = append(owners, owner.Name)
			if err := factsOf(r, owner.Name, facts); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.store.View(context.Background(), func(r ledger.Reader) error {
		return AuditEvents(r, owners, facts)
	})
}

// outboxRules: what others are told.
var outboxRules = []rule{
	{"events are listed by type, newest first, from anywhere in the list of all", func(t *testing.T, b *bench) {
		b.provider.Script(Act{}, Act{Decline: "lost_card"}, Act{}, Act{Decline: "lost_card"})
		for n, status := range []int{201, 402, 201, 402} {
			b.must(request(fmt.Sprint("k", n)), idem.Started, status)
		}
		b.must(request("other", owner("anna")), idem.Started, 201)
		all := b.events("shop")
		b.outbox(func(r ledger.EventReader) error {
			failed, more, err := r.EventsOf("shop", ledger.ChargeFailed, ledger.Page{Limit: 1})
			if len(failed) != 1 || !more || failed[0].ID != all[3].ID {
				t.Errorf("failed %+v, more %v", failed, more)
			}
			older, more, olderErr := r.EventsOf("shop", ledger.ChargeFailed, ledger.Page{After: all[2].ID}) // of another type
			if len(older) != 1 || more || older[0].ID != all[1].ID {
				t.Errorf("older %+v, more %v", older, more)
			}
			none, _, noneErr := r.EventsOf("shop", ledger.ChargeRefunded, ledger.Page{})
			if len(none) != 0 {
				t.Errorf("none %+v", none)
			}
			return errors.Join(err, olderErr, noneErr)
		})
	}},
	{"a settled charge has its event from the same transaction", func(t *testing.T, b *bench) {
		b.provider.Script(Act{}, Act{Decline: "lost_card"})
		paid, declined := b.must(request("a"), idem.Started, 201), b.must(request("b"), idem.Started, 402)
		events := b.events("shop")
		if len(events) != 2 {
			t.Fatalf("events %v", events)
		}
		first, second := events[0], events[1]
		if first.Type != ledger.ChargeSucceeded || first.Object != paid.Charge || string(first.Body) != "charge.succeeded of 5000 eur" {
			t.Errorf("the first says %+v", first)
		}
		if second.Type != ledger.ChargeFailed || second.Object != declined.Charge || second.Seq != first.Seq+1 {
			t.Errorf("the second says %+v", second)
		}
		if first.Key != "a" || first.Request != "req_a" || !first.Created.Equal(b.clock.Now()) || !first.Pending {
			t.Errorf("the first comes from %+v", first)
		}
	}},
	{"a replay, a conflict and an unknown outcome tell nobody anything", func(t *testing.T, b *bench) {
		b.must(request("k"), idem.Started, 201)
		b.must(request("k"), idem.Replay, 201)
		b.charge(request("k", amount(1)))
		b.provider.Script(Act{Silent: true})
		b.unknown(request("other"))
		if events := b.events("shop"); len(events) != 1 {
			t.Errorf("events %v", events)
		}
		b.must(request("other"), idem.Resumed, 201)
	}},
	{"a commit 2 that is rolled back leaves no event; the winner's stands", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.zombie(t, "k", gate, Act{After: gate})
		if events := b.events("shop"); len(events) != 1 {
			t.Errorf("events %v", events)
		}
	}},
	{"an event is pending until it is acknowledged, and never again", acknowledged},
	{"what an event says never changes", func(t *testing.T, b *bench) {
		b.must(request("k"), idem.Started, 201)
		e := b.events("shop")[0]
		for name, change := range map[string]func(*ledger.Event){
			"body":   func(e *ledger.Event) { e.Body = []byte("other") },
			"owner":  func(e *ledger.Event) { e.Owner = "anna" },
			"object": func(e *ledger.Event) { e.Object = "ch_other" },
			"type":   func(e *ledger.Event) { e.Type = ledger.ChargeFailed },
		} {
			other := e
			change(&other)
			if err := b.update(func(tx ledger.Tx) error { return tx.PutEvent(other) }); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("another %s: %v", name, err)
			}
		}
		same(t, []ledger.Event{e}, b.events("shop"))
	}},
	{"events are listed newest first, in pages, for their owner alone", eventPages},
}

func acknowledged(t *testing.T, b *bench) {
	for i := range 5 {
		b.must(request(fmt.Sprint("k", i), owner(fmt.Sprint("o", i%2))), idem.Started, 201)
	}
	queue := b.pending(0, 10)
	if len(queue) != 5 {
		t.Fatalf("the queue is %v", queue)
	}
	var third ledger.Event
	b.outbox(func(r ledger.EventReader) (err error) {
		third, _, err = r.Event(queue[2])
		return err
	})
	at := time.Unix(1_900_000_000, 5).UTC()
	for _, when := range []time.Time{at, at.Add(time.Hour)} { // the second time changes nothing
		if err := ledger.Acknowledge(context.Background(), b.store, third, when); err != nil {
			t.Fatal(err)
		}
	}
	same(t, append(slices.Clone(queue[:2]), queue[3:]...), b.pending(0, 10))
	same(t, queue[:2], b.pending(0, 2))
	same(t, queue[3:4], b.pending(third.Seq, 1))
	b.outbox(func(r ledger.EventReader) error {
		now, found, err := r.Event(third.ID)
		if !found || now.Pending || !now.Delivered.Equal(at) || string(now.Body) != string(third.Body) || now.Seq != third.Seq {
			t.Errorf("acknowledged, it is %+v", now)
		}
		return err
	})
	if err := b.update(func(tx ledger.Tx) error { return tx.PutEvent(third) }); !errors.Is(err, ledger.ErrCorrupt) {
		t.Errorf("pending again: %v", err)
	}
}

func eventPages(t *testing.T, b *bench) {
	for i := range 5 {
		b.charge(request(fmt.Sprint("k", i)))
		b.charge(request(fmt.Sprint("k", i), owner("shopper"))) // a name that begins like the other
	}
	all := b.events("shop")
	slices.Reverse(all)
	for _, test := range []struct {
		page ledger.Page
		want []ledger.Event
		more bool
	}{
		{ledger.Page{}, all, false},
		{ledger.Page{Limit: 2}, all[:2], true},
		{ledger.Page{Limit: 2, After: all[1].ID}, all[2:4], true},
		{ledger.Page{Limit: 2, After: all[4].ID}, []ledger.Event{}, false},
		{ledger.Page{Limit: 2, Before: all[4].ID}, all[2:4], true},
	} {
		b.outbox(func(r ledger.EventReader) error {
			events, more, err := r.Events("shop", test.page)
			same(t, test.want, events)
			if more != test.more {
				t.Errorf("page %+v: more %v", test.page, more)
			}
			return err
		})
	}
	b.outbox(func(r ledger.EventReader) error {
		if _, _, err := r.Events("shopper", ledger.Page{After: all[0].ID}); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("a page of one owner at an event of another: %v", err)
		}
		if _, found, err := r.Event("evt_none"); found || err != nil {
			t.Errorf("an event that is not there: %v, %v", found, err)
		}
		return nil
	})
}
