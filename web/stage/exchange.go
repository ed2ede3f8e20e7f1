package stage

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"chargeonce/components"
	"chargeonce/web/control"
)

// getExchange shows one request whole: a part of a page for the panel's
// script, a page of its own for a browser that was led here by a link.
func (s *Stage) getExchange(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	w.Header().Add("Vary", "Accept")
	side, ok := oneSide(query.Get("side"))
	if !ok {
		s.refuseEither(w, r, refusal{http.StatusBadRequest, "parameter_invalid", noSuchRequest, "side must be one of: naive, safe", "side"})
		return
	}
	log := s.logOf(query.Get("run"))
	if log == nil {
		s.refuseEither(w, r, refusal{http.StatusNotFound, "resource_missing", noSuchRequest, noSuchRun, "run"})
		return
	}
	view, known := exchangeView(log, side, query.Get("trace"))
	if !known {
		s.refuseEither(w, r, refusal{
			http.StatusNotFound, "resource_missing", noSuchRequest,
			"No request of that name is known; the stage keeps the latest ones while it lives.", "trace",
		})
		return
	}
	if query.Get("run") != "" {
		view.KeyHref = "" // a run's records are gone with it
	}
	view.Page = page("One request")
	if asksForPage(r) {
		s.show(w, r, http.StatusOK, components.ExchangePage(view))
		return
	}
	s.show(w, r, http.StatusOK, components.ExchangeFragment(view))
}

// asksForPage tells a browser that follows a link from a script that fetches a
// part: only the former names HTML among what it accepts.
func asksForPage(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

const noSuchRequest = "There is no such request"

// refusal is why something cannot be had, for people and for scripts.
type refusal struct {
	status  int
	code    string
	head    string // for people alone
	message string
	param   string
}

// refuseEither explains it to whoever asks: with a page or with an error
// document.
func (s *Stage) refuseEither(w http.ResponseWriter, r *http.Request, why refusal) {
	if asksForPage(r) {
		s.failPage(w, r, why.status, why.head, why.message)
		return
	}
	refuse(w, why.status, why.code, why.message, why.param)
}

// oneSide reads a side's name; "" is the safe one.
func oneSide(name string) (control.Side, bool) {
	if name == "" {
		return control.Safe, true
	}
	side := control.Side(name)
	return side, side == control.Naive || side == control.Safe
}

// exchangeView gathers what is known of a request: what the wires have carried,
// and what was told of it. known is false where both are nothing.
func exchangeView(log *runLog, side control.Side, trace string) (view components.Exchange, known bool) {
	hops, events := log.exchanges.of(side, trace), log.traced(side, trace)
	if trace == "" || len(hops)+len(events) == 0 {
		return components.Exchange{}, false
	}
	view = components.Exchange{
		Side:  components.Side{ID: string(side), Name: strings.ToUpper(string(side))},
		Trace: trace,
	}
	view.Hops, view.Beyond = hopsView(hops)
	whose(&view, hops, events)
	// Boxes tell with delays of their own.
	slices.SortStableFunc(events, func(a, b control.Event) int { return cmp.Compare(a.AtMS, b.AtMS) })
	for _, e := range events {
		view.Told = append(view.Told, components.Step{At: "+" + millis(e.AtMS-events[0].AtMS), What: e.Text})
		switch e.Kind {
		case control.KindDecision:
			view.Decided = append(view.Decided, decidedView(e))
		case control.KindCommit:
			view.Written = append(view.Written, writtenView(e))
		}
	}
	return view, true
}

// traced are the events about one request that are still kept, oldest first.
func (l *runLog) traced(side control.Side, trace string) []control.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []control.Event
	for _, e := range l.kept() {
		if e.Side == side && e.Trace == trace {
			found = append(found, e)
		}
	}
	return found
}

// everything is all events that are still kept, oldest first.
func (l *runLog) everything() []control.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept()
}

// kept is the whole ring, oldest first. It needs l.mu.
func (l *runLog) kept() []control.Event {
	return l.after(l.seq-uint64(len(l.ring)), len(l.ring))
}
