package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"chargeonce/ledger"
)

// eventObject is an event on the wire: Stripe's object of that name
// (https://docs.stripe.com/api/events/object). It is the body of a delivery and
// the answer of GET /v1/events/{id}.
type eventObject struct {
	ID              string       `json:"id"`
	Object          string       `json:"object"`
	Account         string       `json:"account"`     // the owner, as Stripe's Connect names the account it happened in
	APIVersion      *string      `json:"api_version"` // of the request that caused it; null: it did not say
	Created         int64        `json:"created"`     // seconds since the Unix epoch
	Data            eventData    `json:"data"`
	Livemode        bool         `json:"livemode"`
	PendingWebhooks int          `json:"pending_webhooks"`
	Request         eventRequest `json:"request"`
	Type            string       `json:"type"`
}

// eventData holds the object as it stood when the event happened, in the bytes
// that were rendered then.
type eventData struct {
	Object json.RawMessage `json:"object"`
}

// eventRequest names what caused the event.
type eventRequest struct {
	ID             *string `json:"id"`
	IdempotencyKey *string `json:"idempotency_key"`
}

// Announce makes an event of settled work, as [ledger.Options.Announce] wants it, for
// a process that delivers none: it can be read, and nobody is told.
func Announce(ctx context.Context, e ledger.Event, of ledger.Work) ledger.Event {
	from := callFrom(ctx)
	e.Trace = from.trace
	// Who settles the work may be another request than the one that began it, or
	// none at all; rows of older versions do not say how that one spoke.
	version := cmp.Or(of.Version(), from.version)
	object := eventObject{
		ID: e.ID, Object: "event", Account: e.Owner, APIVersion: optional(version), Created: e.Created.Unix(),
		Data:    eventData{Object: mustJSON(subjectOf(e, of))},
		Request: eventRequest{ID: optional(e.Request), IdempotencyKey: optional(e.Key)},
		Type:    e.Type,
	}
	object.PendingWebhooks = len(e.Waiting)
	if e.Pending {
		object.PendingWebhooks++
	}
	e.Body = mustJSON(object)
	return e
}

// subjectOf is the object that an event is about.
func subjectOf(e ledger.Event, of ledger.Work) any {
	switch e.Type {
	case ledger.RefundCreated:
		return refundOf(of.Refund)
	case ledger.IntentEventSucceeded, ledger.IntentEventFailed:
		return intentOf(of.Intent, of.Charge)
	}
	return chargeOf(of.Charge)
}

// announcePending is [Announce] for a process that delivers.
func announcePending(ctx context.Context, e ledger.Event, of ledger.Work) ledger.Event {
	e.Pending = true
	return Announce(ctx, e, of)
}

// eventOf is an event as it stands now: what was delivered, except for how
// many still wait for it.
func eventOf(outbox ledger.EventReader, e ledger.Event) (eventObject, error) {
	var object eventObject
	if err := json.Unmarshal(e.Body, &object); err != nil {
		return eventObject{}, fmt.Errorf("%w: the body of %s: %w", ledger.ErrCorrupt, e.ID, err)
	}
	object.PendingWebhooks = 0
	if e.Pending {
		object.PendingWebhooks = 1
	}
	for _, id := range e.Waiting { // one that was deleted or disabled waits for nothing
		endpoint, there, err := outbox.Endpoint(id)
		if err != nil {
			return eventObject{}, err
		}
		if there && endpoint.Awaits(e.Seq) {
			object.PendingWebhooks++
		}
	}
	return object, nil
}
