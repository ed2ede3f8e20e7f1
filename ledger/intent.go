package ledger

import (
	"context"
	"fmt"
	"maps"
	"time"

	"chargeonce/idem"
)

// Intent is a payment intent: a payment as the customer means it, with the
// charge that carries it out, if it was confirmed. All that ever changes about
// it is which charge (and which card) that is: it gets one with each
// confirmation, and a new one only after the last was declined. How far it has
// come is the charge's to say.
type Intent struct {
	ID          string            `json:"id"` // "pi_…"
	Owner       string            `json:"owner"`
	Amount      int64             `json:"amount"`         // minor units
	Currency    string            `json:"currency"`       // ISO 4217, lower case
	Card        string            `json:"card,omitempty"` // a test token; empty: none was given yet
	Description string            `json:"description,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`

	Charge  string    `json:"charge,omitempty"` // of the latest confirmation; empty: there was none
	Created time.Time `json:"created"`          // wall clock, UTC
	Key     string    `json:"key"`              // the idempotency key that made it, not those that confirmed it
	Request string    `json:"request,omitempty"`

	// Seq orders intents by creation; the store sets it when it first sees one.
	Seq uint64 `json:"seq"`
}

// IntentStatus is how far a payment intent has come, in Stripe's words
// (https://docs.stripe.com/payments/paymentintents/lifecycle).
type IntentStatus string

const (
	// IntentRequiresPaymentMethod: no card was given, or it was declined.
	IntentRequiresPaymentMethod IntentStatus = "requires_payment_method"
	// IntentRequiresConfirmation: it has a card, and waits to be confirmed.
	IntentRequiresConfirmation IntentStatus = "requires_confirmation"
	// IntentProcessing: its charge is pending.
	IntentProcessing IntentStatus = "processing"
	// IntentSucceeded: its charge has succeeded. Final.
	IntentSucceeded IntentStatus = "succeeded"
)

// Status works out how far the intent has come, given its charge (zero where
// it has none).
func (i Intent) Status(c Charge) IntentStatus {
	switch {
	case i.Charge == "" && i.Card != "":
		return IntentRequiresConfirmation
	case i.Charge == "" || c.Status == Failed:
		return IntentRequiresPaymentMethod
	case c.Status == Succeeded:
		return IntentSucceeded
	}
	return IntentProcessing
}

// IntentRequest asks for one payment intent under one idempotency key. Without
// Confirm, Card may be empty.
type IntentRequest struct {
	ChargeRequest
	Confirm bool // charge the card now
}

// Intent makes a payment intent, once per key. Confirmed, it is a charge in
// every respect; see [Ledger.Charge]. Not confirmed, it is written and answered
// by one commit, and the provider is not asked. [Options.RenderIntent] makes
// the answer that is stored.
func (l *Ledger) Intent(ctx context.Context, req IntentRequest) (Result, error) {
	if err := req.Validate(); err != nil {
		return Result{}, err
	}
	return l.do(ctx, l.intentTask(req))
}

func (l *Ledger) intentTask(req IntentRequest) task {
	return task{
		claim:   idem.Claim{Key: req.Key, Fingerprint: req.Fingerprint, Operation: req.Operation},
		request: req.Request,
		wait:    req.Wait,
		names:   func(id string) Result { return Result{Intent: id} },
		fresh: func() (string, start) {
			fresh := Intent{
				ID: l.opts.NewID("pi_"), Owner: req.Key.Owner, Amount: req.Amount, Currency: req.Currency, Card: req.Card,
				Description: req.Description, Metadata: maps.Clone(req.Metadata), Key: req.Key.Value, Request: req.Request,
			}
			charge := l.pendingCharge(req.ChargeRequest)
			charge.Intent = fresh.ID
			return fresh.ID, func(tx Tx, now idem.Now) (started, error) {
				fresh.Created, charge.Created = now.Wall, now.Wall
				if req.Confirm {
					return startConfirmed(tx, fresh, charge)
				}
				return l.startWaiting(tx, fresh)
			}
		},
	}
}

// startConfirmed is phase 1 of an intent that is carried out at once. It runs
// inside a transaction.
func startConfirmed(tx Tx, i Intent, c Charge) (started, error) {
	i.Charge = c.ID
	if err := tx.PutIntent(i); err != nil {
		return started{}, fmt.Errorf("store intent: %w", err)
	}
	begun, err := startCharge(tx, c)
	begun.work.Intent = i
	return begun, err
}

// startWaiting writes an intent that nobody has confirmed: all there is to do.
// It runs inside a transaction.
func (l *Ledger) startWaiting(tx Tx, i Intent) (started, error) {
	if err := tx.PutIntent(i); err != nil {
		return started{}, fmt.Errorf("store intent: %w", err)
	}
	answer := l.opts.RenderIntent(i, Charge{})
	return started{work: Work{Intent: i}, answer: &answer}, nil
}
