package ledger

import (
	"cmp"
	"context"
	"fmt"

	"chargeonce/idem"
)

// EndpointRemoval asks once, under one idempotency key, that an endpoint be no
// more.
type EndpointRemoval struct {
	Key         idem.Key
	Fingerprint idem.Fingerprint
	Operation   string // "DELETE /v1/webhook_endpoints/{id}"
	Request     string // id of this request

	Endpoint string // id of the endpoint
}

// RemoveEndpoint is [Ledger.DeleteEndpoint] under a key: whoever lost the answer
// gets it again, where without a key it would hear that there is no such
// endpoint. One commit removes the endpoint and stores the answer. [ErrNotFound]
// leaves the key free; other errors are those of [Ledger.Charge] that come before
// a claim.
func (l *Ledger) RemoveEndpoint(ctx context.Context, req EndpointRemoval) (Result, error) {
	if err := req.Validate(); err != nil {
		return Result{}, err
	}
	return l.do(ctx, task{
		claim: idem.Claim{Key: req.Key, Fingerprint: req.Fingerprint, Operation: req.Operation},
		names: func(id string) Result { return Result{Endpoint: id} },
		fresh: func() (string, start) {
			return req.Endpoint, func(tx Tx, _ idem.Now) (started, error) { return l.startRemoval(tx, req) }
		},
	})
}

// startRemoval is all there is to a removal whose key is new. It runs inside a
// transaction.
func (l *Ledger) startRemoval(tx Tx, req EndpointRemoval) (started, error) {
	e, err := ownEndpoint(tx, req.Key.Owner, req.Endpoint)
	if err != nil {
		return started{}, err
	}
	if err := tx.DropEndpoint(e); err != nil {
		return started{}, fmt.Errorf("drop endpoint: %w", err)
	}
	answer := l.opts.RenderRemoval(e)
	answer.Request = cmp.Or(answer.Request, req.Request) // the endpoint names the one that made it
	return started{answer: &answer}, nil
}

// ownEndpoint reads an endpoint of an owner's.
func ownEndpoint(tx Tx, owner, id string) (Endpoint, error) {
	e, found, err := tx.Endpoint(id)
	if err == nil && (!found || e.Owner != owner) {
		err = fmt.Errorf("%w: the webhook endpoint", ErrNotFound)
	}
	return e, err
}

// Validate is as that of [ChargeRequest].
func (r EndpointRemoval) Validate() error {
	if err := validClaim(r.Key, r.Fingerprint); err != nil {
		return err
	}
	if r.Endpoint == "" || len(r.Endpoint) > MaxID {
		return &InvalidError{"id", "not the id of a webhook endpoint"}
	}
	return nil
}
