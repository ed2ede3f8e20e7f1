package ledger

import "fmt"

// pending reads the work of an open record by the id of what it makes. Commit 1
// wrote both and commit 2 changes both, so anything but pending work is a
// contradiction.
func pending(tx finder, id string) (Work, error) {
	w, err := find(tx, id)
	switch {
	case err != nil:
		return Work{}, err
	case w.ID() == "":
		return Work{}, fmt.Errorf("%w: the open record's work %s is missing", ErrCorrupt, id)
	case w.Status() != Pending:
		return Work{}, fmt.Errorf("%w: the open record's work %s has %s", ErrCorrupt, id, w.Status())
	case w.IsRefund() && w.Charge.RefundReserved < w.Refund.Amount:
		return Work{}, fmt.Errorf("%w: nothing is set aside for %s", ErrCorrupt, id)
	}
	return w, nil
}

// finder reads objects by id: a transaction, or a snapshot.
type finder interface {
	Charge(id string) (c Charge, found bool, err error)
	Refund(id string) (r Refund, found bool, err error)
	Intent(id string) (i Intent, found bool, err error)
}

// find reads the charge, the refund or the intent of this id, with what belongs
// to it; zero if there is none.
func find(tx finder, id string) (w Work, err error) {
	var found bool
	if w.Charge, found, err = tx.Charge(id); err != nil {
		return w, err
	} else if found {
		return w.withIntent(tx)
	}
	charge := ""
	if w.Refund, found, err = tx.Refund(id); err != nil {
		return w, err
	} else if found {
		charge = w.Refund.Charge
	} else if w.Intent, _, err = tx.Intent(id); err != nil {
		return w, err
	} else {
		charge = w.Intent.Charge
	}
	if charge == "" {
		return w, nil
	}
	if w.Charge, found, err = tx.Charge(charge); err == nil && !found {
		err = fmt.Errorf("%w: charge %s of %s is missing", ErrCorrupt, charge, id)
	}
	return w, err
}

// withIntent adds the intent of a charge that has one: such a charge, under its
// own id, is what a confirmation is about.
func (w Work) withIntent(tx finder) (Work, error) {
	if w.Charge.Intent == "" {
		return w, nil
	}
	var found bool
	var err error
	if w.Intent, found, err = tx.Intent(w.Charge.Intent); err == nil && !found {
		err = fmt.Errorf("%w: intent %s of %s is missing", ErrCorrupt, w.Charge.Intent, w.Charge.ID)
	}
	return w, err
}
