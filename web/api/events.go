package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/control"
)

// This file says what the panel is told, one plain sentence an event. Counters
// add up outcomes, so each thing that happens carries its outcome once: what
// the record decided on the decision, a decline and an unknown outcome on the
// response.

func (s *server) trace(event control.Event) {
	if s.Trace != nil {
		s.Trace(event)
	}
}

// event is what every event of one request has in common.
func (c call) event(kind control.Kind, text string) control.Event {
	return control.Event{
		Lane: control.LaneAPI, Kind: kind, Owner: c.owner, Key: c.key.Value, Trace: c.trace,
		Attempt: c.attempt, Of: c.of, Amount: c.amount, Currency: c.currency,
		AtMS: time.Now().UnixMilli(), Text: text,
	}
}

// Event starts an event about the request whose context this is, for those who
// wrap a part of the process and have something to tell. A context without a
// request gives an event about nobody.
func Event(ctx context.Context, kind control.Kind, text string) control.Event {
	return callFrom(ctx).event(kind, text)
}

func requestEvent(c *call) control.Event {
	if c.currency == "" { // a refund's is the charge's, which is yet to be read
		return c.event(control.KindRequest, fmt.Sprintf("The API reads %s.", c.route))
	}
	return c.event(control.KindRequest, fmt.Sprintf("The API reads %s over %s.", c.route, money(c.amount, c.currency)))
}

func responseEvent(c *call, answer reply) control.Event {
	event := c.event(control.KindResponse, "")
	event.Charge, event.Ms = answer.charge, time.Since(c.began).Milliseconds()
	if c.gone {
		event.Text = "The client has hung up; what it asked for goes on without it."
		if c.link.isCut() {
			event.Text = "The client was cut off; what it asked for went on without it."
		}
		return event
	}
	event.Status = answer.code()
	event.Text = fmt.Sprintf("The API answers %d %s.", event.Status, http.StatusText(event.Status))
	if answer.problem != nil {
		event.Reason = string(answer.problem.Code)
		event.Text = fmt.Sprintf("The API answers %d: %s.", event.Status, lowerFirst(answer.problem.rule().title))
	}
	switch {
	case answer.problem != nil && answer.problem.Code == CodeOutcomeUnknown:
		event.Outcome = control.Unknown
	case event.Status == http.StatusPaymentRequired && answer.decision != idem.Replay.String():
		event.Outcome = control.Declined
	}
	return event
}

// Hooks tells trace what a ledger does, on behalf of the request whose context
// the ledger passes on. At and Beat are left to the caller.
func Hooks(trace Tracer) ledger.Hooks {
	if trace == nil {
		return ledger.Hooks{}
	}
	return ledger.Hooks{
		Decided:          func(ctx context.Context, key idem.Key, d idem.Decision) { trace(decisionEvent(callFrom(ctx), key, d)) },
		Committed:        func(ctx context.Context, done ledger.Commit) { trace(commitEvent(callFrom(ctx), done)) },
		ProviderCall:     func(ctx context.Context, asked ledger.ProviderCall) { trace(askEvent(callFrom(ctx), asked)) },
		ProviderAnswered: func(ctx context.Context, got ledger.ProviderAnswer) { trace(gotEvent(callFrom(ctx), got)) },
		Unknown:          func(ctx context.Context, of ledger.Work, err error) { trace(unknownEvent(callFrom(ctx), of, err)) },
		Completing:       func(ctx context.Context, record idem.Record) { trace(completingEvent(callFrom(ctx), record)) },
		Fenced:           func(ctx context.Context, of ledger.Work, _ idem.Record) { trace(fencedEvent(callFrom(ctx), of)) },
	}
}

func decisionEvent(c call, key idem.Key, d idem.Decision) control.Event {
	event := c.event(control.KindDecision, decisionText(d))
	event.Owner, event.Key = key.Owner, key.Value
	event.Outcome, event.Reason = control.Outcome(d.Outcome.String()), d.Reason
	event.Fence, event.Charge = d.Record.Fence, d.Record.Resource
	event.LeaseMS = d.Record.LeaseLeft(idem.Now{Wall: time.Now()}).Milliseconds()
	if d.Outcome == idem.Replay {
		event.Status = d.Record.Answer.Status
	}
	return event
}

func decisionText(d idem.Decision) string {
	lease := d.Record.LeaseLeft(idem.Now{Wall: time.Now()}).Round(100 * time.Millisecond)
	switch d.Outcome {
	case idem.Started:
		return fmt.Sprintf("STARTED: %s; claim written under fence %d (lease %v).", d.Reason, d.Record.Fence, lease)
	case idem.Resumed:
		return fmt.Sprintf("RESUMED: %s; the work goes on under fence %d (lease %v).", d.Reason, d.Record.Fence, lease)
	case idem.Replay:
		return fmt.Sprintf("REPLAY: %s. Nothing runs.", d.Reason)
	case idem.Conflict:
		return fmt.Sprintf("409 CONFLICT: %s. Nothing runs, and waiting would not help.", d.Reason)
	case idem.Busy:
		return fmt.Sprintf("BUSY: %s. Nothing runs twice.", d.Reason)
	case idem.ResultExpired:
		return fmt.Sprintf("EXPIRED: %s. Nothing runs again.", d.Reason)
	}
	return d.Reason
}

// ofWork is an event about a charge or a refund, which knows its own money.
func (c call) ofWork(work ledger.Work, kind control.Kind, text string) control.Event {
	event := c.event(kind, text)
	event.Owner, event.Key = work.Key().Owner, work.Key().Value
	if event.Charge = work.Charge.ID; event.Charge != "" { // else the provider never hears of it
		event.ProviderKey = work.ProviderKey()
	}
	event.Amount, event.Currency = work.Amount(), work.Currency()
	return event
}

func commitEvent(c call, done ledger.Commit) control.Event {
	event := c.ofWork(done.Work, control.KindCommit, commitText(done))
	if done.Work.ID() == "" { // a cart or an endpoint: the record alone says whose it is
		event.Owner, event.Key = done.Record.Key.Owner, done.Record.Key.Value
	}
	event.Fence, event.Reason = done.Record.Fence, strings.Join(done.Rows, " ")
	if !done.IsRefund() && done.Charge.ID != "" {
		event.Status = done.Record.Answer.Status // of the answer that commit 2 stores: 201 is what charges money
	}
	if done.IsRefund() && done.Work.Status() == ledger.Succeeded {
		event.Outcome = control.Refunded // the commit that posts the money
	}
	return event
}

func commitText(done ledger.Commit) string {
	what, failed := "charge", "declined charge"
	if done.IsRefund() {
		what, failed = "refund", "failed refund"
	}
	switch {
	case done.Phase == 1 && done.IsRefund():
		return "Commit 1: the claim and the pending refund are durable together, with its amount set aside on the charge."
	case done.Phase == 1:
		return "Commit 1: the claim and the pending charge are durable together."
	case done.Work.Status() == ledger.Failed:
		return "Commit 2: the " + failed + " and the stored answer are durable together; no money is posted."
	case done.Work.Status() == "":
		return "One commit: the claim and the stored answer are durable together; there is nobody to ask."
	}
	return "Commit 2: the settled " + what + ", its postings and the stored answer are durable together."
}

func askEvent(c call, asked ledger.ProviderCall) control.Event {
	verb := "capture"
	if asked.IsRefund() {
		verb = "refund"
	}
	text := fmt.Sprintf("The API asks the card provider to %s %s under key %s.",
		verb, money(asked.Amount(), asked.Currency()), asked.ProviderKey())
	if asked.Lookup {
		text = fmt.Sprintf("Before it sends anything again, the API asks the card provider what became of key %s.", asked.ProviderKey())
	}
	return c.ofWork(asked.Work, control.KindProvider, text)
}

func gotEvent(c call, got ledger.ProviderAnswer) control.Event {
	event := c.ofWork(got.Work, control.KindProvider, gotText(got))
	event.Ms = got.Elapsed.Milliseconds()
	return event
}

func gotText(got ledger.ProviderAnswer) string {
	switch {
	case got.Err != nil:
		return "The API has no definite answer from the card provider: " + reasonOf(got.Err) + "."
	case got.Lookup && !got.Found:
		return "The card provider has never decided anything under this key, so the API may send it."
	case got.Captured.Declined:
		return "The card provider has declined: a definite answer."
	case got.IsRefund():
		return "The card provider has refunded: a definite answer."
	}
	return "The card provider has captured: a definite answer."
}

func unknownEvent(c call, work ledger.Work, err error) control.Event {
	event := c.ofWork(work, control.KindNote,
		"The attempt stops without an outcome. The record stays at its recovery point and the key is free: the next attempt resumes.")
	event.Reason = reasonOf(err)
	return event
}

func completingEvent(c call, record idem.Record) control.Event {
	event := c.event(control.KindNote, "Nobody came back for this key: the API takes its work up by itself.")
	event.Owner, event.Key = record.Key.Owner, record.Key.Value
	event.Charge, event.Fence = record.Resource, record.Fence
	return event
}

func fencedEvent(c call, work ledger.Work) control.Event {
	event := c.ofWork(work, control.KindDecision,
		"FENCED OFF: another attempt has taken over; what this one found is rolled back and read again.")
	event.Outcome = control.Fenced
	return event
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }
