package api

import (
	"net/http"
	"slices"
	"strings"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// reasons are the ones that a client may give for a refund
// (https://docs.stripe.com/api/refunds/create#create_refund-reason).
var reasons = []string{"duplicate", "fraudulent", "requested_by_customer"}

// refundRequest reads the parameters of POST /v1/refunds. intent is set where
// the charge was named by its payment intent; the caller looks it up.
func refundRequest(c *call, decoded body) (request ledger.RefundRequest, intent string, problem *Problem) {
	p := newParams(decoded)
	request = ledger.RefundRequest{
		Key: c.key, Operation: c.route, Request: c.id, Version: c.version,
		Charge: p.text("charge", maxID), Reason: p.reason("reason"), Metadata: p.metadata("metadata"),
		Wait: preferredWait(c.r.Header),
	}
	// Absent means all that is left; a zero that was written out is a mistake.
	request.Amount, _ = p.integer("amount", 1, ledger.MaxAmount, CodeAmountInvalid)
	intent = p.text("payment_intent", maxID)
	switch {
	case request.Charge == "" && intent == "":
		p.missing("charge")
	case request.Charge != "" && intent != "":
		p.fail(CodeParamInvalid, "payment_intent", "Send either charge or payment_intent, not both.")
	}
	canonical, problem := p.finish()
	switch {
	case problem != nil:
	case request.Charge != "" && !chargeIDs.plausible(request.Charge):
		problem = chargeIDs.missingParam("charge")
	case intent != "" && !intentIDs.plausible(intent):
		problem = intentIDs.missingParam("payment_intent")
	}
	request.Fingerprint = idem.NewFingerprint(http.MethodPost, c.r.URL.Path, nil, canonical)
	return request, intent, problem
}

func (p *params) reason(name string) string {
	reason := p.text(name, ledger.MaxReason)
	if reason != "" && !slices.Contains(reasons, reason) {
		p.fail(CodeParamInvalid, name, "The parameter %q must be one of %s.", name, strings.Join(reasons, ", "))
	}
	return reason
}

// missingParam answers a parameter that names nobody's object, or another
// owner's.
func (k idKind) missingParam(name string) *Problem {
	problem := k.missing()
	problem.Param = name
	return problem
}
