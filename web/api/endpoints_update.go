package api

import (
	"context"
	"errors"
	"net/http"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// updateEndpoint is POST /v1/webhook_endpoints/{id}: what is left out stays as it
// is, and an empty description clears it. disabled=true stops the deliveries to it, disabled=false begins anew with
// what happens from then on
// (https://docs.stripe.com/api/webhook_endpoints/update).
func (s *server) updateEndpoint(ctx context.Context, c *call) reply {
	decoded, problem := onlyBody(c)
	if problem != nil {
		return refuse(problem)
	}
	request, problem := endpointChange(c, decoded)
	if problem != nil {
		return refuse(problem)
	}
	s.trace(requestEvent(c))
	result, err := s.Endpoints.UpdateEndpoint(withCall(ctx, c), request)
	if errors.Is(err, ledger.ErrNotFound) {
		return refuse(endpointIDs.missing())
	}
	return s.concluded(c, request.Fingerprint, result, err)
}

func endpointChange(c *call, decoded body) (ledger.EndpointChange, *Problem) {
	p := newParams(decoded)
	request := ledger.EndpointChange{
		Key: c.key, Operation: c.route, Request: c.id, Endpoint: c.r.PathValue("id"),
		URL: p.endpointURL("url"), Events: p.eventTypes("enabled_events"),
	}
	if text := p.description("description"); text != "" || p.tree["description"] == "" {
		request.Description = &text
		p.canonical["description"] = text // an empty one says something here: it clears
	}
	if disabled := p.boolean("disabled", false); p.canonical["disabled"] != nil {
		request.Disabled = &disabled
	}
	canonical, problem := p.finish()
	if problem == nil && !endpointIDs.plausible(request.Endpoint) {
		problem = endpointIDs.missing()
	}
	request.Fingerprint = idem.NewFingerprint(http.MethodPost, c.r.URL.Path, nil, canonical)
	return request, problem
}

// RenderChange makes the answer that is stored with a changed endpoint and
// replayed: 200, as nothing was made, and without the secret. It is pure, as
// [ledger.Options.RenderChange] wants it.
func RenderChange(e ledger.Endpoint) idem.Answer {
	return idem.Answer{
		Status: http.StatusOK, Body: mustJSON(endpointOf(e)),
		Header: map[string]string{"Content-Type": typeJSON},
	}
}
