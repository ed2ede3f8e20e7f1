package api

import (
	"errors"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// refundObject is a refund on the wire: Stripe's object of that name
// (https://docs.stripe.com/api/refunds/object).
type refundObject struct {
	ID                     string            `json:"id"`
	Object                 string            `json:"object"`
	Amount                 int64             `json:"amount"`
	BalanceTransaction     *string           `json:"balance_transaction"`
	Charge                 string            `json:"charge"`
	Created                int64             `json:"created"` // seconds since the Unix epoch
	Currency               string            `json:"currency"`
	FailureReason          string            `json:"failure_reason,omitempty"` // may be absent, never null
	Metadata               map[string]string `json:"metadata"`
	PaymentIntent          *string           `json:"payment_intent"`
	Reason                 *string           `json:"reason"`
	ReceiptNumber          *string           `json:"receipt_number"`
	SourceTransferReversal *string           `json:"source_transfer_reversal"`
	Status                 string            `json:"status"`
	TransferReversal       *string           `json:"transfer_reversal"`
}

func refundOf(r ledger.Refund) refundObject {
	object := refundObject{
		ID: r.ID, Object: "refund", Amount: r.Amount, BalanceTransaction: optional(r.Transfer), Charge: r.Charge,
		Created: r.Created.Unix(), Currency: r.Currency, Metadata: r.Metadata, PaymentIntent: optional(r.Intent),
		Reason: optional(r.Reason), Status: string(r.Status),
	}
	if r.Status == ledger.Failed {
		object.FailureReason = "declined" // the provider's own word means nothing to Stripe's clients
	}
	if object.Metadata == nil {
		object.Metadata = map[string]string{}
	}
	return object
}

// RenderRefund makes the answer that is stored with a refund and replayed: 201
// with Location, the 402 of one that the provider declined, or the 400 of one
// that its charge does not allow. It is pure, as [ledger.Options.RenderRefund]
// wants it. A declined refund is an error here, other than at Stripe: who
// looks at the status alone must not take it for money given back.
func RenderRefund(r ledger.Refund, of ledger.Charge, refused error) idem.Answer {
	switch {
	case refused != nil:
		return refusal(refusedRefund(of, refused), r.Request)
	case r.Status == ledger.Failed:
		return refusal(&Problem{
			Code: CodeRefundDeclined, DeclineCode: r.FailReason, Charge: r.Charge, Resource: pathOf(r.ID),
			Message: "The card provider has declined the refund. No money went back.",
		}, r.Request)
	}
	return created(r.ID, refundOf(r), r.Request)
}

// refusedRefund says why a charge does not allow a refund.
func refusedRefund(of ledger.Charge, refused error) *Problem {
	problem := &Problem{Code: CodeNotRefundable, Param: "charge", Charge: of.ID, Resource: pathOf(of.ID)}
	var why *ledger.RefusedError
	if !errors.As(refused, &why) || !errors.Is(why, ledger.ErrRefundTooLarge) {
		problem.Message = "The charge was never captured, so there is nothing to give back."
		return problem
	}
	if why.Left == 0 {
		problem.Code, problem.Message = CodeAlreadyRefunded, "All of the charge has been refunded, or is being refunded."
		return problem
	}
	problem.Code, problem.Param = CodeRefundTooLarge, "amount"
	problem.Message = "Only " + money(why.Left, why.Currency) + " of the charge are left to refund."
	return problem
}
