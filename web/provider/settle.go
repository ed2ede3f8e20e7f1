package provider

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

// forever is how long the provider remembers: longer than anybody resumes. It
// stays far from the largest duration, so that adding it to a date is safe.
const forever = 100 * 365 * 24 * time.Hour

// terms make the provider's keys immortal. No lease is ever seen at work: a
// claim is taken and settled, or given back, in one transaction.
var terms = idem.Terms{Retain: forever, Tombstone: forever}

// declineRefund is the reason of the one definite no to a refund.
const declineRefund = "refund_exceeds_capture"

// verdict is what the transaction made of a request.
type verdict struct {
	op      Operation // as it stands in the book now
	outcome string
	answer  idem.Answer
	first   bool // the first request of its key
}

// settle decides a request in one synced transaction: the key's record, the
// operation and the stored answer become true together or not at all.
func (p *Provider) settle(ctx context.Context, o order) (verdict, error) {
	id, now := newID(), idem.At(p.now(), 0)
	var v verdict
	err := p.db.Update(ctx, func(tx *badgerdb.Tx) (err error) {
		v, err = settle(rows{tx, p.account}, o, id, now)
		return err
	})
	if err != nil {
		return verdict{}, fmt.Errorf("settle %s: %w", o.operation, err)
	}
	return v, nil
}

// settle runs inside the transaction, maybe more than once: it returns what it
// found and lets nothing else out. Every request that it decides counts as
// seen, whatever comes of it.
func settle(b rows, o order, id string, now idem.Now) (verdict, error) {
	claim := idem.Claim{Key: o.key, Fingerprint: o.print, Operation: o.operation, Resource: id}
	d, err := idem.Begin(b.tx, claim, now, terms)
	if err != nil {
		return verdict{}, err
	}
	row := b.operationRow(o.key)
	op, err := b.seen(row, o.key)
	if err != nil {
		return verdict{}, err
	}
	switch d.Outcome {
	case idem.Started, idem.Resumed:
		return work(b, o, d, row, op, now)
	case idem.Replay:
		return verdict{op: op, outcome: OutcomeReplay, answer: d.Record.Answer}, nil
	case idem.Conflict:
		return refused(op, OutcomeConflict, &refusal{http.StatusConflict, codeKeyReused, d.Reason})
	default: // somebody else's claim in a shared store: nothing is known yet
		return refused(op, OutcomeUnavailable, &refusal{http.StatusConflict, codeKeyInUse, d.Reason})
	}
}

// seen counts a request in the operation of its key.
func (b rows) seen(row string, key idem.Key) (Operation, error) {
	op, _, err := badgerdb.GetJSON[Operation](b.tx, row)
	if err != nil {
		return Operation{}, fmt.Errorf("read operation: %w", err)
	}
	op.Key = key.Value
	op.Seen++
	return op, badgerdb.SetJSON(b.tx, row, op)
}

// work does what the key was claimed for, and finishes or releases the claim.
func work(b rows, o order, d idem.Decision, row string, op Operation, now idem.Now) (verdict, error) {
	first := d.Outcome == idem.Started
	if o.card.quirk == quirkFails && first {
		if _, err := idem.Release(b.tx, d.Record, now, "scripted outage"); err != nil {
			return verdict{}, err
		}
		op.Reference, op.Amount, op.Currency = o.reference, o.amount, o.currency
		return refused(op, OutcomeUnavailable, errUnavailable)
	}
	op.ID, op.Amount, op.At = prefix(o)+d.Record.Resource, o.amount, now.Wall
	op, err := decide(b, o, op)
	if err != nil {
		return verdict{}, err
	}
	answer, err := render(op)
	if err != nil {
		return verdict{}, err
	}
	if _, err := idem.Finish(b.tx, d.Record, answer, now); err != nil {
		return verdict{}, err
	}
	return verdict{op, op.Status, answer, first}, b.decided(row, op)
}

func prefix(o order) string {
	if o.capture != "" {
		return "rfd_"
	}
	return "cpt_"
}

// decide fixes the fate of an operation. Its answers are final.
func decide(b rows, o order, op Operation) (Operation, error) {
	if o.capture != "" {
		return decideRefund(b, o, op)
	}
	op.Reference, op.Currency, op.Status = o.reference, o.currency, StatusCaptured
	if o.card.declineCode != "" {
		op.Status, op.DeclineCode = StatusDeclined, o.card.declineCode
	}
	return op, nil
}

// decideRefund guards the one rule of refunds: their sum never exceeds the
// capture. The sum is read and written on the capture's own row, so two
// refunds cannot both see room for themselves.
func decideRefund(b rows, o order, op Operation) (Operation, error) {
	capture, row, known, err := b.captured(o.capture)
	if err != nil {
		return Operation{}, fmt.Errorf("read capture: %w", err)
	}
	if !known {
		return Operation{}, errNoCapture
	}
	op.Reference, op.Currency, op.Capture = capture.Reference, capture.Currency, capture.ID
	if o.amount > capture.Amount-capture.Refunded {
		op.Status, op.DeclineCode = StatusDeclined, declineRefund
		return op, nil
	}
	capture.Refunded += o.amount
	op.Status = StatusRefunded
	return op, badgerdb.SetJSON(b.tx, row, capture)
}

// refused is a verdict that leaves the book's operation as it is.
func refused(op Operation, outcome string, why *refusal) (verdict, error) {
	answer, err := why.answer()
	return verdict{op: op, outcome: outcome, answer: answer}, err
}
