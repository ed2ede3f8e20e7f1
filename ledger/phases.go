package ledger

import (
	"cmp"
	"fmt"
	"time"

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
	request string   // id of the request that asked
	work    Work     // of the key, if the request holds it
	rows    []string // that the transaction wrote
	names   func(id string) Result
}

// answered reports whether commit 1 was all: the key was new, and its answer
// stands without anybody having been asked.
func (c claimed) answered() bool { return c.Outcome == idem.Started && !c.Record.Open() }

// claim is phase 1: the key and, if it is new, the pending work or the answer.
// It runs inside a transaction.
func claim(tx Tx, c idem.Claim, begin start, now idem.Now, terms idem.Terms) (claimed, error) {
	decision, err := idem.Begin(tx, c, now, terms)
	if err != nil {
		return claimed{}, err
	}
	all := claimed{Decision: decision}
	switch decision.Outcome {
	case idem.Started:
		begun, err := begin(tx, now)
		if err != nil {
			return claimed{}, err
		}
		all.work = begun.work
		if begun.answer != nil {
			if all.Record, err = finishAtOnce(tx, decision.Record, begun, now); err != nil {
				return claimed{}, err
			}
		}
	case idem.Resumed:
		if all.work, err = pending(tx, decision.Record.Resource); err != nil {
			return claimed{}, err
		}
	}
	all.rows = tx.Rows()
	return all, nil
}

// startCharge is phase 1 of a charge whose key is new.
func startCharge(tx Tx, c Charge) (started, error) {
	if err := tx.PutCharge(c); err != nil {
		return started{}, fmt.Errorf("store pending charge: %w", err)
	}
	return started{work: Work{Charge: c}}, nil
}

// settled is what commit 2 came to.
type settled struct {
	record idem.Record
	work   Work
	rows   []string
}

// settle is phase 2: the stored answer, the work, its postings and its events,
// all or nothing. It runs inside a transaction. The fence comes first, so that an
// attempt that has lost its claim writes nothing at all.
func settle(tx Tx, mine idem.Record, next Work, at idem.Now, answer idem.Answer, tell announcement) (settled, error) {
	record, err := finish(tx, mine, answer, at)
	if err != nil {
		return settled{}, err
	}
	now, err := pending(tx, mine.Resource)
	if err != nil {
		return settled{}, err
	}
	if next.IsRefund() { // the charge may have had other refunds meanwhile
		next.Charge = now.Charge.release(next.Refund)
	}
	if err := put(tx, next, at.Wall); err != nil {
		return settled{}, err
	}
	events, err := tell(tx, next)
	if err != nil {
		return settled{}, fmt.Errorf("make events: %w", err)
	}
	for _, told := range events {
		if err := tx.PutEvent(told); err != nil {
			return settled{}, fmt.Errorf("store event: %w", err)
		}
	}
	return settled{record: record, work: next, rows: tx.Rows()}, nil
}

// put books settled work. Only what succeeded moves money.
func put(tx Tx, w Work, at time.Time) error {
	if w.Status() == Succeeded {
		transfer := captureTransfer(w.Charge, at)
		if w.IsRefund() {
			transfer = refundTransfer(w.Refund, at)
		}
		if err := tx.Post(transfer); err != nil {
			return fmt.Errorf("post %s: %w", w.ID(), err)
		}
	}
	if w.IsRefund() {
		if err := tx.PutRefund(w.Refund); err != nil {
			return fmt.Errorf("store settled refund: %w", err)
		}
	}
	if err := tx.PutCharge(w.Charge); err != nil {
		return fmt.Errorf("store settled charge: %w", err)
	}
	return nil
}

// finishAtOnce answers in the commit that claims.
func finishAtOnce(tx Tx, mine idem.Record, begun started, now idem.Now) (idem.Record, error) {
	answer, err := storable(*begun.answer, begun.work.Request())
	if err != nil {
		return idem.Record{}, err
	}
	return finish(tx, mine, answer, now)
}

// finish stores an answer with its record.
func finish(tx Tx, mine idem.Record, answer idem.Answer, now idem.Now) (idem.Record, error) {
	record, err := idem.Finish(tx, mine, answer, now)
	if err != nil {
		return idem.Record{}, fmt.Errorf("finish key: %w", err)
	}
	return record, nil
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
// request that made the work.
func storable(answer idem.Answer, request string) (idem.Answer, error) {
	if answer.Status < 200 || answer.Status > 499 {
		return idem.Answer{}, fmt.Errorf("ledger: an answer of status %d may not be stored", answer.Status)
	}
	answer.Request = cmp.Or(answer.Request, request)
	return answer, nil
}
