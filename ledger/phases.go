package ledger

import (
	"fmt"

	"chargeonce/idem"
)

// ProviderCalled is the recovery point between [idem.Claimed] and [idem.Done]:
// the provider was called and its outcome is not known. It is written when an
// attempt gives the key back after a call, and left by commit 2.
//
// It is not written before the call, because that would be a third synced
// commit for every charge, only to learn what asking the provider tells
// better. So a record at claimed does not prove that nothing was sent (the
// process may have died in the call), and an attempt that resumes always asks
// the provider by key first, whatever the point says.
const ProviderCalled idem.Point = "provider_called"

// claimed is what commit 1 came to.
type claimed struct {
	idem.Decision
	charge Charge   // of the key, if the request holds it
	rows   []string // that the transaction wrote
}

// result is what a request that does not hold the key may answer.
func (c claimed) result() Result {
	r := Result{Outcome: c.Outcome, Reason: c.Reason, Record: c.Record}
	if c.Outcome != idem.Conflict { // then the key's charge is not this request's
		r.Charge = c.Record.Resource
	}
	if c.Outcome == idem.Busy {
		r.RetryAfter = RetryAfter
	}
	return r
}

// unknown is the result beside an error that leaves the key open.
func (c claimed) unknown() Result {
	r := c.result()
	r.RetryAfter = RetryAfter
	return r
}

// claim is phase 1: the key and, if it is new, the pending charge. It runs
// inside a transaction.
func claim(tx Tx, req ChargeRequest, fresh Charge, now idem.Now, terms idem.Terms) (claimed, error) {
	decision, err := idem.Begin(tx, idem.Claim{
		Key: req.Key, Fingerprint: req.Fingerprint,
		Operation: req.Operation, Resource: fresh.ID,
	}, now, terms)
	if err != nil {
		return claimed{}, err
	}
	if decision.Outcome == idem.Started {
		if err := tx.PutCharge(fresh); err != nil {
			return claimed{}, fmt.Errorf("store pending charge: %w", err)
		}
	}
	var charge Charge
	if decision.Outcome.Holds() {
		if charge, err = pending(tx, decision.Record.Resource); err != nil {
			return claimed{}, err
		}
	}
	return claimed{Decision: decision, charge: charge, rows: tx.Rows()}, nil
}

// pending reads the charge of an open record. Commit 1 wrote both and commit 2
// changes both, so anything but a pending charge is a contradiction.
func pending(tx Tx, id string) (Charge, error) {
	charge, found, err := tx.Charge(id)
	switch {
	case err != nil:
		return Charge{}, fmt.Errorf("read charge: %w", err)
	case !found:
		return Charge{}, fmt.Errorf("%w: the open record's charge %s is missing", ErrCorrupt, id)
	case charge.Status != Pending:
		return Charge{}, fmt.Errorf("%w: the open record's charge %s has %s", ErrCorrupt, id, charge.Status)
	}
	return charge, nil
}

// settled is what commit 2 came to.
type settled struct {
	record idem.Record
	charge Charge
	rows   []string
}

// settle is phase 2: the stored answer, the charge, its postings and its event,
// all or nothing. It runs inside a transaction. The fence comes first, so that an
// attempt that has lost its claim writes nothing at all.
func settle(tx Tx, mine idem.Record, next Charge, at idem.Now, answer idem.Answer, told *Event) (settled, error) {
	record, err := idem.Finish(tx, mine, answer, at)
	if err != nil {
		return settled{}, fmt.Errorf("finish key: %w", err)
	}
	if _, err := pending(tx, next.ID); err != nil {
		return settled{}, err
	}
	if next.Status == Succeeded {
		if err := tx.Post(captureTransfer(next, at.Wall)); err != nil {
			return settled{}, fmt.Errorf("post capture: %w", err)
		}
	}
	if err := tx.PutCharge(next); err != nil {
		return settled{}, fmt.Errorf("store settled charge: %w", err)
	}
	if told != nil {
		if err := tx.PutEvent(*told); err != nil {
			return settled{}, fmt.Errorf("store event: %w", err)
		}
	}
	return settled{record: record, charge: next, rows: tx.Rows()}, nil
}

// setBack gives the key up without an outcome. It runs inside a transaction.
func setBack(tx Tx, mine idem.Record, now idem.Now, called bool, why string) (idem.Record, error) {
	var err error
	if called && mine.Point != ProviderCalled {
		if mine, err = idem.Advance(tx, mine, ProviderCalled, now); err != nil {
			return idem.Record{}, fmt.Errorf("advance key: %w", err)
		}
	}
	if mine, err = idem.Release(tx, mine, now, why); err != nil {
		return idem.Record{}, fmt.Errorf("release key: %w", err)
	}
	return mine, nil
}

// settledBy is the charge after the provider's definite answer.
func (c Charge) settledBy(captured Captured) Charge {
	if captured.Declined {
		c.Status, c.FailureCode = Failed, "card_declined"
		c.DeclineCode, c.FailureMessage = captured.DeclineCode, "The card was declined."
		if c.DeclineCode == "" {
			c.DeclineCode = "generic_decline" // Stripe's word for a decline without a reason
		}
		return c
	}
	c.Status, c.Capture, c.Transfer = Succeeded, captured.ID, transferID(c)
	return c
}

// storable checks the rule of [idem.Answer], and signs the answer with the
// request that made the charge.
func storable(answer idem.Answer, c Charge) (idem.Answer, error) {
	if answer.Status < 200 || answer.Status > 499 {
		return idem.Answer{}, fmt.Errorf("ledger: an answer of status %d may not be stored", answer.Status)
	}
	if answer.Request == "" {
		answer.Request = c.Request
	}
	return answer, nil
}
