package api

import (
	"context"
	"errors"
	"net/http"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// deleteEndpoint is DELETE /v1/webhook_endpoints/{id}. It needs no key, since a
// second one changes nothing; but it then finds nothing either. With a key it
// gets the first one's answer, as any keyed request does.
func (s *server) deleteEndpoint(ctx context.Context, c *call) reply {
	if problem := noQuery(c.r); problem != nil {
		return refuse(problem)
	}
	if len(c.r.Header.Values(headerKey)) > 0 {
		return s.keyed(s.removeEndpoint)(ctx, c)
	}
	id, err := c.r.PathValue("id"), ledger.ErrNotFound
	if endpointIDs.plausible(id) {
		err = s.Endpoints.DeleteEndpoint(ctx, c.owner, id)
	}
	if errors.Is(err, ledger.ErrNotFound) {
		return refuse(endpointIDs.missing())
	}
	if err != nil {
		return s.unreadable(c, err)
	}
	return jsonReply(deletedOf(id))
}

// removeEndpoint is deleteEndpoint under a key.
func (s *server) removeEndpoint(ctx context.Context, c *call) reply {
	request := ledger.EndpointRemoval{
		Key: c.key, Operation: c.route, Request: c.id, Endpoint: c.r.PathValue("id"),
		Fingerprint: idem.NewFingerprint(http.MethodDelete, c.r.URL.Path, nil, nil),
	}
	if !endpointIDs.plausible(request.Endpoint) {
		return refuse(endpointIDs.missing())
	}
	s.trace(requestEvent(c))
	result, err := s.Endpoints.RemoveEndpoint(withCall(ctx, c), request)
	if errors.Is(err, ledger.ErrNotFound) {
		return refuse(endpointIDs.missing())
	}
	return s.concluded(c, request.Fingerprint, result, err)
}

// RenderRemoval makes the answer that is stored with a removed endpoint and
// replayed. It is pure, as [ledger.Options.RenderRemoval] wants it.
func RenderRemoval(e ledger.Endpoint) idem.Answer {
	return idem.Answer{Status: http.StatusOK, Body: mustJSON(deletedOf(e.ID)), Header: map[string]string{"Content-Type": typeJSON}}
}

// deletedObject is what is left of an object.
type deletedObject struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

func deletedOf(endpoint string) deletedObject {
	return deletedObject{ID: endpoint, Object: "webhook_endpoint", Deleted: true}
}
