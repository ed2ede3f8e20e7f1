package ledger

import (
	"context"
	"fmt"
	"slices"

	"chargeonce/ledger/badgerdb"
)

// Endpoint implements [EndpointReader].
func (r bookReader) Endpoint(id string) (Endpoint, bool, error) {
	return badgerdb.GetJSON[Endpoint](r.inner, rowEndpoint+id)
}

// Endpoints implements [EndpointReader].
func (r bookReader) Endpoints(owner string, page Page) ([]Endpoint, bool, error) {
	ids, more, err := r.page(rowEndpoints+owner+"/", page, func(id string) (uint64, bool, error) {
		edge, found, err := r.Endpoint(id)
		return edge.Seq, found && edge.Owner == owner, err
	})
	if err != nil {
		return nil, false, err
	}
	all, err := follow(ids, r.Endpoint)
	return all, more, err
}

// PutEndpoint implements [Endpoints].
func (tx *bookTx) PutEndpoint(e Endpoint) error {
	old, found, err := tx.Endpoint(e.ID)
	if err != nil {
		return err
	}
	if found {
		if old.Owner != e.Owner || old.Secret != e.Secret || !old.Created.Equal(e.Created) {
			return fmt.Errorf("%w: endpoint %s cannot become another's", ErrCorrupt, e.ID)
		}
		if e.Seq, e.Dropped = old.Seq, old.Dropped; e.Disabled && !old.Disabled {
			if e.Dropped, _, err = badgerdb.GetJSON[uint64](tx.inner, counterEvent); err != nil {
				return err
			}
		}
		return tx.set(rowEndpoint+e.ID, e)
	}
	all, _, err := tx.Endpoints(e.Owner, Page{Limit: MaxPage})
	if err != nil {
		return err
	}
	if len(all) >= MaxEndpoints {
		return fmt.Errorf("%w: %d", ErrTooManyEndpoints, MaxEndpoints)
	}
	if e.Seq, err = tx.next(counterEndpoint, 1); err != nil {
		return err
	}
	if err := tx.setNumbered(rowEndpoints+e.Owner+"/", e.Seq, e.ID); err != nil {
		return err
	}
	return tx.set(rowEndpoint+e.ID, e)
}

// DropEndpoint implements [Endpoints]. The rows that wait for the endpoint stay
// until the deliverer comes to them: they may be more than one transaction
// holds, and without an endpoint they lead nowhere.
func (tx *bookTx) DropEndpoint(e Endpoint) error {
	if err := tx.inner.Delete([]byte(rowEndpoints + e.Owner + "/" + ordinal(e.Seq))); err != nil {
		return err
	}
	return tx.inner.Delete([]byte(rowEndpoint + e.ID))
}

// Delivered implements [Endpoints].
func (tx *bookTx) Delivered(q Queued) error {
	e, found, err := badgerdb.GetJSON[Event](tx.inner, rowEvent+q.ID)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%w: event %s is queued and not there", ErrCorrupt, q.ID)
	}
	i := slices.Index(e.Waiting, q.Endpoint)
	if i < 0 {
		return nil // acknowledged before
	}
	if err := tx.inner.Delete([]byte(rowQueue + ordinal(q.Seq))); err != nil {
		return err
	}
	e.Waiting = slices.Delete(e.Waiting, i, i+1)
	return tx.set(rowEvent+e.ID, e)
}

// AcknowledgeTo is [Acknowledge] for one endpoint: it has taken the event in, or
// is no more. Others may still wait for theirs.
func AcknowledgeTo(ctx context.Context, store Store, q Queued) error {
	if err := store.Update(ctx, func(tx Tx) error { return tx.Delivered(q) }); err != nil {
		return fmt.Errorf("acknowledge event: %w", err)
	}
	return nil
}

// queue gives a new event its places in the queue: one for whom the process was
// started with, and one for each endpoint. They are numbered like events, so
// that the queue is read in one order.
func (tx *bookTx) queue(e Event) error {
	if e.Pending {
		if err := tx.setNumbered(rowQueue, e.Seq, Queued{Seq: e.Seq, ID: e.ID, Object: e.Object, Owner: e.Owner}); err != nil {
			return err
		}
	}
	for _, endpoint := range e.Waiting {
		seq, err := tx.next(counterEvent, 1)
		if err != nil {
			return err
		}
		if err := tx.setNumbered(rowQueue, seq, Queued{Seq: seq, ID: e.ID, Object: e.Object, Owner: e.Owner, Endpoint: endpoint}); err != nil {
			return err
		}
	}
	return nil
}

// waiting lists the endpoints that want events of this type.
func waiting(all []Endpoint, kind string) (ids []string) {
	for _, e := range slices.Backward(all) { // the oldest first
		if e.Wants(kind) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}
