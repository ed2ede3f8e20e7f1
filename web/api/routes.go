package api

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// handler answers one call. It returns its reply and writes nothing.
type handler func(ctx context.Context, c *call) reply

// routes is the table of everything that is served. A path without a method
// for the request gives 405, the last entry 404: net/http's own such answers
// are text, and an SDK that looks for the error object would take them for
// something else.
func (s *server) routes() map[string]map[string]handler {
	routes := map[string]map[string]handler{
		"/healthz":            {http.MethodGet: s.health},
		pathCharges:           {http.MethodGet: s.owned(chargeKind.list(s)), http.MethodPost: s.keyed(s.createCharge)},
		pathCharges + "/{id}": {http.MethodGet: s.owned(chargeKind.get(s))},
		pathRefunds:           {http.MethodGet: s.owned(refundKind.list(s))},
		pathRefunds + "/{id}": {http.MethodGet: s.owned(refundKind.get(s))},
		pathIntents:           {http.MethodGet: s.owned(intentKind.list(s))},
		pathIntents + "/{id}": {http.MethodGet: s.owned(intentKind.get(s))},
		pathBalance:           {http.MethodGet: s.owned(s.balance)},
		pathKeys:              {http.MethodGet: s.owned(s.lookUpKey)},
		pathEvents:            {http.MethodGet: s.owned(eventKind.list(s))},
		pathEvents + "/{id}":  {http.MethodGet: s.owned(eventKind.get(s))},
		"/":                   nil,
	}
	if s.Payments != nil {
		routes[pathRefunds][http.MethodPost] = s.keyed(s.createRefund)
		routes[pathIntents][http.MethodPost] = s.keyed(s.createIntent)
		routes[pathIntents+"/{id}/confirm"] = map[string]handler{http.MethodPost: s.keyed(s.confirmIntent)}
	}
	if s.Endpoints != nil {
		routes[pathEndpoints] = map[string]handler{http.MethodGet: s.owned(endpointKind.list(s)), http.MethodPost: s.keyed(s.createEndpoint)}
		routes[pathEndpoints+"/{id}"] = map[string]handler{http.MethodGet: s.owned(endpointKind.get(s)), http.MethodPost: s.keyed(s.updateEndpoint), http.MethodDelete: s.owned(s.deleteEndpoint)}
	}
	if s.Carts != nil {
		routes[pathCarts+"/{id}"] = map[string]handler{http.MethodGet: s.owned(s.getCart)}
		routes[pathCarts+"/{id}/items/{sku}"] = map[string]handler{http.MethodPut: s.owned(s.putQuantity)}
		routes[pathCarts+"/{id}/items/{sku}/increment"] = map[string]handler{http.MethodPost: s.keyed(s.increment)}
	}
	if s.Inspect {
		routes["/-/books"] = map[string]handler{http.MethodGet: s.books}
		routes["/-/keys"] = map[string]handler{http.MethodGet: s.keys}
	}
	return routes
}

// route runs one path: it picks the method's handler, guards it, sends what it
// replies, and tells the log and the panel.
func (s *server) route(path string, methods map[string]handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := newCall(w, r, path)
		ctx, tie, end := newLink(r)
		defer end()
		c.link = tie
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // lift the one of the last answer
		w.Header().Set(headerRequestID, c.id)
		w.Header().Set("Cache-Control", "no-store") // an answer about money is nobody else's to keep
		if line, ok := echoable(r.Header); ok {
			w.Header().Set(headerKey, line)
		}
		answer := s.guarded(ctx, c, pick(path, methods, r.Method))
		if answer.dropped {
			panic(http.ErrAbortHandler) // net/http then ends the connection without a word
		}
		// Read before the answer goes out: a client may well close once it has it.
		c.gone = r.Context().Err() != nil || tie.isCut()
		answer.write(c)
		s.answered(c, answer)
	})
}

// knownMethods are those that a route may have.
var knownMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}

// pick finds the handler, or one that says why there is none.
func pick(path string, methods map[string]handler, method string) handler {
	if found, ok := methods[method]; ok {
		return found
	}
	if found, ok := methods[http.MethodGet]; ok && method == http.MethodHead {
		return found // net/http leaves the body out
	}
	refusal := &Problem{Code: CodeRouteMissing, Message: "There is nothing at this path. The API begins at " + pathCharges + "."}
	if len(methods) > 0 {
		refusal = &Problem{Code: CodeMethodNotAllowed, Allow: allowed(methods)}
	}
	return func(context.Context, *call) reply { return refuse(refusal) }
}

// allowed lists the methods in a fixed order.
func allowed(methods map[string]handler) string {
	var names []string
	for _, method := range knownMethods {
		if methods[method] == nil {
			continue
		}
		names = append(names, method)
		if method == http.MethodGet {
			names = append(names, http.MethodHead)
		}
	}
	return strings.Join(names, ", ")
}
