package ledger

import (
	"fmt"
	"maps"
)

// with counts a charge in (sign 1) or out (sign -1). Charges that are replaced
// are counted out as they were and in as they are, so the totals cannot drift.
func (o Owner) with(c Charge, sign int) (Owner, error) {
	switch c.Status {
	case Pending:
		o.Pending += sign
	case Succeeded:
		o.Succeeded += sign
	case Failed:
		o.Failed += sign
	default:
		return Owner{}, fmt.Errorf("%w: a charge with status %q", ErrCorrupt, c.Status)
	}
	if c.Status != Succeeded {
		return o, nil
	}
	sum, err := add(o.Charged[c.Currency], int64(sign)*(c.Amount-c.AmountRefunded))
	if err != nil {
		return Owner{}, fmt.Errorf("total of %s: %w", o.Name, err)
	}
	o.Charged = maps.Clone(o.Charged) // the old value may still be in somebody's hands
	if o.Charged == nil {
		o.Charged = make(map[string]int64)
	}
	o.Charged[c.Currency] = sum
	return o, nil
}

// mayFollow is the life of a charge: pending until settled, and final then.
// What was paid, by whom and for which key never changes.
func mayFollow(old, next Charge) error {
	if old.Status != Pending && next.Status != old.Status {
		return fmt.Errorf("%w: charge %s was %s, cannot become %s", ErrCorrupt, old.ID, old.Status, next.Status)
	}
	if old.Owner != next.Owner || old.Amount != next.Amount || old.Currency != next.Currency || old.Key != next.Key {
		return fmt.Errorf("%w: charge %s cannot become another payment", ErrCorrupt, old.ID)
	}
	return nil
}
