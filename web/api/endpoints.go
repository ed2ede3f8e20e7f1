package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"chargeonce/idem"
	"chargeonce/ledger"
)

const pathEndpoints = "/v1/webhook_endpoints"

// Endpoints makes, changes and deletes webhook endpoints; it is *[ledger.Ledger] too.
type Endpoints interface {
	CreateEndpoint(ctx context.Context, request ledger.EndpointRequest) (ledger.Result, error)
	UpdateEndpoint(ctx context.Context, request ledger.EndpointChange) (ledger.Result, error)
	DeleteEndpoint(ctx context.Context, owner, id string) error
	RemoveEndpoint(ctx context.Context, request ledger.EndpointRemoval) (ledger.Result, error)
}

// endpointObject is a webhook endpoint on the wire: Stripe's object of that
// name (https://docs.stripe.com/api/webhook_endpoints/object).
type endpointObject struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"`
	APIVersion    *string           `json:"api_version"` // null: there is one version
	Application   *string           `json:"application"`
	Created       int64             `json:"created"` // seconds since the Unix epoch
	Description   *string           `json:"description"`
	EnabledEvents []string          `json:"enabled_events"`
	Livemode      bool              `json:"livemode"`
	Metadata      map[string]string `json:"metadata"`
	Secret        string            `json:"secret,omitempty"` // where it is made, and never again
	Status        string            `json:"status"`
	URL           string            `json:"url"`
}

func endpointOf(e ledger.Endpoint) endpointObject {
	object := endpointObject{
		ID: e.ID, Object: "webhook_endpoint", Created: e.Created.Unix(), Description: optional(e.Description),
		EnabledEvents: e.Events, Metadata: e.Metadata, Status: "enabled", URL: e.URL,
	}
	if e.Disabled {
		object.Status = "disabled"
	}
	if object.Metadata == nil {
		object.Metadata = map[string]string{}
	}
	return object
}

// RenderEndpoint makes the answer that is stored with a webhook endpoint and
// replayed, the only one that shows its secret. It is pure, as
// [ledger.Options.RenderEndpoint] wants it.
func RenderEndpoint(e ledger.Endpoint, refused error) idem.Answer {
	if refused != nil {
		return refusal(&Problem{
			Code:    CodeTooManyEndpoints,
			Message: fmt.Sprintf("You have %d webhook endpoints, which is as many as there may be. Delete one first.", ledger.MaxEndpoints),
		}, e.Request)
	}
	object := endpointOf(e)
	object.Secret = e.Secret
	return created(e.ID, object, e.Request)
}

// createEndpoint is POST /v1/webhook_endpoints.
func (s *server) createEndpoint(ctx context.Context, c *call) reply {
	decoded, problem := onlyBody(c)
	if problem != nil {
		return refuse(problem)
	}
	request, problem := endpointRequest(c, decoded)
	if problem != nil {
		return refuse(problem)
	}
	s.trace(requestEvent(c))
	result, err := s.Endpoints.CreateEndpoint(withCall(ctx, c), request)
	return s.concluded(c, request.Fingerprint, result, err)
}

func endpointRequest(c *call, decoded body) (ledger.EndpointRequest, *Problem) {
	p := newParams(decoded)
	request := ledger.EndpointRequest{
		Key: c.key, Operation: c.route, Request: c.id, URL: p.endpointURL("url"), Events: p.eventTypes("enabled_events"),
		Description: p.description("description"), Metadata: p.metadata("metadata"),
	}
	switch { // a fault that was found in them comes first
	case request.URL == "":
		p.missing("url")
	case request.Events == nil:
		p.missing("enabled_events")
	}
	canonical, problem := p.finish()
	request.Fingerprint = idem.NewFingerprint(http.MethodPost, c.r.URL.Path, nil, canonical)
	return request, problem
}

// endpointURL reads where events are to be sent; absent: "".
func (p *params) endpointURL(name string) string {
	text := p.text(name, ledger.MaxEndpointURL)
	if holdsNumber(text, true) {
		p.fail(CodeCardNumber, name, "The parameter %q looks like a card number. It was not stored.", name)
		return ""
	}
	if text != "" && !ledger.ValidEndpointURL(text) {
		p.fail(CodeParamInvalid, name, "The parameter %q must be an http or https URL of localhost or a loopback address: events are sent nowhere else.", name)
	}
	return text
}

// eventTypes reads a list of types of events; absent: none.
func (p *params) eventTypes(name string) (types []string) {
	value, there := p.take(name, CodeParamInvalid)
	if !there {
		return nil
	}
	list, _ := value.([]any)
	for _, one := range list {
		kind, _ := one.(string)
		if kind != ledger.AllEvents && !slices.Contains(ledger.EventTypes, kind) {
			types = nil
			break
		}
		types = append(types, kind)
	}
	if len(types) == 0 || len(types) > len(ledger.EventTypes)+1 {
		p.fail(CodeParamInvalid, name, "The parameter %q must be a list of \"*\" or of some of %s.", name, strings.Join(ledger.EventTypes, ", "))
		return nil
	}
	p.canonical[name] = list
	return types
}

// endpointKind is how webhook endpoints are read.
var endpointKind = kind[ledger.Endpoint, endpointObject]{
	ids: endpointIDs, path: pathEndpoints,
	owner: func(e ledger.Endpoint) string { return e.Owner },
	find:  ledger.Reader.Endpoint,
	page:  ledger.Reader.Endpoints,
	show:  func(_ ledger.Reader, e ledger.Endpoint) (endpointObject, error) { return endpointOf(e), nil },
}
