package api

import (
	"bytes"
	"context"
	"net/http"

	"chargeonce/ledger"
	"chargeonce/retrypolicy"
)

// refundBody is POST /refunds.
type refundBody struct {
	Capture string `json:"capture"` // the provider's id of the capture
	Amount  int64  `json:"amount"`  // minor units; the capture knows its currency
}

// Refund implements [ledger.Provider]. A refund that the provider declines is
// a definite answer: no money went back.
func (p *provider) Refund(ctx context.Context, key, capture string, amount int64) (ledger.Refunded, error) {
	answer, err := p.post(ctx, "/refunds", key, mustJSON(refundBody{Capture: capture, Amount: amount}))
	if err != nil {
		return ledger.Refunded{}, err
	}
	operation, ok := readOperation(answer.Body)
	if !ok || !operation.isOf(operationRefunded, answer.Status) || operation.Capture != capture || operation.Amount != amount {
		return ledger.Refunded{}, unknown("its answer makes no sense", nil)
	}
	return operation.definite(), nil
}

// post sends an operation under its key: the same key and the same bytes on
// every attempt. What comes back is 201 or 402; all else is an error.
func (p *provider) post(ctx context.Context, path, key string, body []byte) (*retrypolicy.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, unknown("the request could not be built", err)
	}
	request.Header.Set("Content-Type", typeJSON)
	request.Header.Set(headerKey, key)
	answer, err := p.do(request)
	if err != nil {
		return nil, err
	}
	if answer.Status != http.StatusCreated && answer.Status != http.StatusPaymentRequired {
		return nil, refusedOrUnknown(answer)
	}
	return answer, nil
}
