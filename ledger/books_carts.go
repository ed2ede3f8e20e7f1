package ledger

import (
	"fmt"

	"chargeonce/ledger/badgerdb"
)

// Cart implements [CartReader]. The owner is a part of the row, so that nobody
// reads a cart by guessing its id.
func (r bookReader) Cart(owner, id string) (Cart, bool, error) {
	return badgerdb.GetJSON[Cart](r.inner, rowCart+owner+"/"+id)
}

// PutCart implements [Carts].
func (tx *bookTx) PutCart(c Cart) error {
	if !c.whole() {
		return fmt.Errorf("%w: the cart %s is out of its bounds", ErrCorrupt, c.ID)
	}
	_, found, err := tx.Cart(c.Owner, c.ID)
	if err != nil {
		return err
	}
	if !found {
		if err := tx.countCart(c.Owner); err != nil {
			return err
		}
	}
	return tx.set(rowCart+c.Owner+"/"+c.ID, c)
}

// countCart counts a new cart in. It looks before it writes, for whoever is
// refused may still commit that refusal.
func (tx *bookTx) countCart(owner string) error {
	n, _, err := badgerdb.GetJSON[uint64](tx.inner, counterCarts+owner)
	if err != nil {
		return err
	}
	if n >= MaxCarts {
		return fmt.Errorf("%w: %d", ErrTooManyCarts, MaxCarts)
	}
	_, err = tx.next(counterCarts+owner, 1)
	return err
}
