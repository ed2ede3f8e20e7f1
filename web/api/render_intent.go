package api

import (
	"cmp"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// intentObject is a payment intent on the wire: Stripe's object of that name
// (https://docs.stripe.com/api/payment_intents/object).
type intentObject struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"`
	Amount             int64             `json:"amount"`
	AmountCapturable   int64             `json:"amount_capturable"`
	AmountReceived     int64             `json:"amount_received"`
	CanceledAt         *int64            `json:"canceled_at"`
	CancellationReason *string           `json:"cancellation_reason"`
	CaptureMethod      string            `json:"capture_method"`
	ClientSecret       *string           `json:"client_secret"` // null: no browser pays here by itself
	ConfirmationMethod string            `json:"confirmation_method"`
	Created            int64             `json:"created"` // seconds since the Unix epoch
	Currency           string            `json:"currency"`
	Customer           *string           `json:"customer"`
	Description        *string           `json:"description"`
	LastPaymentError   *stripeError      `json:"last_payment_error"`
	LatestCharge       *string           `json:"latest_charge"`
	Livemode           bool              `json:"livemode"`
	Metadata           map[string]string `json:"metadata"`
	NextAction         *struct{}         `json:"next_action"`
	PaymentMethod      *string           `json:"payment_method"`
	PaymentMethodTypes []string          `json:"payment_method_types"`
	Processing         *struct{}         `json:"processing"`
	ReceiptEmail       *string           `json:"receipt_email"`
	SetupFutureUsage   *string           `json:"setup_future_usage"`
	Status             string            `json:"status"`
}

// intentOf is an intent as its charge makes it stand; zero: it has none.
func intentOf(i ledger.Intent, c ledger.Charge) intentObject {
	object := intentObject{
		ID: i.ID, Object: "payment_intent", Amount: i.Amount, CaptureMethod: "automatic", ConfirmationMethod: "automatic",
		Created: i.Created.Unix(), Currency: i.Currency, Description: optional(i.Description), LatestCharge: optional(i.Charge),
		Metadata: i.Metadata, PaymentMethod: optional(i.Card), PaymentMethodTypes: []string{"card"}, Status: string(i.Status(c)),
	}
	if object.Metadata == nil {
		object.Metadata = map[string]string{}
	}
	switch c.Status {
	case ledger.Succeeded:
		object.AmountReceived = c.Amount
	case ledger.Failed:
		object.PaymentMethod = nil // as at Stripe: another one is required
		failure := declinedCard(c).stripe()
		object.LastPaymentError = &failure
	}
	return object
}

// RenderIntent makes the answer that is stored with a payment intent, or with a
// confirmation of it, and replayed: 201 with Location, or the 402 of a declined
// card, which shows the intent inside. The request is the one that charged. It is pure, as [ledger.Options.RenderIntent] wants it.
func RenderIntent(i ledger.Intent, c ledger.Charge) idem.Answer {
	object, request := intentOf(i, c), cmp.Or(c.Request, i.Request)
	if c.Status == ledger.Failed {
		declined := declinedCard(c)
		declined.Intent, declined.Resource = &object, pathOf(i.ID)
		return refusal(declined, request)
	}
	return created(i.ID, object, request)
}
