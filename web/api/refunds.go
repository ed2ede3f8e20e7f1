package api

import (
	"context"
	"errors"

	"chargeonce/ledger"
)

// createRefund is POST /v1/refunds. The ledger sets the amount aside in the
// commit that claims the key; what is refused before that is not stored.
func (s *server) createRefund(ctx context.Context, c *call) reply {
	decoded, problem := onlyBody(c)
	if problem != nil {
		return refuse(problem)
	}
	request, intent, problem := refundRequest(c, decoded)
	if problem != nil {
		return refuse(problem)
	}
	if intent != "" {
		if request.Charge, problem = s.chargeOfIntent(ctx, c, intent); problem != nil {
			return refuse(problem)
		}
	}
	c.amount = request.Amount
	s.trace(requestEvent(c))
	result, err := s.Payments.Refund(withCall(ctx, c), request)
	if errors.Is(err, ledger.ErrNotFound) {
		return refuse(chargeIDs.missingParam("charge"))
	}
	return s.concluded(c, request.Fingerprint, result, err)
}

// chargeOfIntent finds the charge that a payment intent stands for: that of the
// latest confirmation. Once one has succeeded it stays, so that every attempt
// of a refund that can be made finds the same.
func (s *server) chargeOfIntent(ctx context.Context, c *call, id string) (charge string, problem *Problem) {
	err := s.Store.View(ctx, func(books ledger.Reader) error {
		intent, found, err := books.Intent(id)
		switch {
		case err != nil:
			return err
		case !found || intent.Owner != c.owner:
			problem = intentIDs.missingParam("payment_intent")
		case intent.Charge == "":
			problem = &Problem{
				Code: CodeNotRefundable, Param: "payment_intent",
				Message: "This payment intent was not confirmed: there is no payment to refund.",
			}
		}
		charge = intent.Charge
		return nil
	})
	if err != nil {
		problem = s.unreadable(c, err).problem
	}
	return charge, problem
}

// refundKind is how refunds are read.
var refundKind = kind[ledger.Refund, refundObject]{
	ids: refundIDs, path: pathRefunds,
	owner: func(r ledger.Refund) string { return r.Owner },
	find:  ledger.Reader.Refund,
	page:  ledger.Reader.Refunds,
	show:  func(_ ledger.Reader, r ledger.Refund) (refundObject, error) { return refundOf(r), nil },
	only:  func(query *params) string { return query.cursor("charge", chargeIDs) },
	part:  refundsOf,
}

// refundsOf reads the refunds of one charge. Another owner's has none.
func refundsOf(books ledger.Reader, owner, charge string, page ledger.Page) ([]ledger.Refund, bool, error) {
	of, found, err := books.Charge(charge)
	if err != nil || !found || of.Owner != owner {
		return nil, false, err
	}
	return books.RefundsOf(charge, page)
}
