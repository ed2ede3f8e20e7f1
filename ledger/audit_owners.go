package ledger

import (
	"fmt"
	"maps"
	"math"
	"time"
)

func (a *audit) checkOwners() error {
	owners, err := a.r.Owners(math.MaxInt32)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if err := a.checkOwner(owner); err != nil {
			return fmt.Errorf("audit %s: %w", owner.Name, err)
		}
	}
	return nil
}

func (a *audit) checkOwner(owner Owner) error {
	counted := Owner{Name: owner.Name}
	lives, carriers := make(map[string][]life), make(map[string][]Charge)
	err := each(a.r.Charges, owner.Name, func(c Charge) (err error) {
		if counted, err = counted.with(c, 1); err != nil {
			a.breach(c.ID, "cannot be counted: %v", err)
			return nil
		}
		w := Work{Charge: c}
		if c.Intent != "" {
			carriers[c.Intent] = append(carriers[c.Intent], c)
		}
		lives[c.Key] = append(lives[c.Key], a.lifeOf(c))
		a.booked(w)
		if err := a.checkKey(w); err != nil {
			return err
		}
		return a.checkRefunds(c)
	})
	if err != nil {
		return err
	}
	a.checkLives(lives)
	if !counted.equal(owner) {
		a.breach(owner.Name, "has totals %+v, but its charges come to %+v", owner, counted)
	}
	return a.checkIntents(owner.Name, carriers)
}

// equal compares totals; a sum of 0 and none are the same.
func (o Owner) equal(other Owner) bool {
	return o.Name == other.Name && o.Pending == other.Pending && o.Succeeded == other.Succeeded && o.Failed == other.Failed &&
		maps.Equal(withoutZeros(o.Charged), withoutZeros(other.Charged)) &&
		maps.Equal(withoutZeros(o.Refunded), withoutZeros(other.Refunded))
}

func withoutZeros(sums map[string]int64) map[string]int64 {
	sums = maps.Clone(sums)
	maps.DeleteFunc(sums, func(_ string, sum int64) bool { return sum == 0 })
	return sums
}

// checkRefunds adds up the refunds of a charge.
func (a *audit) checkRefunds(c Charge) error {
	var given, reserved int64
	err := each(a.r.RefundsOf, c.ID, func(r Refund) error {
		if r.Owner != c.Owner || r.Currency != c.Currency {
			a.breach(r.ID, "is not of the owner and the currency of %s", c.ID)
		}
		switch r.Status {
		case Succeeded:
			given += r.Amount
		case Pending:
			reserved += r.Amount
		}
		w := Work{Charge: c, Refund: r}
		a.booked(w)
		return a.checkKey(w)
	})
	if given != c.AmountRefunded || reserved != c.RefundReserved {
		a.breach(c.ID, "says that %d were refunded and %d are set aside, its refunds say %d and %d",
			c.AmountRefunded, c.RefundReserved, given, reserved)
	}
	if given+reserved > c.captured() {
		a.breach(c.ID, "was captured over %d, but its refunds come to %d", c.captured(), given+reserved)
	}
	return err
}

// life is the time during which a charge kept its key: until it was booked.
type life struct {
	charge     Charge
	from, till time.Time // till: zero while nothing was booked
}

func (a *audit) lifeOf(c Charge) life {
	l := life{charge: c, from: c.Created}
	if legs := a.transfers[transferID(c)]; len(legs) > 0 {
		l.till = legs[0].At
	}
	return l
}

// checkLives finds a key that made two charges at the same time. They come
// newest first.
func (a *audit) checkLives(lives map[string][]life) {
	for _, all := range lives {
		for i := 1; i < len(all); i++ {
			older, newer := all[i], all[i-1]
			if older.charge.Status == Succeeded && newer.charge.Status == Succeeded && newer.from.Before(older.till) {
				a.breach(newer.charge.ID, "was made by the key of %s while that was under way", older.charge.ID)
			}
		}
	}
}

// each goes through a list, page by page.
func each[T interface{ id() string }](list func(string, Page) ([]T, bool, error), of string, fn func(T) error) error {
	for page := (Page{Limit: MaxPage}); ; {
		all, more, err := list(of, page)
		if err != nil {
			return err
		}
		for _, one := range all {
			if err := fn(one); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
		page.After = all[len(all)-1].id()
	}
}

func (c Charge) id() string { return c.ID }
func (r Refund) id() string { return r.ID }
func (i Intent) id() string { return i.ID }
