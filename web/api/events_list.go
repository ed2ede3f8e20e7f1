package api

import (
	"slices"
	"strings"

	"chargeonce/ledger"
)

const pathEvents = "/v1/events"

// eventKind is how events are read: all of an owner's, or those of one type.
var eventKind = kind[ledger.Event, eventObject]{
	ids: eventIDs, path: pathEvents,
	owner: func(e ledger.Event) string { return e.Owner },
	find:  ledger.Reader.Event,
	page:  ledger.Reader.Events,
	show:  func(books ledger.Reader, e ledger.Event) (eventObject, error) { return eventOf(books, e) },
	only:  func(query *params) string { return query.eventType("type") },
	part:  ledger.Reader.EventsOf,
}

// eventType reads a type of events; absent: "". One that there is not is a
// mistake: it would look as if nothing had happened.
func (p *params) eventType(name string) string {
	kind := p.text(name, maxID)
	if kind != "" && !slices.Contains(ledger.EventTypes, kind) {
		p.fail(CodeParamInvalid, name, "The parameter %q must be one of %s.", name, strings.Join(ledger.EventTypes, ", "))
	}
	return kind
}
