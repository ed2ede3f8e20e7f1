package stage

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"chargeonce/components"
	"chargeonce/retrypolicy"
	"chargeonce/web/control"
	"chargeonce/web/network"
	"chargeonce/web/provider"
	"chargeonce/web/shop"
)

// This file turns what the boxes of a system tell into events of the panel,
// each with its one sentence.

func (s *system) emit(e control.Event) {
	e.Side = s.options.Side
	s.options.Emit(e)
}

// onUp passes on what the payments API says about itself.
func (s *system) onUp(up control.Up) {
	switch {
	case up.Type == "event" && up.Event != nil:
		s.emit(*up.Event)
	case up.Type == "held":
		s.gates.hold(up)
	case up.Type == "armed":
		s.gates.confirm(up.Hold)
	}
	if up.Dropped > 0 {
		s.emit(control.Event{
			Lane: control.LaneAPI, Kind: control.KindNote,
			Text: fmt.Sprintf("%d events of the payments API were dropped: it does not wait for its audience.", up.Dropped),
		})
	}
}

func (s *system) onLife(outcome control.Outcome, pid int, how string) {
	if outcome == control.Killed {
		s.gates.died()
	} else {
		s.gates.born()
	}
	text := fmt.Sprintf("The payments API listens, process %d.", pid)
	if outcome == control.Killed {
		text = fmt.Sprintf("The payments API, process %d, is dead (%s). It is started again on the same data.", pid, how)
	}
	s.emit(control.Event{Lane: control.LaneAPI, Kind: control.KindProcess, Outcome: outcome, Reason: how, Text: text})
}

// fromOrder is an event about an order, in the shop's lane.
func (s *system) fromOrder(o shop.Order, kind control.Kind, text string) control.Event {
	e := control.Event{
		Lane: control.LaneShop, Kind: kind, Scene: o.ID, Owner: o.Owner, Key: o.Key,
		Amount: o.Amount, Currency: o.Currency, Text: text,
	}
	if s.options.Mistake.Keyless {
		e.Key = ""
	}
	return e
}

// keyOf is how a sentence names the key that an order's requests carry.
func (s *system) keyOf(o shop.Order) string {
	if s.options.Mistake.Keyless {
		return "no key"
	}
	return "key " + components.ShortKey(o.Key)
}

func (s *system) shopHooks() shop.Hooks {
	return shop.Hooks{
		Attempt: func(o shop.Order, sent shop.Sent) {
			e := s.fromOrder(o, control.KindRequest, fmt.Sprintf("Attempt %d of %d: the shop asks for %s with %s.",
				sent.Number, sent.Of, components.Money(o.Amount, o.Currency), s.keyOf(o)))
			e.Outcome, e.Attempt, e.Of, e.Trace = control.Attempt, sent.Number, sent.Of, sent.Trace
			s.emit(e)
		},
		Ended: s.onEnded,
		Wait: func(o shop.Order, wait retrypolicy.Wait) {
			why := "full jitter"
			if wait.RetryAfter {
				why = "Retry-After"
			}
			e := s.fromOrder(o, control.KindWait, fmt.Sprintf("The shop waits %d ms (%s) before attempt %d of %d.",
				wait.Delay.Milliseconds(), why, wait.Next, wait.Of))
			e.Attempt, e.Of, e.Ms, e.Reason = wait.Next, wait.Of, wait.Delay.Milliseconds(), wait.Reason
			s.emit(e)
		},
		Answered: func(o shop.Order) { s.tellCustomer(o, customerText(o, false)) },
		Unconfirmed: func(o shop.Order, err error) {
			e := s.fromOrder(o, control.KindNote, "")
			e.Lane, e.Outcome, e.Reason = control.LaneCustomer, control.Unknown, err.Error()
			e.Text = customerText(o, true)
			s.emit(e)
		},
		Delivered: s.onDelivered,
	}
}

// onDelivered shows what the shop makes of a message.
func (s *system) onDelivered(d shop.Delivery) {
	e := control.Event{
		Lane: control.LaneReceipts, Kind: control.KindWebhook, Owner: d.Receipt.Owner, Charge: d.Receipt.Charge,
		Scene: d.Receipt.Order, Amount: d.Receipt.Amount, Currency: d.Receipt.Currency, Status: http.StatusOK,
	}
	money := components.Money(d.Receipt.Amount, d.Receipt.Currency)
	switch {
	case d.Err != nil:
		e.Status, e.Reason = http.StatusInternalServerError, d.Err.Error()
		e.Text = "The shop could not take the message in: it will be delivered again."
	case d.Again:
		e.Outcome, e.Text = control.Replay, "The shop knows this message: no second receipt."
	default:
		e.Outcome, e.Text = control.Receipt, fmt.Sprintf("The shop prints a receipt for %s and takes one from the shelf.", money)
	}
	s.emit(e)
}

// onWebhookWire shows the network's doings between API and shop; what passes
// is told by the two ends.
func (s *system) onWebhookWire(n network.Event) {
	if n.What == network.Passed || n.What == network.Answered {
		return
	}
	e := s.fromWire(n)
	e.Lane, e.Key = control.LaneReceipts, ""
	fault(&e, n)
	s.emit(e)
}

func (s *system) tellCustomer(o shop.Order, text string) {
	e := s.fromOrder(o, control.KindNote, text)
	e.Lane, e.Charge = control.LaneCustomer, o.Charge
	s.emit(e)
}

// customerText is what the shop tells its customer. An unknown outcome is
// never called a failure, and nobody is invited to pay again.
func customerText(o shop.Order, checking bool) string {
	money := components.Money(o.Amount, o.Currency)
	switch {
	case o.State == shop.Paid:
		return fmt.Sprintf("Paid, %s.", money)
	case o.State == shop.Declined:
		return fmt.Sprintf("The card was declined; %s was not charged. Press New order to try another card.", money)
	case o.State == shop.Refused:
		return fmt.Sprintf("The payment of %s was refused: %s", money, o.Reason)
	case checking:
		return fmt.Sprintf("Your %s payment may have gone through. We are checking; do not pay again.", money)
	}
	return fmt.Sprintf("Your %s payment is on its way.", money)
}

func (s *system) onEnded(o shop.Order, sent shop.Sent, end retrypolicy.Ended) {
	e := s.fromOrder(o, control.KindResponse, "")
	e.Attempt, e.Of, e.Trace = sent.Number, sent.Of, sent.Trace
	e.Status, e.Ms, e.Reason = end.Status, end.Elapsed.Milliseconds(), end.Reason
	switch {
	case end.Timeout:
		e.Outcome = control.Silence
		e.Text = fmt.Sprintf("SILENCE: no answer to attempt %d in %d ms. The outcome is unknown.", sent.Number, e.Ms)
	case end.Err != nil:
		e.Outcome = control.Reset
		e.Text = fmt.Sprintf("The connection of attempt %d died: the outcome is unknown.", sent.Number)
	default:
		e.Outcome = answerOutcome(end.Status, end.Header)
		e.Text = fmt.Sprintf("Attempt %d is answered: %s.", sent.Number, answerText(end.Status, e.Outcome))
	}
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
	case n.What == network.Passed || n.What == network.Answered:
		return
	default:
		fault(&e, n)
	}
	s.emit(e)
}

// onProviderWire shows the network's doings between API and card provider;
// what passes is told by the two ends.
func (s *system) onProviderWire(n network.Event) {
	if n.What == network.Passed || n.What == network.Answered {
		return
	}
	e := s.fromWire(n)
	e.Lane, e.ProviderKey, e.Key = control.LaneProvider, n.Key, ""
	fault(&e, n)
	s.emit(e)
}

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
		e.Outcome, e.Text = "", fmt.Sprintf("A proxy on the way answers %d.", n.Status)
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

// onOperation shows the card provider's own doings.
func (s *system) onOperation(op provider.Operation) {
	owner, charge, _ := strings.Cut(op.Reference, "/")
	e := control.Event{
		Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Outcome(op.Outcome),
		Owner: owner, Charge: charge, ProviderKey: op.Key, Trace: op.Trace,
		Amount: op.Amount, Currency: op.Currency, Ms: op.Elapsed.Milliseconds(), AtMS: time.Now().UnixMilli(),
	}
	money := components.Money(op.Amount, op.Currency)
	switch e.Outcome {
	case control.Captured:
		e.Text = fmt.Sprintf("The card provider captures %s under key %s.", money, components.ShortKey(op.Key))
	case control.Replay:
		e.Text = fmt.Sprintf("The card provider knows key %s and repeats its answer: nothing is captured again.", components.ShortKey(op.Key))
	case control.Declined:
		e.Text = "The card provider declines."
	default:
		e.Text = fmt.Sprintf("The card provider: %s.", op.Outcome)
	}
	s.emit(e)
}
