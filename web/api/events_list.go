package api

import (
	"context"
	"errors"
	"slices"
	"strings"

	"chargeonce/ledger"
)

const pathEvents = "/v1/events"

// getEvent is GET /v1/events/{id}. Another owner's event does not exist.
func (s *server) getEvent(ctx context.Context, c *call) reply {
	if problem := noQuery(c.r); problem != nil {
		return refuse(problem)
	}
	id := c.r.PathValue("id")
	var object eventObject
	found := false
	if eventIDs.plausible(id) {
		if err := s.Store.ViewEvents(ctx, func(outbox ledger.EventReader) (err error) {
			var event ledger.Event
			event, found, err = outbox.Event(id)
			if found = found && event.Owner == c.owner; err != nil || !found {
				return err
			}
			object, err = eventOf(outbox, event)
			return err
		}); err != nil {
			return s.unreadable(c, err)
		}
	}
	if !found {
		return refuse(eventIDs.missing())
	}
	return jsonReply(object)
}

// listEvents is GET /v1/events, newest first; of one type, if one is asked for.
func (s *server) listEvents(ctx context.Context, c *call) reply {
	query, problem := queryOf(c.r)
	if problem != nil {
		return refuse(problem)
	}
	page, only := query.page(eventIDs), query.eventType("type")
	if _, problem = query.finish(); problem != nil {
		return refuse(problem)
	}
	list := listObject[eventObject]{Object: "list", URL: pathEvents, Data: []eventObject{}}
	err := s.Store.ViewEvents(ctx, func(outbox ledger.EventReader) error {
		events, more, err := outbox.EventsOf(c.owner, only, page)
		if err != nil {
			return err
		}
		list.HasMore, list.Data = more, make([]eventObject, 0, len(events))
		for _, event := range events {
			object, err := eventOf(outbox, event)
			if err != nil {
				return err
			}
			list.Data = append(list.Data, object)
		}
		return nil
	})
	if errors.Is(err, ledger.ErrNotFound) {
		return refuse(eventIDs.noSuchCursor(page))
	}
	if err != nil {
		return s.unreadable(c, err)
	}
	return jsonReply(list)
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
