package network

import (
	"net/http"
	"time"
)

// What is the thing that happened to a request on the wire.
type What string

// The things that happen. Each request gives Passed when it comes onto the
// wire and exactly one fate later. Delayed and Duplicated are told in between.
const (
	Passed     What = "passed"     // came from its sender onto the wire; nothing was forwarded yet
	Delayed    What = "delayed"    // is held back for Event.Wait, then forwarded
	Duplicated What = "duplicated" // its copy was delivered and answered with Event.Status, which nobody receives

	LostRequest  What = "lost_request"  // fate: never delivered
	LostResponse What = "lost_response" // fate: delivered, answered with Event.Status, the answer lost
	Truncated    What = "truncated"     // fate: half of the answer with Event.Status came through
	Refused      What = "status"        // fate: answered by the wire itself, never delivered
	Dead         What = "dead"          // fate: nobody listened, or the target died before its answer was whole
	Gone         What = "gone"          // fate: the sender had left before its answer (Event.Status) came
	Answered     What = "answered"      // fate: the answer went back to the sender
)

// Event is one thing that happened to one request. Header belongs to the
// receiver; it carries no credential, for it is an answer's.
type Event struct {
	What     What
	Boundary string
	Owner    string
	Key      string // idempotency key, cut at 255 bytes
	Trace    string // one request's name on every box it crosses
	Attempt  int    // attempt n …
	Of       int    // … of m, as the sender counts; 0, 0: it does not say

	Method string
	Path   string // as forwarded, without the query, cut at 255 bytes

	Fault   Kind          // the fault it met; empty: none
	How     How           // how it was lost, if it was; Reset where the target is dead
	Status  int           // of the answer, 0 where there is none
	Header  http.Header   // of the answer, nil where there is none
	Wait    time.Duration // of Delayed: how long it is held back
	Elapsed time.Duration // since the request came onto the wire
}

// event fills in what is known about this request by now.
func (c *crossing) event(what What) Event {
	attempt, of := attemptOf(c.r.Header)
	return Event{
		What: what, Boundary: c.n.options.Boundary,
		Owner: clip(c.owner), Key: clip(c.key), Trace: c.trace,
		Attempt: attempt, Of: of,
		Method: c.r.Method, Path: clip(c.to.path),
		Fault: c.fault.Kind, Elapsed: time.Since(c.start),
	}
}

// tell hands an event to the hook. No lock of this package is held here, so
// the hook may arm faults or read the counts. The exchange is recorded first:
// whoever reads of an event may look it up.
func (c *crossing) tell(e Event) {
	c.record(e)
	if hook := c.n.options.Trace; hook != nil {
		hook(e)
	}
}

// answered is event with the answer that it is about.
func (c *crossing) answered(what What, answer *http.Response) Event {
	e := c.event(what)
	e.Status, e.Header = answer.StatusCode, answer.Header.Clone()
	return e
}

// clip keeps a sender's own words from filling the run log.
func clip(text string) string {
	return text[:min(len(text), maxKey)]
}
