package ledger

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"chargeonce/ledger/badgerdb"
)

// Types of events, as Stripe names them.
const (
	ChargeSucceeded = "charge.succeeded"
	ChargeFailed    = "charge.failed"
	ChargeRefunded  = "charge.refunded" // in part or in full; the charge says how far

	RefundCreated = "refund.created" // the refund itself, once the money has gone back

	IntentEventSucceeded = "payment_intent.succeeded" // beside [ChargeSucceeded], where an intent made the charge
	IntentEventFailed    = "payment_intent.payment_failed"
)

// Event is a fact that others are to be told of: a row of the outbox, written
// by the very transaction that made the fact true. So there is no fact without
// its event, and no event of what was rolled back. (Chris Richardson,
// "Transactional outbox", https://microservices.io/patterns/data/transactional-outbox.html)
type Event struct {
	ID      string    `json:"id"` // "evt_…"; the same on every delivery
	Owner   string    `json:"owner"`
	Type    string    `json:"type"`    // [ChargeSucceeded], …
	Object  string    `json:"object"`  // id of what it is about; order is kept among its events
	Created time.Time `json:"created"` // wall clock, UTC
	Key     string    `json:"key"`     // idempotency key of the request that caused it
	Request string    `json:"request,omitempty"`
	Trace   string    `json:"trace,omitempty"` // that request's name on the panel, where it has one
	Body    []byte    `json:"body"`            // what is delivered, byte for byte

	// Pending: somebody is still to be told. It is set when the event is
	// written, or never, and left by the acknowledgement alone.
	Pending   bool      `json:"pending,omitempty"`
	Delivered time.Time `json:"delivered,omitzero"` // when it was acknowledged
	// Waiting are the endpoints that are still to be told, by id. One that was
	// deleted or disabled meanwhile waits for nothing any more, though it may
	// stand here.
	Waiting []string `json:"waiting,omitempty"`

	// Seq orders events by their commits; the store sets it when it first sees
	// one.
	Seq uint64 `json:"seq"`
}

// Queued is a pending event in short.
type Queued struct {
	Seq    uint64 `json:"seq"`
	ID     string `json:"id"`
	Object string `json:"object"`
	// Owner is whose event it is; empty in rows of older versions.
	Owner string `json:"owner,omitempty"`
	// Endpoint is who is to be told; empty: whom the process was started with.
	Endpoint string `json:"endpoint,omitempty"`
}

// EventReader reads the outbox, and whom it is for.
type EventReader interface {
	EndpointReader
	// Event reads one by id.
	Event(id string) (e Event, found bool, err error)
	// Events lists an owner's events, newest first.
	Events(owner string, page Page) (events []Event, more bool, err error)
	// EventsOf lists an owner's events of one type, newest first. A page may
	// start at an event of any type.
	EventsOf(owner, kind string, page Page) (events []Event, more bool, err error)
	// Pending lists those that are still to be delivered, of all owners, in the
	// order of their commits: at most limit behind the seq after.
	Pending(after uint64, limit int) ([]Queued, error)
}

// Acknowledge notes that an event has been taken in by whom it was for. It is
// a transaction of its own after the delivery: if the process dies between the
// two, the event is delivered again, and never not at all. Whoever receives
// events must expect that. To acknowledge twice is no error.
func Acknowledge(ctx context.Context, store Store, e Event, at time.Time) error {
	e.Pending, e.Delivered = false, at.Round(0).UTC()
	if err := store.Update(ctx, func(tx Tx) error { return tx.PutEvent(e) }); err != nil {
		return fmt.Errorf("acknowledge event: %w", err)
	}
	return nil
}

// announcement makes the events of settled work, inside the transaction that
// makes them true: none if nobody is to know.
type announcement func(Tx, Work) ([]Event, error)

// announcement draws what is new about the events of work, as it will stand
// settled, before the transaction, which may run more than once.
func (l *Ledger) announcement(ctx context.Context, next Work) announcement {
	if l.opts.Announce == nil {
		return func(Tx, Work) ([]Event, error) { return nil, nil }
	}
	now, facts := l.opts.now().Wall, next.facts()
	ids := make([]string, len(facts))
	for i := range ids {
		ids[i] = l.opts.NewID("evt_")
	}
	return func(tx Tx, w Work) (events []Event, err error) {
		endpoints, _, err := tx.Endpoints(w.Charge.Owner, Page{Limit: MaxPage})
		if err != nil {
			return nil, err
		}
		for i, f := range facts {
			events = append(events, l.opts.Announce(ctx, Event{
				ID: ids[i], Owner: w.Charge.Owner, Type: f.kind, Object: f.object,
				Created: now, Key: w.Key().Value, Request: w.Request(), Waiting: waiting(endpoints, f.kind),
			}, w))
		}
		return events, nil
	}
}

// fact is something that settled work makes true of an object.
type fact struct{ kind, object string }

// facts are all of them, the charge's own last: who looks at the newest event
// alone sees the money. A refund that failed changes nothing about its charge,
// and the request that asked for it has the answer.
func (w Work) facts() (all []fact) {
	if w.IsRefund() {
		if w.Status() == Succeeded {
			all = append(all, fact{RefundCreated, w.Refund.ID}, fact{ChargeRefunded, w.Charge.ID})
		}
		return all
	}
	ofCharge, ofIntent := ChargeSucceeded, IntentEventSucceeded
	if w.Status() == Failed {
		ofCharge, ofIntent = ChargeFailed, IntentEventFailed
	}
	if w.Intent.ID != "" {
		all = append(all, fact{ofIntent, w.Intent.ID})
	}
	return append(all, fact{ofCharge, w.Charge.ID})
}

// PutEvent implements [Tx].
func (tx *bookTx) PutEvent(e Event) error {
	old, found, err := badgerdb.GetJSON[Event](tx.inner, rowEvent+e.ID)
	if err != nil {
		return err
	}
	if !found {
		return tx.append(e)
	}
	if err := mayReplace(old, e); err != nil {
		return err
	}
	if !old.Pending {
		return nil // the first acknowledgement stands
	}
	e.Seq, e.Waiting = old.Seq, old.Waiting // endpoints acknowledge by themselves
	if !e.Pending {
		if err := tx.inner.Delete([]byte(rowQueue + ordinal(e.Seq))); err != nil {
			return err
		}
	}
	return tx.set(rowEvent+e.ID, e)
}

// append gives a new event its place in the outbox and in its owner's list.
func (tx *bookTx) append(e Event) error {
	seq, err := tx.next(counterEvent, 1)
	if err != nil {
		return err
	}
	e.Seq = seq
	if err := tx.set(rowEvent+e.ID, e); err != nil {
		return err
	}
	for _, list := range []string{eventList(e.Owner, ""), eventList(e.Owner, e.Type)} {
		if err := tx.setNumbered(list, seq, e.ID); err != nil {
			return err
		}
	}
	return tx.queue(e)
}

// mayReplace is the life of an event: what it says never changes, and what has
// been acknowledged is not pending again.
func mayReplace(old, next Event) error {
	same := old.Owner == next.Owner && old.Type == next.Type && old.Object == next.Object && bytes.Equal(old.Body, next.Body)
	if !same || next.Pending && !old.Pending {
		return fmt.Errorf("%w: event %s cannot become another", ErrCorrupt, old.ID)
	}
	return nil
}

// Event implements [EventReader].
func (r bookReader) Event(id string) (Event, bool, error) {
	return badgerdb.GetJSON[Event](r.inner, rowEvent+id)
}

// Events implements [EventReader].
func (r bookReader) Events(owner string, page Page) ([]Event, bool, error) {
	return r.EventsOf(owner, "", page)
}

// eventList is where an owner's events are listed, of one type or of all.
func eventList(owner, kind string) string {
	if kind == "" {
		return rowEvents + owner + "/"
	}
	return rowEventsOfType + owner + "/" + kind + "/"
}

// EventsOf implements [EventReader].
func (r bookReader) EventsOf(owner, kind string, page Page) ([]Event, bool, error) {
	ids, more, err := r.page(eventList(owner, kind), page, func(edge string) (uint64, bool, error) {
		e, found, err := r.Event(edge)
		return e.Seq, found && e.Owner == owner, err
	})
	if err != nil {
		return nil, false, err
	}
	events, err := follow(ids, r.Event)
	return events, more, err
}

// Pending implements [EventReader].
func (r bookReader) Pending(after uint64, limit int) ([]Queued, error) {
	scan := badgerdb.ScanOptions{Limit: max(limit, 1), After: []byte(rowQueue + ordinal(after))}
	return collect[Queued](r.inner, rowQueue, scan)
}
