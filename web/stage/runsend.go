package stage

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"chargeonce/components"
	"chargeonce/web/control"
	"chargeonce/web/lesson"
	"chargeonce/web/network"
)

// maxSentAnswer bounds what is read of an answer, in bytes. The API's own are
// far smaller.
const maxSentAnswer = 256 << 10

// Send implements [lesson.Rig]. The naive side's mistake lies under this client
// as well.
func (r *runSide) Send(ctx context.Context, q lesson.Request) (lesson.Answer, error) {
	if err := r.returned(ctx, q); err != nil {
		return lesson.Answer{}, err
	}
	trace := rand.Text()[:10] + ".1"
	if fills(q.Path) {
		r.filled.Store(true)
	}
	request, err := r.requestOf(ctx, q, trace)
	if err != nil {
		return lesson.Answer{}, err
	}
	e := control.Event{
		Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt, Trace: trace, Attempt: 1, Of: 1,
		Owner: lesson.OwnerName(r.run, q.Owner), Key: r.system.options.Mistake.sent(request.Header.Get("Idempotency-Key"), trace),
	}
	e.Text = fmt.Sprintf("A client sends %s %s with %s.", q.Method, q.Path, keyText(e.Key))
	r.system.emit(e)
	begin := time.Now()
	answer, err := r.exchange(request)
	if err != nil {
		return lesson.Answer{}, err
	}
	e.Kind, e.Status, e.Ms = control.KindResponse, answer.Status, time.Since(begin).Milliseconds()
	e.Outcome, e.Text = control.Silence, fmt.Sprintf("SILENCE: no answer to %s %s. The outcome is unknown.", q.Method, q.Path)
	switch {
	case answer.Dead:
		e.Outcome, e.Text = control.Reset, fmt.Sprintf("The connection of %s %s died: the outcome is unknown.", q.Method, q.Path)
	case answer.Status != 0:
		e.Outcome = answerOutcome(answer.Status, answer.Header)
		e.Text = fmt.Sprintf("%s %s is answered: %s.", q.Method, q.Path, answerText(answer.Status, e.Outcome))
	}
	r.system.emit(e)
	return answer, nil
}

// returned journals that an order comes back, where a request is about that.
func (r *runSide) returned(ctx context.Context, q lesson.Request) error {
	if q.Returns == "" {
		return nil
	}
	draft, err := r.orders.placed(lesson.OwnerName(r.run, q.Owner), q.Returns)
	if err != nil {
		return err
	}
	order, changed, err := r.system.shop().Return(ctx, draft.ID, draft.Amount)
	if err == nil && changed {
		money := components.Money(order.Returned, order.Currency)
		e := r.system.fromOrder(order, control.KindNote, fmt.Sprintf("The customer brings the goods back and wants %s back.", money))
		e.Lane, e.Outcome, e.Amount = control.LaneCustomer, control.Refunded, order.Returned
		r.system.emit(e)
	}
	return err
}

// requestOf builds the request as it goes out.
func (r *runSide) requestOf(ctx context.Context, q lesson.Request, trace string) (*http.Request, error) {
	var body io.Reader
	if q.Form != nil {
		form := make(url.Values, len(q.Form))
		for name, value := range q.Form {
			form.Set(name, value)
		}
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(ctx, q.Method, r.system.shopOptions.API()+q.Path, body)
	if err != nil {
		return nil, fmt.Errorf("build %s %s: %w", q.Method, q.Path, err)
	}
	owner := lesson.OwnerName(r.run, q.Owner)
	set := func(name, value string) {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	set("Authorization", "Bearer sk_test_"+owner)
	set("Prefer", q.Prefer)
	set(network.HeaderTrace, trace)
	set(network.HeaderAttempt, "1/1")
	if body != nil {
		set("Content-Type", "application/x-www-form-urlencoded")
	}
	set("Idempotency-Key", q.Key)
	if q.KeyOf != "" {
		order, err := r.orders.placed(owner, q.KeyOf)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", q.Method, q.Path, err)
		}
		set("Idempotency-Key", order.Key)
	}
	return request, nil
}

// exchange sends a request once and waits for its answer as long as the shop
// waits for an attempt.
func (r *runSide) exchange(request *http.Request) (lesson.Answer, error) {
	var wire http.RoundTripper = &http.Transport{DisableKeepAlives: true} // nobody below may send it again
	if under := r.system.options.Mistake.Wire; under != nil {
		wire = under(wire)
	}
	ctx, cancel := context.WithCancel(request.Context())
	defer cancel()
	stop := r.system.patience.AfterFunc(r.system.shopOptions.Policy.AttemptTimeout, cancel)
	defer stop()
	// Without an answer it is a silence, or a dead connection if the shop's
	// patience had not ended; no error, unless the run is over.
	unanswered := func() (lesson.Answer, error) {
		return lesson.Answer{Dead: ctx.Err() == nil}, request.Context().Err()
	}
	response, err := wire.RoundTrip(request.WithContext(ctx))
	if err != nil {
		return unanswered()
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxSentAnswer))
	if err != nil {
		return unanswered()
	}
	return lesson.Answer{Status: response.StatusCode, Body: body, Header: response.Header}, nil
}

// Reboot implements [lesson.Rig].
func (r *runSide) Reboot(ctx context.Context) error { return r.system.rebootShop(ctx) }

// Clock implements [lesson.Rig].
func (r *runSide) Clock(ctx context.Context, advance time.Duration) error {
	_, err := r.system.advance(ctx, advance)
	return err
}
