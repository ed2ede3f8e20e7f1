package api

import (
	"context"
	"errors"
	"net/http"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// confirmIntent is POST /v1/payment_intents/{id}/confirm: an intent that was
// made before is carried out. It is a keyed request of its own, and its answer
// is the intent, 201 because a charge was made.
func (s *server) confirmIntent(ctx context.Context, c *call) reply {
	decoded, problem := onlyBody(c)
	if problem != nil {
		return refuse(problem)
	}
	request, problem := confirmRequest(c, decoded)
	if problem != nil {
		return refuse(problem)
	}
	s.trace(requestEvent(c))
	result, err := s.Payments.Confirm(withCall(ctx, c), request)
	var standing *ledger.IntentError
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return refuse(intentIDs.missing())
	case errors.As(err, &standing): // for now: nothing is stored
		return refuse(unexpectedState(standing))
	}
	return s.concluded(c, request.Fingerprint, result, err)
}

// confirmRequest reads the parameters of a confirmation. Which intent it is
// about, the path says, and with it the fingerprint.
func confirmRequest(c *call, decoded body) (ledger.ConfirmRequest, *Problem) {
	p := newParams(decoded)
	request := ledger.ConfirmRequest{
		Key: c.key, Operation: c.route, Request: c.id, Version: c.version, Intent: c.r.PathValue("id"), Card: p.cardIfAny(),
		Wait: preferredWait(c.r.Header),
	}
	p.onlyCards("payment_method_types")
	canonical, problem := p.finish()
	if problem == nil && !intentIDs.plausible(request.Intent) {
		problem = intentIDs.missing()
	}
	request.Fingerprint = idem.NewFingerprint(http.MethodPost, c.r.URL.Path, nil, canonical)
	return request, problem
}

// RenderUnconfirmed makes the answer that is stored with a confirmation that the
// intent does not allow, as [ledger.Options.RenderUnconfirmed] wants it. Who
// asked is the ledger's to add: the intent knows only who made it.
func RenderUnconfirmed(refused *ledger.IntentError) idem.Answer {
	return refusal(unexpectedState(refused), "")
}

// unexpectedState says why an intent may not be confirmed, under Stripe's code
// and with the intent inside, as Stripe does.
func unexpectedState(refused *ledger.IntentError) *Problem {
	object := intentOf(refused.Intent, refused.Charge)
	problem := &Problem{
		Code: CodeIntentState, Param: "payment_method", Charge: refused.Charge.ID, Intent: &object, Resource: pathOf(refused.Intent.ID),
		Message: "This payment intent has no card that could be charged: confirm it with a payment_method and a new key.",
	}
	switch {
	case errors.Is(refused, ledger.ErrIntentProcessing):
		problem.Param = ""
		problem.Message = "Another confirmation of this payment intent is at work, so this one did nothing. Read the intent in a moment: it may be paid by then."
	case errors.Is(refused, ledger.ErrIntentSucceeded):
		problem.Param = ""
		problem.Message = "This payment intent has been paid. Nothing was charged again."
	}
	return problem
}
