package stage

import (
	"fmt"
	"net/http"
	"strings"

	"chargeonce/web/control"
	"chargeonce/web/network"
	"chargeonce/web/shop"
)

// passed reports whether a request or an answer only went through: the network
// did nothing to it, and the two ends of the wire tell of it.
func passed(n network.Event) bool { return n.What == network.Passed || n.What == network.Answered }

// onWebhookWire shows the network's doings between API and shop.
func (s *system) onWebhookWire(n network.Event) {
	if passed(n) {
		return
	}
	e := s.fromWire(n)
	e.Lane, e.Key = control.LaneReceipts, ""
	fault(&e, n)
	s.emit(e)
}

// answerOutcome reads an answer from the outside, as any client can: by its
// status and its headers.
func answerOutcome(status int, header http.Header) control.Outcome {
	switch {
	case header.Get("Idempotent-Replayed") == "true":
		return control.Replay
	case status == http.StatusPaymentRequired:
		return control.Declined
	case status == http.StatusConflict && header.Get("Stripe-Should-Retry") == "true":
		return control.Busy
	case status == http.StatusConflict:
		return control.Conflict
	}
	return ""
}

func answerText(status int, outcome control.Outcome) string {
	switch outcome {
	case control.Replay:
		return fmt.Sprintf("%d, a replay of the stored answer", status)
	case control.Busy:
		return "409 busy, the first request is still at work"
	case control.Conflict:
		return "409 conflict, the key belongs to another request"
	case control.ResultExpired:
		return "409, done long ago; the answer is no longer kept"
	}
	return fmt.Sprintf("%d %s", status, http.StatusText(status))
}

// onAPIWire shows what the network does to anybody's request, and the whole
// exchange of clients from outside, which have no lane of their own.
func (s *system) onAPIWire(n network.Event) {
	e := s.fromWire(n)
	outside := n.Of == 0 // our own shop numbers its attempts
	switch {
	case n.What == network.Passed && outside:
		e.Kind, e.Outcome = control.KindRequest, control.Attempt
		e.Text = fmt.Sprintf("A client from outside sends %s %s.", n.Method, n.Path)
	case n.What == network.Answered && outside:
		e.Kind, e.Outcome = control.KindResponse, answerOutcome(n.Status, n.Header)
		e.Text = fmt.Sprintf("The client from outside is answered: %s.", answerText(n.Status, e.Outcome))
	case passed(n):
		return
	default:
		fault(&e, n)
	}
	s.emit(e)
}

// onProviderWire shows the network's doings between API and card provider.
func (s *system) onProviderWire(n network.Event) {
	if passed(n) {
		return
	}
	e := s.fromWire(n)
	e.Lane, e.ProviderKey, e.Key = control.LaneProvider, n.Key, ""
	fault(&e, n)
	s.emit(e)
}

// fromWire is an event of the network's lane, about the request that it names.
func (s *system) fromWire(n network.Event) control.Event {
	e := control.Event{
		Lane: control.LaneNetwork, Owner: n.Owner, Key: n.Key, Trace: n.Trace,
		Attempt: n.Attempt, Of: n.Of, Status: n.Status, Ms: n.Elapsed.Milliseconds(),
	}
	if s.options.Mistake.Keyless && shop.IsOrder(n.Key) { // only what the fault was aimed at
		e.Scene, e.Key = n.Key, ""
	}
	return e
}

// fault describes what the network did.
func fault(e *control.Event, n network.Event) {
	e.Kind, e.How, e.Outcome = control.KindFault, string(n.How), control.Lost
	switch n.What {
	case network.LostRequest:
		e.Text = "The request is lost here (" + e.How + ")."
	case network.LostResponse:
		e.Text = fmt.Sprintf("The work was done, but the answer (%d) is lost here (%s).", n.Status, e.How)
	case network.Truncated:
		e.Text = "Half of the answer arrives, then the connection ends."
	case network.Refused:
		e.Outcome, e.Text = "", refusedText(n.Status)
	case network.Delayed:
		e.Outcome, e.Ms = "", n.Wait.Milliseconds()
		e.Text = fmt.Sprintf("The request is held back for %d ms.", e.Ms)
	case network.Duplicated:
		e.Outcome, e.Text = "", "The network delivered the request a second time."
	case network.Dead:
		e.Outcome, e.Text = control.Reset, "Nobody is there: the connection is reset."
	case network.Gone:
		e.Outcome, e.Text = "", "The answer comes, but the client has stopped waiting."
	default:
		e.Outcome, e.Text = "", "The network: "+strings.ReplaceAll(string(n.What), "_", " ")+"."
	}
}

// refusedText says who answers in place of the API. A proxy speaks for itself
// only where it is overloaded or finds nobody; all else is a lesson's script.
func refusedText(status int) string {
	if status == http.StatusTooManyRequests || status >= http.StatusBadGateway && status <= http.StatusGatewayTimeout {
		return fmt.Sprintf("A proxy on the way answers %d.", status)
	}
	return fmt.Sprintf("The script answers %d in the API's place.", status)
}
