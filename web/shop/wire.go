package shop

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"chargeonce/retrypolicy"
)

// chargeRequest is the request of an order: the same bytes and the same key on
// every attempt, whoever sends it and when. It is built from the journalled
// order alone.
func chargeRequest(ctx context.Context, base, owner string, order Order) (*http.Request, error) {
	form := url.Values{
		"amount":          {strconv.FormatInt(order.Amount, 10)},
		"currency":        {order.Currency},
		"source":          {order.Card},
		"metadata[order]": {order.reference()},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/charges", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, fmt.Errorf("build charge request: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "Bearer sk_test_"+owner)
	request.Header.Set("Idempotency-Key", order.Key)
	return request, nil
}

// outcomeOf reads what a definite answer means for the order. An answer that
// the policy gave back but that settles nothing (a 500, a redirect) is an
// error: the outcome stays unknown.
func outcomeOf(order Order, response *retrypolicy.Response) (Order, error) {
	switch {
	case response.Status == http.StatusCreated:
		var charge struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(response.Body, &charge); err != nil || charge.ID == "" {
			return order, fmt.Errorf("%w: a 201 without a charge", errNoOutcome)
		}
		order.State, order.Charge = Paid, charge.ID
	case response.Status == http.StatusPaymentRequired:
		order.State, order.Reason = Declined, problem(response)
	case response.Status >= 400 && response.Status < 500:
		order.State, order.Reason = Refused, problem(response)
	default:
		return order, fmt.Errorf("%w: status %d", errNoOutcome, response.Status)
	}
	return order, nil
}

// problem is the reason that an error document gives, or its status.
func problem(response *retrypolicy.Response) string {
	var document struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(response.Body, &document); err != nil || document.Error.Message == "" {
		return fmt.Sprintf("status %d", response.Status)
	}
	return document.Error.Message
}
