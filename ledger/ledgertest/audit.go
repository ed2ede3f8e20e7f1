package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"chargeonce/ledger"
)

// Audit is [ledger.Audit] as one error, and a rule that holds of tests: no key
// here outlives its tombstone, so one key makes one succeeded charge at most.
// It returns everything that it finds wrong.
func Audit(r ledger.Reader) error {
	return errors.Join(auditLives(r), auditOnce(r))
}

// auditLives is [ledger.Audit] as one error.
func auditLives(r ledger.Reader) error {
	breaches, err := ledger.Audit(context.Background(), r)
	wrong := []error{err}
	for _, breach := range breaches {
		wrong = append(wrong, errors.New(breach.String()))
	}
	return errors.Join(wrong...)
}

func auditOnce(r ledger.Reader) error {
	var wrong []error
	owners, err := r.Owners(math.MaxInt32)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		charges, err := allCharges(r, owner.Name)
		if err != nil {
			return err
		}
		succeeded := make(map[string]string)
		for _, c := range charges {
			if c.Status != ledger.Succeeded {
				continue
			}
			if other, twice := succeeded[c.Key]; twice {
				wrong = append(wrong, fmt.Errorf("one key made %s and %s", other, c.ID))
			}
			succeeded[c.Key] = c.ID
		}
	}
	return errors.Join(wrong...)
}

func allCharges(r ledger.Reader, owner string) ([]ledger.Charge, error) {
	return all(owner, r.Charges, func(c ledger.Charge) string { return c.ID })
}

func allRefunds(r ledger.Reader, owner string) ([]ledger.Refund, error) {
	return all(owner, r.Refunds, func(r ledger.Refund) string { return r.ID })
}

// all goes through a list to its end.
func all[T any](owner string, list func(string, ledger.Page) ([]T, bool, error), id func(T) string) (found []T, err error) {
	for page := (ledger.Page{Limit: ledger.MaxPage}); ; {
		some, more, err := list(owner, page)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
		if !more {
			return found, nil
		}
		page.After = id(some[len(some)-1])
	}
}
