package ledger

import (
	"time"

	"chargeonce/idem"
)

// MaxAmount bounds a charge, in minor units (999,999.99 in a currency with two
// decimals). It is Stripe's bound, and so far below the range of int64 that a
// sum of charges overflows only after ninety thousand million of them.
const MaxAmount = 99_999_999

// Status is where a charge stands.
type Status string

const (
	// Pending: the key is claimed and nobody knows yet whether money moved. It
	// is left by commit 2 alone; an unknown outcome leaves it as it is, because
	// to call it failed would invite a second payment.
	Pending Status = "pending"
	// Succeeded: the provider has captured and the postings stand. Final.
	Succeeded Status = "succeeded"
	// Failed: the provider has declined for good; no money moved. Final.
	Failed Status = "failed"
)

// Charge is one payment by card. It is written as [Pending] in the transaction
// that claims its idempotency key, with all that is needed to call the provider
// without the client's body, since whoever resumes the work has no body.
type Charge struct {
	ID          string            `json:"id"` // "ch_…"
	Owner       string            `json:"owner"`
	Amount      int64             `json:"amount"`   // minor units: 5000 is €50.00, ¥5000, KWD 5.000
	Currency    string            `json:"currency"` // ISO 4217, lower case
	Card        string            `json:"card"`     // a test token, never a number
	Description string            `json:"description,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`

	Status         Status `json:"status"`
	Capture        string `json:"capture,omitempty"` // the provider's id, once it captured
	FailureCode    string `json:"failure_code,omitempty"`
	DeclineCode    string `json:"decline_code,omitempty"`
	FailureMessage string `json:"failure_message,omitempty"`

	Created  time.Time `json:"created"`            // wall clock, UTC
	Key      string    `json:"key"`                // the idempotency key that made it
	Request  string    `json:"request,omitempty"`  // id of the request that made it
	Version  string    `json:"version,omitempty"`  // of the API, as that request spoke it; empty: it did not say
	Transfer string    `json:"transfer,omitempty"` // of its postings, once succeeded

	// What was given back, and what is promised to refunds that are on their
	// way. Minor units; the two never exceed what was captured.
	AmountRefunded int64 `json:"amount_refunded,omitempty"`
	RefundReserved int64 `json:"refund_reserved,omitempty"`

	Intent string `json:"intent,omitempty"` // the payment intent that made it

	// Seq orders charges by creation; the store sets it when it first sees one.
	Seq uint64 `json:"seq"`
}

// ProviderKey is the idempotency key under which the provider hears of this
// charge: derived from our own durable id, so that every attempt, whichever
// process makes it, sends the same one.
func (c Charge) ProviderKey() string { return "cap_" + c.ID }

// captured is what the provider took, in minor units.
func (c Charge) captured() int64 {
	if c.Status != Succeeded {
		return 0
	}
	return c.Amount
}

// left is what can still be given back.
func (c Charge) left() int64 { return c.captured() - c.AmountRefunded - c.RefundReserved }

// ChargeRequest asks for one charge under one idempotency key.
type ChargeRequest struct {
	Key         idem.Key
	Fingerprint idem.Fingerprint
	Operation   string // "POST /v1/charges"
	Request     string // id of this request
	Version     string // of the API that it speaks, for those who are told; may be empty

	Amount      int64  // minor units, 1 to [MaxAmount]
	Currency    string // ISO 4217, lower case
	Card        string // a test token
	Description string
	Metadata    map[string]string

	// Wait bounds how long a busy request waits for the attempt at work. 0:
	// [Options.BusyWait]; negative: it does not wait.
	Wait time.Duration
}
