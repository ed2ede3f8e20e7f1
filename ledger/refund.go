package ledger

import (
	"context"
	"fmt"
	"maps"
	"time"

	"chargeonce/idem"
)

// Refund gives a part of a captured charge back, or all of it. It is written as
// [Pending] in the transaction that claims its key, and that transaction sets
// its amount aside on the charge's own row: two refunds that fit alone and not
// together meet on that row, and the second finds too little left. The amount
// stays set aside until the provider has answered: it is given back ([Succeeded])
// or free again ([Failed]); an unknown outcome keeps it.
type Refund struct {
	ID       string            `json:"id"` // "re_…"
	Owner    string            `json:"owner"`
	Charge   string            `json:"charge"`
	Intent   string            `json:"intent,omitempty"` // the payment intent that made the charge
	Amount   int64             `json:"amount"`           // minor units
	Currency string            `json:"currency"`         // the charge's
	Reason   string            `json:"reason,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`

	Status     Status `json:"status"`
	Capture    string `json:"capture"`               // the provider's id of what is given back
	Reference  string `json:"reference,omitempty"`   // the provider's id of the refund, once it refunded
	FailReason string `json:"fail_reason,omitempty"` // the provider's word, where it declined

	Created  time.Time `json:"created"` // wall clock, UTC
	Key      string    `json:"key"`     // the idempotency key that made it
	Request  string    `json:"request,omitempty"`
	Version  string    `json:"version,omitempty"`  // as in [Charge]
	Transfer string    `json:"transfer,omitempty"` // of its postings, once succeeded

	// Seq orders refunds by creation; the store sets it when it first sees one.
	Seq uint64 `json:"seq"`
}

// ProviderKey is the idempotency key under which the provider hears of this
// refund: like a charge's it is derived from our own durable id.
func (r Refund) ProviderKey() string { return "ref_" + r.ID }

// RefundRequest asks for one refund under one idempotency key.
type RefundRequest struct {
	Key         idem.Key
	Fingerprint idem.Fingerprint
	Operation   string // "POST /v1/refunds"
	Request     string // id of this request
	Version     string // as in [ChargeRequest]

	Charge   string // id of the charge
	Amount   int64  // minor units; 0: all that is left
	Reason   string
	Metadata map[string]string

	// Wait is as in [ChargeRequest].
	Wait time.Duration
}

// Refund makes the refund that the request asks for, once per key; see
// [Ledger.Charge], whose rules and errors are its own too. The amount is set
// aside in the commit that claims the key, so the refunds of a charge never
// exceed it, at any instant.
//
// Two refusals come before the claim and are not stored: [ErrNotFound] where
// the owner has no such charge, and [ErrChargePending] where nobody knows yet
// whether the charge was captured. A refund that the charge does not allow is a
// definite answer, made by [Options.RenderRefund] out of a [*RefusedError] and
// stored and replayed like any other: the error is then nil.
func (l *Ledger) Refund(ctx context.Context, req RefundRequest) (Result, error) {
	if err := req.Validate(); err != nil {
		return Result{}, err
	}
	err := l.opts.Store.View(ctx, func(r Reader) error { return req.refundable(r) })
	if err != nil {
		return Result{}, fmt.Errorf("refund: %w", err)
	}
	return l.do(ctx, l.refundTask(req))
}

// refundable looks at the charge before the claim. What it refuses cannot have
// been claimed before: charges do not vanish, nor do they become pending again.
func (req RefundRequest) refundable(r Reader) error {
	c, found, err := r.Charge(req.Charge)
	switch {
	case err != nil:
		return err
	case !found || c.Owner != req.Key.Owner:
		return fmt.Errorf("%w: %s", ErrNotFound, "the charge to refund")
	case c.Status == Pending:
		return ErrChargePending
	}
	return nil
}

func (l *Ledger) refundTask(req RefundRequest) task {
	return task{
		claim:   idem.Claim{Key: req.Key, Fingerprint: req.Fingerprint, Operation: req.Operation},
		request: req.Request,
		wait:    req.Wait,
		names:   func(id string) Result { return Result{Refund: id, Charge: req.Charge} },
		fresh: func() (string, start) {
			fresh := Refund{
				ID: l.opts.NewID("re_"), Owner: req.Key.Owner, Charge: req.Charge, Status: Pending,
				Reason: req.Reason, Metadata: maps.Clone(req.Metadata), Key: req.Key.Value, Request: req.Request, Version: req.Version,
			}
			return fresh.ID, func(tx Tx, now idem.Now) (started, error) {
				return l.startRefund(tx, fresh, req.Amount, now)
			}
		},
	}
}

// startRefund is phase 1 of a refund whose key is new: set aside, or refuse. It
// runs inside a transaction.
func (l *Ledger) startRefund(tx Tx, r Refund, amount int64, now idem.Now) (started, error) {
	c, found, err := tx.Charge(r.Charge)
	if err != nil {
		return started{}, err
	}
	if !found {
		return started{}, fmt.Errorf("%w: charge %s was there a moment ago", ErrCorrupt, r.Charge)
	}
	r.Created, r.Currency, r.Intent, r.Capture = now.Wall, c.Currency, c.Intent, c.Capture
	reserved, err := c.reserve(amount)
	if err != nil {
		r.Amount, r.Status = amount, Failed
		answer := l.opts.RenderRefund(r, c, err)
		return started{work: Work{Charge: c, Refund: r}, answer: &answer}, nil
	}
	r.Amount = reserved.RefundReserved - c.RefundReserved
	if err := tx.PutCharge(reserved); err != nil {
		return started{}, fmt.Errorf("set the refund aside: %w", err)
	}
	if err := tx.PutRefund(r); err != nil {
		return started{}, fmt.Errorf("store pending refund: %w", err)
	}
	return started{work: Work{Charge: reserved, Refund: r}}, nil
}

// reserve is the charge with the amount set aside, 0 for all that is left; or a
// [*RefusedError].
func (c Charge) reserve(amount int64) (Charge, error) {
	switch {
	case c.Status != Succeeded:
		return Charge{}, &RefusedError{Err: ErrNotRefundable, Charge: c.ID}
	case c.left() < max(amount, 1):
		return Charge{}, &RefusedError{Err: ErrRefundTooLarge, Charge: c.ID, Left: c.left(), Currency: c.Currency}
	case amount == 0:
		amount = c.left()
	}
	c.RefundReserved += amount
	return c, nil
}

// settledBy is the refund after the provider's definite answer.
func (r Refund) settledBy(answer Refunded) Refund {
	if answer.Declined {
		r.Status, r.FailReason = Failed, answer.DeclineCode
		return r
	}
	r.Status, r.Reference, r.Transfer = Succeeded, answer.ID, refundTransferID(r)
	return r
}

// release is the charge once a refund of it is settled: nothing is set aside
// for it any more, and what went back is counted.
func (c Charge) release(r Refund) Charge {
	c.RefundReserved -= r.Amount
	if r.Status == Succeeded {
		c.AmountRefunded += r.Amount
	}
	return c
}

func refundTransferID(r Refund) string { return "tr_" + r.ID }

// refundTransfer books a refund: the capture's transfer the other way round.
func refundTransfer(r Refund, at time.Time) Transfer {
	return Transfer{ID: refundTransferID(r), At: at, Legs: []Leg{
		{Account: OwnerAccount(r.Owner), Amount: r.Amount, Currency: r.Currency},
		{Account: ReceivableAccount, Amount: -r.Amount, Currency: r.Currency},
	}}
}
