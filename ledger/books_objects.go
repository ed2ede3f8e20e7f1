package ledger

import (
	"fmt"

	"chargeonce/ledger/badgerdb"
)

// PutRefund implements [Objects].
func (tx *bookTx) PutRefund(r Refund) error {
	old, found, err := tx.Refund(r.ID)
	if err != nil {
		return err
	}
	if found {
		if err := old.mayBecome(r); err != nil {
			return err
		}
		r.Seq = old.Seq
		return tx.set(rowRefund+r.ID, r)
	}
	if r.Seq, err = tx.next(counterRefund, 1); err != nil {
		return err
	}
	for _, list := range []string{rowRefunds + r.Owner, rowChargeRefunds + r.Charge} {
		if err := tx.setNumbered(list+"/", r.Seq, r.ID); err != nil {
			return err
		}
	}
	return tx.set(rowRefund+r.ID, r)
}

// mayBecome is the life of a refund: pending until settled, and final then.
func (r Refund) mayBecome(next Refund) error {
	switch {
	case r.Status != Pending && next.Status != r.Status:
		return fmt.Errorf("%w: refund %s was %s, cannot become %s", ErrCorrupt, r.ID, r.Status, next.Status)
	case r.Owner != next.Owner || r.Charge != next.Charge || r.Amount != next.Amount || r.Key != next.Key:
		return fmt.Errorf("%w: refund %s cannot become another", ErrCorrupt, r.ID)
	}
	return nil
}

// PutIntent implements [Objects].
func (tx *bookTx) PutIntent(i Intent) error {
	old, found, err := tx.Intent(i.ID)
	if err != nil {
		return err
	}
	if found {
		if err := tx.mayConfirm(old, i); err != nil {
			return err
		}
		i.Seq = old.Seq
		return tx.set(rowIntent+i.ID, i)
	}
	seq, err := tx.next(counterIntent, 1)
	if err != nil {
		return err
	}
	i.Seq = seq
	if err := tx.setNumbered(rowIntents+i.Owner+"/", seq, i.ID); err != nil {
		return err
	}
	return tx.set(rowIntent+i.ID, i)
}

// mayConfirm is the life of an intent: confirmed, it gets a charge; declined, it
// may get another. It is the engine's own guard that no intent is paid twice.
func (tx *bookTx) mayConfirm(old, next Intent) error {
	switch {
	case old.Owner != next.Owner || old.Amount != next.Amount || old.Currency != next.Currency || old.Key != next.Key:
		return fmt.Errorf("%w: intent %s cannot become another payment", ErrCorrupt, old.ID)
	case next.Charge == "" || next.Charge == old.Charge:
		return fmt.Errorf("%w: intent %s changes by a confirmation alone", ErrCorrupt, old.ID)
	case old.Charge == "":
		return nil
	}
	last, _, err := tx.Charge(old.Charge)
	if err == nil && last.Status != Failed {
		err = fmt.Errorf("%w: intent %s has charge %s, which did not fail", ErrCorrupt, old.ID, old.Charge)
	}
	return err
}

// Refund implements [Objects] and [ObjectReader].
func (r bookReader) Refund(id string) (Refund, bool, error) {
	return badgerdb.GetJSON[Refund](r.inner, rowRefund+id)
}

// Refunds implements [ObjectReader].
func (r bookReader) Refunds(owner string, page Page) ([]Refund, bool, error) {
	return r.refunds(rowRefunds+owner+"/", page, func(edge Refund) bool { return edge.Owner == owner })
}

// RefundsOf implements [ObjectReader].
func (r bookReader) RefundsOf(charge string, page Page) ([]Refund, bool, error) {
	return r.refunds(rowChargeRefunds+charge+"/", page, func(edge Refund) bool { return edge.Charge == charge })
}

func (r bookReader) refunds(list string, page Page, on func(Refund) bool) ([]Refund, bool, error) {
	ids, more, err := r.page(list, page, func(id string) (uint64, bool, error) {
		edge, found, err := r.Refund(id)
		return edge.Seq, found && on(edge), err
	})
	if err != nil {
		return nil, false, err
	}
	all, err := follow(ids, r.Refund)
	return all, more, err
}

// Intent implements [Objects] and [ObjectReader].
func (r bookReader) Intent(id string) (Intent, bool, error) {
	return badgerdb.GetJSON[Intent](r.inner, rowIntent+id)
}

// Intents implements [ObjectReader].
func (r bookReader) Intents(owner string, page Page) ([]Intent, bool, error) {
	ids, more, err := r.page(rowIntents+owner+"/", page, func(id string) (uint64, bool, error) {
		edge, found, err := r.Intent(id)
		return edge.Seq, found && edge.Owner == owner, err
	})
	if err != nil {
		return nil, false, err
	}
	all, err := follow(ids, r.Intent)
	return all, more, err
}
