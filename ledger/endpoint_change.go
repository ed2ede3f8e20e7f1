package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"chargeonce/idem"
)

// EndpointChange asks once, under one idempotency key, that an endpoint become
// another. What is left zero stays as it is.
type EndpointChange struct {
	Key         idem.Key
	Fingerprint idem.Fingerprint
	Operation   string // "POST /v1/webhook_endpoints/{id}"
	Request     string // id of this request

	Endpoint    string // id of the endpoint
	URL         string
	Events      []string
	Description *string // empty: cleared
	Disabled    *bool   // true: it is told of nothing any more; false: of what comes from then on
}

// UpdateEndpoint changes an endpoint of the owner's, once per key: one commit,
// in which the answer is stored. Its secret stays. [ErrNotFound], where there is
// no such endpoint, leaves the key free; other errors are those of
// [Ledger.Charge] that come before a claim. A delivery that is under way still
// goes where it went.
func (l *Ledger) UpdateEndpoint(ctx context.Context, req EndpointChange) (Result, error) {
	if err := req.Validate(); err != nil {
		return Result{}, err
	}
	return l.do(ctx, task{
		claim: idem.Claim{Key: req.Key, Fingerprint: req.Fingerprint, Operation: req.Operation},
		names: func(id string) Result { return Result{Endpoint: id} },
		fresh: func() (string, start) {
			return req.Endpoint, func(tx Tx, _ idem.Now) (started, error) { return l.startChange(tx, req) }
		},
	})
}

// startChange is all there is to a change whose key is new. It runs inside a
// transaction.
func (l *Ledger) startChange(tx Tx, req EndpointChange) (started, error) {
	e, err := ownEndpoint(tx, req.Key.Owner, req.Endpoint)
	if err != nil {
		return started{}, err
	}
	e = e.changedBy(req)
	if err := tx.PutEndpoint(e); err != nil {
		return started{}, err
	}
	answer := l.opts.RenderChange(e)
	answer.Request = cmp.Or(answer.Request, req.Request) // the endpoint names the one that made it
	return started{answer: &answer}, nil
}

func (e Endpoint) changedBy(req EndpointChange) Endpoint {
	e.URL = cmp.Or(req.URL, e.URL)
	if req.Description != nil {
		e.Description = *req.Description
	}
	if req.Events != nil {
		e.Events = slices.Clone(req.Events)
	}
	if req.Disabled != nil {
		e.Disabled = *req.Disabled
	}
	return e
}

// Validate is as that of [ChargeRequest].
func (r EndpointChange) Validate() error {
	if err := validClaim(r.Key, r.Fingerprint); err != nil {
		return err
	}
	switch {
	case r.Endpoint == "" || len(r.Endpoint) > MaxID:
		return &InvalidError{"id", "not the id of a webhook endpoint"}
	case r.URL != "" && !ValidEndpointURL(r.URL):
		return errEndpointURL
	case r.Events != nil && !validEvents(r.Events):
		return errEvents
	case r.Description != nil && utf8.RuneCountInString(*r.Description) > MaxDescription:
		return &InvalidError{"description", fmt.Sprintf("longer than %d characters", MaxDescription)}
	}
	return nil
}
