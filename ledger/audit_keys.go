package ledger

import (
	"errors"
	"strings"
	"time"

	"chargeonce/idem"
)

// checkRecords goes through all records, list by list, and follows each to
// what its key made.
func (a *audit) checkRecords() error {
	for _, list := range Lists {
		err := a.r.Agenda(list, time.Time{}, func(d Due) (bool, error) {
			a.listed[d.Record.Key] = true
			return true, a.checkRecord(d.Record)
		})
		if errors.Is(err, ErrCorrupt) {
			a.breach("the list "+string(list), "cannot be read: %v", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *audit) checkRecord(r idem.Record) error {
	if id, ok := CartOf(r.Resource); ok {
		return a.checkCart(r, id)
	}
	if strings.HasPrefix(r.Resource, "we_") && !r.Open() {
		return nil // one commit made the endpoint, and it may have been deleted since
	}
	subject := r.Key.String()
	w, err := find(a.r, r.Resource)
	switch {
	case errors.Is(err, ErrCorrupt):
		a.breach(subject, "has a record over what is not whole: %v", err)
	case err != nil:
		return err
	case w.ID() == "" && (r.Open() || r.Answer.Status < 400): // a refusal makes nothing
		a.breach(subject, "has a record at %s, but no %s that it made", r.Point, r.Resource)
	case w.ID() == "":
	case w.Key().Owner != r.Key.Owner:
		a.breach(subject, "has a record over %s, which is another owner's", r.Resource)
	case r.Open() != (w.Status() == Pending && owns(r, w)):
		a.breach(subject, "has a record at %s, but %s is %s", r.Point, w.ID(), w.Status())
	}
	return nil
}

// owns reports whether the work is what the record's own key made. The record of
// an intent's creation leads to the intent, which another key may have confirmed
// since: its charge is then that one's.
func owns(r idem.Record, w Work) bool {
	return r.Resource != w.Intent.ID || w.Charge.Key == r.Key.Value
}

// checkCart follows a record to the cart that its key changed. Carts are never
// removed, and the commit that claims the key of one also finishes it.
func (a *audit) checkCart(r idem.Record, id string) error {
	cart, found, err := a.r.Cart(r.Key.Owner, id)
	switch {
	case err != nil && !errors.Is(err, ErrCorrupt):
		return err
	case err != nil, found && !cart.whole():
		a.breach(r.Key.String(), "has a record over a cart that is not whole")
	case r.Open():
		a.breach(r.Key.String(), "has an open record over a cart, which one commit begins and ends")
	case !found && r.Answer.Status < 400: // a refusal makes nothing
		a.breach(r.Key.String(), "has a record at %s, but no cart %s", r.Point, id)
	}
	return nil
}

// checkKey follows work to the record of its key. Work that is settled may have
// outlived it.
func (a *audit) checkKey(w Work) error {
	record, found, err := a.r.Record(w.Key())
	if err != nil {
		return err
	}
	if found && !a.listed[record.Key] {
		a.breach(record.Key.String(), "has a record that stands on no list")
	}
	leads := found && (record.Resource == w.ID() || !w.IsRefund() && record.Resource == w.Charge.Intent)
	if w.Status() == Pending && !leads {
		a.breach(w.ID(), "is pending, but no record leads to it")
	}
	return nil
}
