package stage

import (
	"fmt"
	"net/http"

	"chargeonce/components"
	"chargeonce/retrypolicy"
	"chargeonce/web/api"
	"chargeonce/web/control"
	"chargeonce/web/lesson"
	"chargeonce/web/shop"
)

// fromOrder is an event about an order, in the shop's lane.
func (s *system) fromOrder(o shop.Order, kind control.Kind, text string) control.Event {
	return control.Event{
		Lane: control.LaneShop, Kind: kind, Scene: o.ID, Owner: o.Owner, Key: s.options.Mistake.sent(o.Key, ""),
		Amount: o.Amount, Currency: o.Currency, Text: text,
	}
}

// fromAttempt is an event about one attempt for an order: it names the key that
// this attempt carries.
func (s *system) fromAttempt(o shop.Order, sent shop.Sent, kind control.Kind) control.Event {
	e := s.fromOrder(o, kind, "")
	e.Key = s.options.Mistake.sent(o.Key, sent.Trace)
	e.Attempt, e.Of, e.Trace = sent.Number, sent.Of, sent.Trace
	return e
}

// keyText is how a sentence names the key that a request carries.
func keyText(key string) string {
	if key == "" {
		return "no key"
	}
	return "key " + components.ShortKey(key)
}

// shopHooks are the shop's attempts, waits and answers, as events.
func (s *system) shopHooks() shop.Hooks {
	return shop.Hooks{
		Attempt: func(o shop.Order, sent shop.Sent) {
			e := s.fromAttempt(o, sent, control.KindRequest)
			e.Outcome, e.Text = control.Attempt, fmt.Sprintf("Attempt %d of %d: the shop asks for %s with %s.",
				sent.Number, sent.Of, components.Money(o.Amount, o.Currency), keyText(e.Key))
			s.emit(e)
		},
		Ended: s.onEnded,
		Wait: func(o shop.Order, wait retrypolicy.Wait) {
			why := "full jitter"
			switch {
			case wait.RetryAfter:
				why = "Retry-After"
			case s.jitterless:
				why = "no jitter"
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
		Queued: func(o shop.Order, err error) {
			e := s.fromOrder(o, control.KindNote, fmt.Sprintf(
				"We cannot take payments just now. Nothing was charged; your %s order waits.", components.Money(o.Amount, o.Currency)))
			e.Lane, e.Outcome, e.Reason = control.LaneCustomer, control.BreakerOpen, err.Error()
			s.emit(e)
		},
		Delivered: s.onDelivered,
	}
}

// onDelivered shows what the shop makes of a message.
func (s *system) onDelivered(d shop.Delivery) {
	e := control.Event{
		Lane: control.LaneReceipts, Kind: control.KindWebhook, Owner: d.Receipt.Owner, Charge: d.Receipt.Charge,
		Amount: d.Receipt.Amount, Currency: d.Receipt.Currency, Status: http.StatusOK,
	}
	if shop.IsOrder(d.Receipt.Order) { // and not a number that others may use as well
		e.Scene = d.Receipt.Order
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

// onEnded tells how an attempt ended. A timeout and a dead connection are unknown
// outcomes, and the sentence says so.
func (s *system) onEnded(o shop.Order, sent shop.Sent, end retrypolicy.Ended) {
	e := s.fromAttempt(o, sent, control.KindResponse)
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
		if end.Code == string(api.CodeResultExpired) { // by its headers it looks like any conflict
			e.Outcome = control.ResultExpired
		}
		e.Text = fmt.Sprintf("Attempt %d is answered: %s.", sent.Number, answerText(end.Status, e.Outcome))
	}
	s.emit(e)
}

// fromBreaker tells of a change of the shop's circuit breaker.
func fromBreaker(change retrypolicy.Change, policy lesson.ShopPolicy) control.Event {
	e := control.Event{Lane: control.LaneShop, Kind: control.KindBreaker}
	switch change.To {
	case retrypolicy.Open:
		e.Outcome, e.Ms = control.BreakerOpen, policy.BreakFor.Milliseconds()
		e.Text = fmt.Sprintf("BREAKER OPEN: the shop sends nothing for %d ms.", e.Ms)
	case retrypolicy.HalfOpen:
		e.Text = "The breaker is half-open: one attempt may try."
	case retrypolicy.Closed:
		e.Text = "The breaker is closed again: the attempt was answered."
	}
	return e
}
