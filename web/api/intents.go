package api

import (
	"context"
	"fmt"
	"net/http"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// createIntent is POST /v1/payment_intents. With confirm=true it is a charge in
// every respect; else it is one commit, and no card is charged.
func (s *server) createIntent(ctx context.Context, c *call) reply {
	decoded, problem := onlyBody(c)
	if problem != nil {
		return refuse(problem)
	}
	request, problem := intentRequest(c, decoded)
	if problem != nil {
		return refuse(problem)
	}
	c.amount, c.currency = request.Amount, request.Currency
	s.trace(requestEvent(c))
	result, err := s.Payments.Intent(withCall(ctx, c), request)
	return s.concluded(c, request.Fingerprint, result, err)
}

// intentRequest reads the parameters of POST /v1/payment_intents.
func intentRequest(c *call, decoded body) (ledger.IntentRequest, *Problem) {
	p := newParams(decoded)
	request := ledger.IntentRequest{ChargeRequest: p.payment(c), Confirm: p.boolean("confirm", false)}
	request.Card = p.cardIfAny()
	if request.Confirm && request.Card == "" {
		p.missing("payment_method")
	}
	p.onlyCards("payment_method_types")
	canonical, problem := p.finish()
	request.Fingerprint = idem.NewFingerprint(http.MethodPost, c.r.URL.Path, nil, canonical)
	return request, problem
}

// onlyCards reads the list of the ways to pay, which is ["card"] if it is
// there: SDKs' examples send it.
func (p *params) onlyCards(name string) {
	value, there := p.take(name, CodeParamInvalid)
	if !there {
		return
	}
	if list, isList := value.([]any); !isList || len(list) != 1 || list[0] != "card" {
		p.fail(CodeParamInvalid, name, "The parameter %q must be the list of \"card\" alone.", name)
		return
	}
	p.canonical[name] = []any{"card"}
}

// intentKind is how payment intents are read. How far one has come is its
// charge's to say, as it stands in the same snapshot.
var intentKind = kind[ledger.Intent, intentObject]{
	ids: intentIDs, path: pathIntents,
	owner: func(i ledger.Intent) string { return i.Owner },
	find:  ledger.Reader.Intent,
	page:  ledger.Reader.Intents,
	show: func(books ledger.Reader, i ledger.Intent) (intentObject, error) {
		if i.Charge == "" {
			return intentOf(i, ledger.Charge{}), nil
		}
		charge, found, err := books.Charge(i.Charge)
		if err == nil && !found {
			err = fmt.Errorf("%w: charge %s of intent %s is missing", ledger.ErrCorrupt, i.Charge, i.ID)
		}
		return intentOf(i, charge), err
	},
}
