package api

// Code is the machine-readable name of a refusal, `error.code` on the wire.
type Code string

// The codes, grouped by who can mend the matter. Names are Stripe's where
// Stripe has them.
const (
	// The request's form.
	CodeBodyInvalid       Code = "body_invalid"            // not the form or JSON that it claims to be
	CodeBodyTooLarge      Code = "body_too_large"          // above [MaxBody]
	CodeBodyTimeout       Code = "body_timeout"            // the body did not arrive in time
	CodeMediaType         Code = "unsupported_media_type"  // neither form nor JSON
	CodeParamMissing      Code = "parameter_missing"       // a required parameter is absent
	CodeParamUnknown      Code = "parameter_unknown"       // a parameter that this endpoint does not know
	CodeParamInvalid      Code = "parameter_invalid"       // a wrong type, shape or length
	CodeAmountInvalid     Code = "amount_invalid"          // not 1 to [ledger.MaxAmount] minor units
	CodeCurrencyInvalid   Code = "currency_invalid"        // not ISO 4217 in lower case
	CodeTokenInvalid      Code = "token_invalid"           // not one of the test tokens
	CodeCardNumber        Code = "card_number_refused"     // a card number where it must not be
	CodeRouteMissing      Code = "route_missing"           // no such path
	CodeMethodNotAllowed  Code = "method_not_allowed"      // the path exists, the method does not
	CodeResourceMissing   Code = "resource_missing"        // no such object of this owner
	CodeKeyMissing        Code = "idempotency_key_missing" // no Idempotency-Key where one is required
	CodeKeyInvalid        Code = "idempotency_key_invalid" // not one key of 1 to 255 visible ASCII characters
	CodeCredentialMissing Code = "api_key_missing"         // no credential
	CodeCredentialInvalid Code = "api_key_invalid"         // a malformed or unknown credential
	CodeCredentialLive    Code = "api_key_live"            // a live key, which has no business here

	// The key's record.
	CodeKeyReused     Code = "idempotency_key_reused"     // the key belongs to another request
	CodeKeyInUse      Code = "idempotency_key_in_use"     // another attempt is at work
	CodeResultExpired Code = "idempotency_result_expired" // done, but the answer is no longer kept

	// The card.
	CodeCardDeclined   Code = "card_declined"
	CodeRefundDeclined Code = "refund_declined" // by the provider, for good; no money went back

	// The charge to refund.
	CodeRefundTooLarge  Code = "amount_too_large"        // more than is left
	CodeAlreadyRefunded Code = "charge_already_refunded" // nothing is left
	CodeNotRefundable   Code = "charge_not_refundable"   // it failed, or the intent has none
	CodeChargePending   Code = "charge_pending"          // nobody knows yet whether it was captured

	// The payment intent.
	CodeIntentState Code = "payment_intent_unexpected_state" // paid, being confirmed, or without a card

	// The cart.
	CodeQuantity     Code = "quantity_out_of_range" // fewer than none of a SKU, or too many
	CodeCartFull     Code = "cart_full"             // no room for another SKU
	CodeTooManyCarts Code = "too_many_carts"        // of one owner

	// The webhook endpoint.
	CodeTooManyEndpoints Code = "too_many_webhook_endpoints" // of one owner

	// The server.
	CodeRateLimited     Code = "rate_limit"       // too many requests in flight
	CodeOutcomeUnknown  Code = "outcome_unknown"  // it may have happened; the same key finds out
	CodeStorageFull     Code = "storage_full"     // nothing was written
	CodeUnavailable     Code = "unavailable"      // shutting down, or too busy to decide
	CodeProviderRefused Code = "provider_refused" // the provider calls our request wrong: our bug
	CodeInternal        Code = "internal_error"   // our bug
)
