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
	var err error
	if o.Charged, err = plus(o.Charged, c.Currency, int64(sign)*(c.Amount-c.AmountRefunded)); err != nil {
		return Owner{}, fmt.Errorf("total of %s: %w", o.Name, err)
	}
	if c.AmountRefunded == 0 {
		return o, nil
	}
	if o.Refunded, err = plus(o.Refunded, c.Currency, int64(sign)*c.AmountRefunded); err != nil {
		return Owner{}, fmt.Errorf("refunds of %s: %w", o.Name, err)
	}
	return o, nil
}

// plus adds to one of the sums. It copies them, for the old ones may still be
// in somebody's hands.
func plus(sums map[string]int64, currency string, amount int64) (map[string]int64, error) {
	sum, err := add(sums[currency], amount)
	if err != nil {
		return nil, err
	}
	if sums = maps.Clone(sums); sums == nil {
		sums = make(map[string]int64)
	}
	sums[currency] = sum
	return sums, nil
}

// mayFollow is the life of a charge: pending until settled, and final then.
// What was paid, by whom and for which key never changes; what was given back
// only grows.
func mayFollow(old, next Charge) error {
	switch {
	case old.Status != Pending && next.Status != old.Status:
		return fmt.Errorf("%w: charge %s was %s, cannot become %s", ErrCorrupt, old.ID, old.Status, next.Status)
	case old.Owner != next.Owner || old.Amount != next.Amount || old.Currency != next.Currency || old.Key != next.Key:
		return fmt.Errorf("%w: charge %s cannot become another payment", ErrCorrupt, old.ID)
	case next.AmountRefunded < old.AmountRefunded:
		return fmt.Errorf("%w: charge %s cannot take a refund back", ErrCorrupt, old.ID)
	}
	return nil
}

// checkRefunds is the one rule of refunds, in the engine as the last guard:
// what was given back and what is on its way never exceed what was captured.
func (c Charge) checkRefunds() error {
	if c.AmountRefunded < 0 || c.RefundReserved < 0 || c.left() < 0 {
		return fmt.Errorf("%w: refunds of %d and %d on their way exceed the captured %d of charge %s",
			ErrCorrupt, c.AmountRefunded, c.RefundReserved, c.captured(), c.ID)
	}
	return nil
}
