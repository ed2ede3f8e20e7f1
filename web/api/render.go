package api

import (
	"net/http"
	"strings"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// chargeObject is a charge on the wire: the fields and JSON types of Stripe's
// object of that name, every one that its OpenAPI document requires and the
// ones that we have something to say about. A pointer is null where there is
// nothing: some SDKs fail the whole call on a wrong type, after the money has
// moved.
type chargeObject struct {
	ID                   string            `json:"id"`
	Object               string            `json:"object"`
	Amount               int64             `json:"amount"`
	AmountCaptured       int64             `json:"amount_captured"`
	AmountRefunded       int64             `json:"amount_refunded"`
	BalanceTransaction   *string           `json:"balance_transaction"`
	BillingDetails       billingDetails    `json:"billing_details"`
	Captured             bool              `json:"captured"`
	Created              int64             `json:"created"` // seconds since the Unix epoch
	Currency             string            `json:"currency"`
	Customer             *string           `json:"customer"`
	Description          *string           `json:"description"`
	Disputed             bool              `json:"disputed"`
	FailureCode          *string           `json:"failure_code"`
	FailureMessage       *string           `json:"failure_message"`
	Livemode             bool              `json:"livemode"`
	Metadata             map[string]string `json:"metadata"`
	Outcome              *outcomeObject    `json:"outcome"`
	Paid                 bool              `json:"paid"`
	PaymentIntent        *string           `json:"payment_intent"`
	PaymentMethod        *string           `json:"payment_method"`
	PaymentMethodDetails *struct{}         `json:"payment_method_details"` // null: we never see a card
	ReceiptEmail         *string           `json:"receipt_email"`
	ReceiptNumber        *string           `json:"receipt_number"`
	ReceiptURL           *string           `json:"receipt_url"`
	Refunded             bool              `json:"refunded"`
	Status               string            `json:"status"`
}

// billingDetails are always there and always empty: nobody asks for a name.
type billingDetails struct {
	Address *struct{} `json:"address"`
	Email   *string   `json:"email"`
	Name    *string   `json:"name"`
	Phone   *string   `json:"phone"`
}

// outcomeObject says what became of the payment at the card's issuer. The
// words are Stripe's (https://docs.stripe.com/api/charges/object#charge_object-outcome).
type outcomeObject struct {
	NetworkStatus string  `json:"network_status"`
	Reason        *string `json:"reason"`
	SellerMessage string  `json:"seller_message"`
	Type          string  `json:"type"`
}

func chargeOf(c ledger.Charge) chargeObject {
	object := chargeObject{
		ID: c.ID, Object: "charge", Amount: c.Amount, AmountRefunded: c.AmountRefunded,
		BalanceTransaction: optional(c.Transfer), Created: c.Created.Unix(), Currency: c.Currency,
		Description: optional(c.Description), FailureCode: optional(c.FailureCode),
		FailureMessage: optional(c.FailureMessage), Metadata: c.Metadata, Outcome: outcomeOf(c),
		PaymentIntent: optional(c.Intent), PaymentMethod: optional(c.Card), Refunded: c.AmountRefunded > 0 && c.AmountRefunded == c.Amount,
		Status: string(c.Status),
	}
	if object.Metadata == nil {
		object.Metadata = map[string]string{} // Stripe's is never null
	}
	if c.Status == ledger.Succeeded {
		object.AmountCaptured, object.Captured, object.Paid = c.Amount, true, true
	}
	return object
}

func outcomeOf(c ledger.Charge) *outcomeObject {
	switch c.Status {
	case ledger.Succeeded:
		return &outcomeObject{
			NetworkStatus: "approved_by_network", Type: "authorized", SellerMessage: "Payment complete.",
		}
	case ledger.Failed:
		return &outcomeObject{
			NetworkStatus: "declined_by_network", Type: "issuer_declined", Reason: optional(c.DeclineCode),
			SellerMessage: "The card's issuer declined the payment.",
		}
	}
	return nil // pending: nobody knows yet
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// RenderCharge makes the answer that is stored with a settled charge and
// replayed: 201 with Location, or the 402 of a declined card. It is pure, as
// [ledger.Options.Render] wants it.
func RenderCharge(c ledger.Charge) idem.Answer {
	if c.Status == ledger.Failed {
		return refusal(declinedCard(c), c.Request)
	}
	return created(c.ID, chargeOf(c), c.Request)
}

func declinedCard(c ledger.Charge) *Problem {
	return &Problem{
		Code: CodeCardDeclined, Message: declineMessage(c),
		DeclineCode: c.DeclineCode, Charge: c.ID, Resource: pathOf(c.ID),
	}
}

// created is the stored answer of what was made: a 201 that says where it is.
func created(id string, object any, request string) idem.Answer {
	return idem.Answer{
		Status: http.StatusCreated, Request: request, Body: mustJSON(object),
		Header: map[string]string{"Content-Type": typeJSON, "Location": pathOf(id)},
	}
}

// refusal is the stored answer of a definite no.
func refusal(problem *Problem, request string) idem.Answer {
	return idem.Answer{
		Status: problem.Status(), Request: request, Body: problem.Body(),
		Header: map[string]string{"Content-Type": typeProblem},
	}
}

func declineMessage(c ledger.Charge) string {
	if c.FailureMessage != "" {
		return c.FailureMessage
	}
	return "The card was declined. The same key gives the same answer; another card is a new purchase with a new key."
}

// pathOf is where an object can be read, by the kind that its id names.
func pathOf(id string) string {
	if cart, ok := ledger.CartOf(id); ok {
		return pathCarts + "/" + cart
	}
	switch kind, _, _ := strings.Cut(id, "_"); kind {
	case "re":
		return pathRefunds + "/" + id
	case "we":
		return pathEndpoints + "/" + id
	case "pi":
		return pathIntents + "/" + id
	}
	return pathCharges + "/" + id
}
