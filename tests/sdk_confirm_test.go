package tests

import (
	"errors"
	"sync"
	"testing"

	"github.com/stripe/stripe-go/v82"

	"chargeonce/web/control"
)

// waiting is an intent over €50.00 that the SDK makes and does not confirm.
func (s *sdk) waiting(t *testing.T, method string) *stripe.PaymentIntent {
	t.Helper()
	params := &stripe.PaymentIntentCreateParams{Amount: stripe.Int64(5000), Currency: stripe.String("eur")}
	if method != "" {
		params.PaymentMethod = stripe.String(method)
	}
	intent, err := s.V1PaymentIntents.Create(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	return intent
}

func TestStripeGoConfirmsAnIntentThatItMadeBefore(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	s := newSDK(c, "gopher")
	intent := s.waiting(t, "")
	if intent.Status != stripe.PaymentIntentStatusRequiresPaymentMethod {
		t.Errorf("made as %s", intent.Status)
	}
	_, err := s.V1PaymentIntents.Confirm(t.Context(), intent.ID, nil) // without a card
	if refused := stripeError(t, err); refused.Code != stripe.ErrorCodePaymentIntentUnexpectedState || refused.PaymentIntent == nil {
		t.Errorf("%+v", refused)
	}
	_, err = s.V1PaymentIntents.Confirm(t.Context(), intent.ID, &stripe.PaymentIntentConfirmParams{PaymentMethod: stripe.String("pm_card_chargeDeclined")})
	if declined := stripeError(t, err); declined.Type != stripe.ErrorTypeCard || declined.PaymentIntent.Status != stripe.PaymentIntentStatusRequiresPaymentMethod {
		t.Errorf("%+v", declined)
	}
	paid, err := s.V1PaymentIntents.Confirm(t.Context(), intent.ID, &stripe.PaymentIntentConfirmParams{PaymentMethod: stripe.String("pm_card_visa")})
	if err != nil || paid.Status != stripe.PaymentIntentStatusSucceeded || paid.AmountReceived != 5000 || paid.ID != intent.ID {
		t.Fatalf("%v %+v", err, paid)
	}
	if books := c.books(s.owner); books.Captures != 1 || books.Charges != 1 {
		t.Errorf("%+v", books)
	}
}

// TestStripeGoRetriesALostConfirmationIntoTheSameCharge lets the SDK's own
// retry, under the key that it made up, meet a network that loses an answer.
func TestStripeGoRetriesALostConfirmationIntoTheSameCharge(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	s := newSDK(c, "gopher")
	intent, before := s.waiting(t, "pm_card_visa"), s.wire()
	c.post("/stage/faults", control.Fault{
		Boundary: "api", Side: control.Safe, Owner: s.owner, Kind: "lose-response", How: "reset", Attempts: 1,
	}, 201, nil)
	paid, err := s.V1PaymentIntents.Confirm(t.Context(), intent.ID, nil)
	if err != nil || paid.Status != stripe.PaymentIntentStatusSucceeded || paid.LastResponse.Header.Get("Idempotent-Replayed") != "true" {
		t.Fatalf("%v %+v", err, paid)
	}
	if wire := s.wire() - before; wire != 2 {
		t.Errorf("%d requests", wire)
	}
	c.chargedOnce(s.owner)
}

func TestStripeGoClientsAtOnceConfirmOneIntentOnce(t *testing.T) { // I1: each call has a key of its own
	_, c := startStage(t, t.TempDir())
	s := newSDK(c, "gopher")
	intent := s.waiting(t, "pm_card_visa")
	var (
		mu    sync.Mutex // guards paid
		paid  int
		group sync.WaitGroup
	)
	for range 12 {
		group.Go(func() {
			got, err := s.V1PaymentIntents.Confirm(t.Context(), intent.ID, nil)
			var refused *stripe.Error
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && got.Status == stripe.PaymentIntentStatusSucceeded:
				paid++
			case err == nil:
				t.Errorf("%+v", got)
			case !errors.As(err, &refused) || refused.Code != stripe.ErrorCodePaymentIntentUnexpectedState:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if paid != 1 {
		t.Errorf("%d calls were told that they paid", paid)
	}
	c.chargedOnce(s.owner)
}
