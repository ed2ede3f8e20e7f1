package api

import (
	"net/http"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// maxDescription bounds a description in characters. It is ours: long enough
// for an invoice's subject, short enough for the books page.
const maxDescription = 1000

// chargeRequest reads the parameters of POST /v1/charges and what else the
// ledger needs to know. The fingerprint covers the canonical parameters, so
// the same charge as a form and as JSON is the same request.
func chargeRequest(c *call, decoded body) (ledger.ChargeRequest, *Problem) {
	p := newParams(decoded)
	request := p.payment(c)
	request.Card = p.card()
	if !p.boolean("capture", true) {
		p.fail(CodeParamInvalid, "capture", "A charge is captured at once here: leave the parameter \"capture\" out, or send true.")
	}
	canonical, problem := p.finish()
	if problem != nil {
		return ledger.ChargeRequest{}, problem
	}
	request.Fingerprint = idem.NewFingerprint(http.MethodPost, c.r.URL.Path, nil, canonical)
	return request, nil
}

// payment reads what every payment is about, whoever pays and with what.
func (p *params) payment(c *call) ledger.ChargeRequest {
	amount, there := p.integer("amount", 1, ledger.MaxAmount, CodeAmountInvalid)
	if !there {
		p.missing("amount")
	}
	return ledger.ChargeRequest{
		Key: c.key, Operation: c.route, Request: c.id, Version: c.version,
		Amount: amount, Currency: p.currency("currency"),
		Description: p.description("description"), Metadata: p.metadata("metadata"),
		Wait: preferredWait(c.r.Header),
	}
}

// description reads a free text, in which people do paste card numbers. Empty
// is the same as absent: a new object has none.
func (p *params) description(name string) string {
	value, there := p.takeAny(name)
	if !there || value == "" {
		return ""
	}
	text := p.bounded(name, value, maxDescription)
	if holdsCardNumber(text) {
		p.fail(CodeCardNumber, name, "The parameter %q looks like a card number. It was not stored.", name)
		return ""
	}
	return text
}

// queryOf decodes the query as the form that it is.
func queryOf(r *http.Request) (*params, *Problem) {
	tree, problem := decodeForm(r.URL.RawQuery)
	if problem != nil {
		problem.Code = CodeParamInvalid
		return nil, problem
	}
	return newParams(body{tree: tree}), nil
}

// noQuery refuses parameters in the query where none belong: ignored, a
// mistyped one would look as if it had worked.
func noQuery(r *http.Request) *Problem {
	query, problem := queryOf(r)
	if problem == nil {
		_, problem = query.finish()
	}
	return problem
}
