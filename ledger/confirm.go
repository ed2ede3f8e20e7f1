package ledger

import (
	"context"
	"fmt"
	"time"

	"chargeonce/idem"
)

// ConfirmRequest asks once, under one idempotency key, that a payment intent be
// carried out.
type ConfirmRequest struct {
	Key         idem.Key
	Fingerprint idem.Fingerprint
	Operation   string // "POST /v1/payment_intents/{id}/confirm"
	Request     string // id of this request
	Version     string // as in [ChargeRequest]

	Intent string // id of the intent
	Card   string // a test token; empty: the one that the intent waits with

	// Wait is as in [ChargeRequest].
	Wait time.Duration
}

// Confirm carries a payment intent out, once per key; see [Ledger.Charge], whose
// rules and errors are its own too. The commit that claims the key also writes
// the charge and makes it the intent's, so that of two confirmations under two
// keys the second finds the first's charge there. An intent that was declined
// may be confirmed anew, with a card and under another key: it then has another
// charge, and never two that succeeded.
//
// Two refusals are not stored, and leave the key free: [ErrNotFound] where the
// owner has no such intent, and [ErrIntentProcessing], in a [*IntentError],
// while its charge is pending. What else the intent does not allow is a
// definite answer, made by [Options.RenderUnconfirmed] out of a [*IntentError]
// and stored and replayed like any other: the error is then nil.
func (l *Ledger) Confirm(ctx context.Context, req ConfirmRequest) (Result, error) {
	if err := req.Validate(); err != nil {
		return Result{}, err
	}
	return l.do(ctx, l.confirmTask(req))
}

// confirmTask stands under the id of the charge and not of the intent: the
// intent may see several confirmations, and each key is about its own.
func (l *Ledger) confirmTask(req ConfirmRequest) task {
	return task{
		claim:   idem.Claim{Key: req.Key, Fingerprint: req.Fingerprint, Operation: req.Operation},
		request: req.Request,
		wait:    req.Wait,
		names:   func(string) Result { return Result{Intent: req.Intent} },
		fresh: func() (string, start) {
			id := l.opts.NewID("ch_")
			return id, func(tx Tx, now idem.Now) (started, error) { return l.startConfirm(tx, req, id, now) }
		},
	}
}

// startConfirm is phase 1 of a confirmation whose key is new: the charge and the
// intent that it is for, or a refusal. It runs inside a transaction.
func (l *Ledger) startConfirm(tx Tx, req ConfirmRequest, id string, now idem.Now) (started, error) {
	w, err := find(tx, req.Intent)
	if err != nil {
		return started{}, err
	}
	if w.Intent.ID != req.Intent || w.Intent.Owner != req.Key.Owner {
		return started{}, fmt.Errorf("%w: the payment intent to confirm", ErrNotFound)
	}
	i := w.Intent
	if i.Card, err = w.cardFor(req.Card); err != nil {
		return l.unconfirmed(req, w, err)
	}
	c := Charge{
		ID: id, Owner: i.Owner, Status: Pending, Amount: i.Amount, Currency: i.Currency, Card: i.Card,
		Description: i.Description, Metadata: i.Metadata, Created: now.Wall, Key: req.Key.Value, Request: req.Request, Version: req.Version, Intent: i.ID,
	}
	return startConfirmed(tx, i, c)
}

// cardFor is the card that a confirmation charges, or why it may not charge
// any. A card that was declined is not tried again unasked.
func (w Work) cardFor(asked string) (card string, refused error) {
	switch status := w.Intent.Status(w.Charge); {
	case status == IntentProcessing:
		return "", ErrIntentProcessing
	case status == IntentSucceeded:
		return "", ErrIntentSucceeded
	case asked != "":
		return asked, nil
	case status == IntentRequiresConfirmation:
		return w.Intent.Card, nil
	}
	return "", ErrIntentNeedsCard
}

// unconfirmed refuses: for good, with an answer that is stored, or for the
// moment, with nothing written. A pending charge may yet be declined, and the
// same key may then go through.
func (l *Ledger) unconfirmed(req ConfirmRequest, w Work, why error) (started, error) {
	refused := &IntentError{Err: why, Intent: w.Intent, Charge: w.Charge}
	if why == ErrIntentProcessing {
		return started{}, refused
	}
	answer := l.opts.RenderUnconfirmed(refused)
	if answer.Request == "" { // the intent would name the request that made it
		answer.Request = req.Request
	}
	return started{answer: &answer}, nil
}

// Validate is as that of [ChargeRequest].
func (r ConfirmRequest) Validate() error {
	if err := validClaim(r.Key, r.Fingerprint); err != nil {
		return err
	}
	if r.Intent == "" || len(r.Intent) > MaxID {
		return &InvalidError{"id", "not the id of a payment intent"}
	}
	if r.Card != "" && !validCard(r.Card) {
		return errCard
	}
	return nil
}
