package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"chargeonce/ledger"
	"chargeonce/web/control"
)

// maxConsumerAnswer bounds what is read of an answer, so that its connection
// can be used again; nothing in it matters.
const maxConsumerAnswer = 64 << 10

// result is what an attempt came to.
type result struct {
	delivery
	event  ledger.Event
	status int    // of the consumer's answer; 0: there was none
	reason string // why it must be tried again; empty: it is over, and durably so
}

// attempt tries to deliver an event once.
func (d *deliverer) attempt(ctx context.Context, next delivery) result {
	r := result{delivery: next}
	event, to, over, err := d.find(ctx, next.Queued)
	r.event = event
	switch {
	case err != nil:
		r.reason = "the outbox could not be read or written"
		return r
	case over:
		return r // nobody is to be told any more
	}
	d.Pass(atDelivering)
	d.tell(r, control.KindWebhook, fmt.Sprintf("The API delivers %s, attempt %d.", r.event.Type, r.attempt))
	if r.status, r.reason = d.post(ctx, to, r.event); r.reason != "" {
		return r
	}
	d.Pass(atAcknowledged)
	// Not under ctx: what the consumer has taken in is worth a moment's delay.
	if err := d.acknowledge(context.WithoutCancel(ctx), next.Queued, r.event); err != nil {
		d.Log.Warn("an acknowledgement could not be written; the event will be delivered again", "event", r.ID, "error", err.Error())
		r.reason = "the acknowledgement could not be written"
		return r
	}
	d.Pass(atDelivered)
	return r
}

// post sends the event. Only a 2xx acknowledges it; whatever else happens, the
// consumer may or may not have it.
func (d *deliverer) post(ctx context.Context, to target, e ledger.Event) (status int, reason string) {
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader(e.Body))
	if err != nil {
		return 0, "the request could not be built"
	}
	request.GetBody = nil // net/http must not send it a second time by itself
	request.Header.Set("Content-Type", typeJSON)
	request.Header.Set("User-Agent", "chargeonce")
	if e.Trace != "" {
		request.Header.Set(headerTrace, e.Trace)
	}
	to.sign.sign(request.Header, e.ID, time.Now(), e.Body)
	response, err := d.client.Do(request)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return 0, "no answer came in time"
		}
		return 0, "the connection failed"
	}
	_, _ = io.CopyN(io.Discard, response.Body, maxConsumerAnswer) // the status has said it all
	_ = response.Body.Close()
	if response.StatusCode/100 != 2 {
		return response.StatusCode, fmt.Sprintf("it answered %d", response.StatusCode)
	}
	return response.StatusCode, ""
}

// tellWait tells that a delivery has to be tried again.
func (d *deliverer) tellWait(r result, wait time.Duration, setAside bool) {
	if r.event.ID == "" {
		return // it never got as far as to be told of
	}
	text := fmt.Sprintf("%s is not acknowledged: %s. The API waits %d ms (full jitter) before attempt %d.",
		r.event.Type, r.reason, wait.Milliseconds(), r.attempt+1)
	if setAside {
		text = fmt.Sprintf("%s is not acknowledged after %d attempts: %s. It is set aside, and tried again in %v.",
			r.event.Type, r.attempt, r.reason, wait.Round(time.Second))
	}
	next := r
	next.attempt++
	d.tell(next, control.KindWait, text, func(event *control.Event) {
		event.Ms, event.Reason, event.Status = wait.Milliseconds(), r.reason, r.status
	})
}

// tell has no outcome: the shop's answer is told by the shop, and counters add
// outcomes up.
func (d *deliverer) tell(r result, kind control.Kind, text string, more ...func(*control.Event)) {
	if d.Trace == nil {
		return
	}
	event := control.Event{
		Lane: control.LaneReceipts, Kind: kind, Owner: r.event.Owner, Key: r.event.Key, Trace: r.event.Trace,
		Attempt: r.attempt, AtMS: time.Now().UnixMilli(), Text: text,
	}
	if chargeIDs.plausible(r.event.Object) { // else it is a refund's or an intent's id
		event.Charge = r.event.Object
	}
	for _, add := range more {
		add(&event)
	}
	d.Trace(event)
}
