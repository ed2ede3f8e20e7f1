package api

import (
	"context"

	"chargeonce/ledger"
)

// createCharge is POST /v1/charges: decode, one call of the ledger, render.
func (s *server) createCharge(ctx context.Context, c *call) reply {
	decoded, problem := onlyBody(c)
	if problem != nil {
		return refuse(problem)
	}
	request, problem := chargeRequest(c, decoded)
	if problem != nil {
		return refuse(problem)
	}
	c.amount, c.currency = request.Amount, request.Currency
	s.trace(requestEvent(c))
	result, err := s.Charger.Charge(withCall(ctx, c), request)
	return s.concluded(c, request.Fingerprint, result, err)
}

// onlyBody decodes the parameters of a request that has none in its query.
func onlyBody(c *call) (body, *Problem) {
	if problem := noQuery(c.r); problem != nil {
		return body{}, problem
	}
	return decodeBody(c.w, c.r)
}

// chargeKind is how charges are read.
var chargeKind = kind[ledger.Charge, chargeObject]{
	ids: chargeIDs, path: pathCharges,
	owner: func(c ledger.Charge) string { return c.Owner },
	find:  ledger.Reader.Charge,
	page:  ledger.Reader.Charges,
	show:  func(_ ledger.Reader, c ledger.Charge) (chargeObject, error) { return chargeOf(c), nil },
}
