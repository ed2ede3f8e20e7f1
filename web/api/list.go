package api

import (
	"net/http"
	"regexp"

	"chargeonce/ledger"
)

// maxID bounds an id in characters; ours have some thirty.
const maxID = 64

// idKind is the form of one kind of object's ids. It keeps anything but ids
// away from the store and out of messages.
type idKind struct {
	name string // "charge"
	form *regexp.Regexp
}

var (
	chargeIDs   = idKind{"charge", regexp.MustCompile(`^ch_[A-Za-z0-9]+$`)}
	refundIDs   = idKind{"refund", regexp.MustCompile(`^re_[A-Za-z0-9]+$`)}
	intentIDs   = idKind{"payment intent", regexp.MustCompile(`^pi_[A-Za-z0-9]+$`)}
	endpointIDs = idKind{"webhook endpoint", regexp.MustCompile(`^we_[A-Za-z0-9]+$`)}

	eventIDs = idKind{"event", regexp.MustCompile(`^evt_[A-Za-z0-9]+$`)}
)

func (k idKind) plausible(id string) bool { return len(id) <= maxID && k.form.MatchString(id) }

// missing answers an id of nobody's object, or of another owner's.
func (k idKind) missing() *Problem {
	return &Problem{Code: CodeResourceMissing, Param: "id", Message: "You have no " + k.name + " of this id."}
}

// badCursor answers a page that starts at what is not the caller's.
func (k idKind) badCursor(name string) *Problem {
	return &Problem{Code: CodeParamInvalid, Param: name, Message: "The parameter \"" + name + "\" must be the id of one of your " + k.name + "s."}
}

// noSuchCursor is badCursor for a page that was read.
func (k idKind) noSuchCursor(page ledger.Page) *Problem {
	if page.After != "" {
		return k.badCursor("starting_after")
	}
	return k.badCursor("ending_before")
}

// listObject is one page of a list, newest first.
type listObject[T any] struct {
	Object  string `json:"object"`
	URL     string `json:"url"`
	HasMore bool   `json:"has_more"`
	Data    []T    `json:"data"`
}

// pageOf reads the parameters of a list, Stripe's
// (https://docs.stripe.com/api/pagination). part reads the one that narrows the
// list; nil: there is none.
func pageOf(r *http.Request, ids idKind, part func(*params) string) (page ledger.Page, only string, problem *Problem) {
	query, problem := queryOf(r)
	if problem != nil {
		return ledger.Page{}, "", problem
	}
	page = query.page(ids)
	if part != nil {
		only = part(query)
	}
	_, problem = query.finish()
	return page, only, problem
}

// page reads the parameters that every list has.
func (p *params) page(ids idKind) ledger.Page {
	limit, _ := p.integer("limit", 1, ledger.MaxPage, CodeParamInvalid)
	page := ledger.Page{Limit: int(limit), After: p.cursor("starting_after", ids), Before: p.cursor("ending_before", ids)}
	if page.After != "" && page.Before != "" {
		p.fail(CodeParamInvalid, "ending_before", "Send either starting_after or ending_before, not both.")
	}
	return page
}

func (p *params) cursor(name string, ids idKind) string {
	id := p.text(name, maxID)
	if id != "" && !ids.plausible(id) && p.fault == nil {
		p.fault = ids.badCursor(name)
	}
	return id
}
