package api

import (
	"context"
	"time"

	"chargeonce/ledger"
)

// target is where one delivery goes, and under which secret.
type target struct {
	url  string
	sign signer
}

// known is what of the queue this process can deliver. Rows for the consumer of
// --webhook wait for a process that is started with one.
func (d *deliverer) known(queue []ledger.Queued) []ledger.Queued {
	if d.URL != "" {
		return queue
	}
	var endpoints []ledger.Queued
	for _, q := range queue {
		if q.Endpoint != "" {
			endpoints = append(endpoints, q)
		}
	}
	return endpoints
}

// find reads the event of a delivery and where it goes. over says that nobody
// is to be told any more.
func (d *deliverer) find(ctx context.Context, q ledger.Queued) (e ledger.Event, to target, over bool, err error) {
	var endpoint ledger.Endpoint
	var found, there bool
	err = d.Store.View(ctx, func(outbox ledger.Reader) (err error) {
		if e, found, err = outbox.Event(q.ID); err != nil || q.Endpoint == "" {
			return err
		}
		endpoint, there, err = outbox.Endpoint(q.Endpoint)
		return err
	})
	switch {
	case err != nil:
		return e, to, false, err
	case !found:
		return e, to, true, nil
	case q.Endpoint == "":
		return e, target{d.URL, d.Sign}, !e.Pending, nil
	case !there || !endpoint.Awaits(q.Seq): // its rows are dropped here, one by one
		return e, to, true, ledger.AcknowledgeTo(context.WithoutCancel(ctx), d.Store, q)
	}
	sign, err := newSigner(endpoint.Secret)
	return e, target{endpoint.URL, sign}, false, err
}

// acknowledge notes that a delivery was taken in.
func (d *deliverer) acknowledge(ctx context.Context, q ledger.Queued, e ledger.Event) error {
	if q.Endpoint != "" {
		return ledger.AcknowledgeTo(ctx, d.Store, q)
	}
	return ledger.Acknowledge(ctx, d.Store, e, time.Now())
}
