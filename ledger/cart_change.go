package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chargeonce/idem"
)

// CartItem says how many of a SKU are to be in a cart.
type CartItem struct {
	Owner, Cart, SKU string
	Quantity         int64 // 0 to [MaxQuantity]; 0 takes the SKU out
}

// IncrementRequest asks once, under one idempotency key, for more of a SKU.
type IncrementRequest struct {
	Key         idem.Key
	Fingerprint idem.Fingerprint
	Operation   string // "POST /v1/carts/{id}/items/{sku}/increment"
	Request     string // id of this request

	Cart, SKU string
	By        int64 // -[MaxQuantity] to [MaxQuantity]; below 0: fewer
}

// SetQuantity puts so many of a SKU into a cart, and makes the cart if there is
// none. It needs no idempotency key: the same request a second time changes
// nothing, unless somebody else changed the cart in between, and then the last
// one to speak is right. Errors: [ErrInvalid], [ErrQuantity], [ErrCartFull],
// [ErrTooManyCarts], [ErrOverloaded], [ErrClosed], and those of the store.
func (l *Ledger) SetQuantity(ctx context.Context, item CartItem) (Cart, error) {
	if err := item.Validate(); err != nil {
		return Cart{}, err
	}
	slot, err := l.enter()
	if err != nil {
		return Cart{}, err
	}
	defer slot.release()
	at := l.opts.now().Wall
	var changed Cart
	err = l.opts.Store.Update(ctx, func(tx Tx) (err error) {
		changed, err = changeCart(tx, item, at, func(int64) int64 { return item.Quantity })
		return err
	})
	if err != nil {
		return Cart{}, fmt.Errorf("set quantity: %w", err)
	}
	return changed, nil
}

// Increment changes the quantity of a SKU by some, once per key. To add is not
// idempotent by nature, so it takes a key like a charge; but since nobody
// outside is asked, one commit holds the claim, the cart and the stored answer.
// There is no moment in which the key is open: no lease, no recovery point.
//
// A change that the cart does not allow ([ErrQuantity], [ErrCartFull],
// [ErrTooManyCarts]) is a definite answer, made by [Options.RenderCart], stored
// and replayed; the error is then nil. Other errors are those of
// [Ledger.Charge] that come before a claim.
func (l *Ledger) Increment(ctx context.Context, req IncrementRequest) (Result, error) {
	if err := req.Validate(); err != nil {
		return Result{}, err
	}
	return l.do(ctx, task{
		claim: idem.Claim{Key: req.Key, Fingerprint: req.Fingerprint, Operation: req.Operation},
		names: func(string) Result { return Result{Cart: req.Cart} },
		fresh: func() (string, start) {
			return cartPrefix + req.Cart, func(tx Tx, now idem.Now) (started, error) {
				return l.startIncrement(tx, req, now)
			}
		},
	})
}

// startIncrement is all there is to an increment whose key is new. It runs
// inside a transaction.
func (l *Ledger) startIncrement(tx Tx, req IncrementRequest, now idem.Now) (started, error) {
	item := CartItem{Owner: req.Key.Owner, Cart: req.Cart, SKU: req.SKU}
	cart, err := changeCart(tx, item, now.Wall, func(had int64) int64 { return had + req.By })
	if err != nil && !cartRefuses(err) {
		return started{}, err
	}
	answer := l.opts.RenderCart(cart, err)
	if answer.Request == "" {
		answer.Request = req.Request
	}
	return started{answer: &answer}, nil
}

// cartRefuses reports whether an error is the cart's own no, with nothing
// written.
func cartRefuses(err error) bool {
	return errors.Is(err, ErrQuantity) || errors.Is(err, ErrCartFull) || errors.Is(err, ErrTooManyCarts)
}

// changeCart reads a cart, changes the quantity of one SKU and writes it back,
// all in the transaction that it runs in: of two changes at the same time, the
// second sees what the first left.
func changeCart(tx Tx, item CartItem, at time.Time, quantity func(had int64) int64) (Cart, error) {
	cart, found, err := tx.Cart(item.Owner, item.Cart)
	if err != nil {
		return Cart{}, err
	}
	if !found {
		cart = Cart{ID: item.Cart, Owner: item.Owner}
	}
	changed, err := cart.with(item.SKU, quantity(cart.Items[item.SKU]), at)
	if err != nil {
		return cart, err
	}
	if err := tx.PutCart(changed); err != nil {
		return cart, err
	}
	return changed, nil
}

// Validate is as that of [ChargeRequest].
func (i CartItem) Validate() error {
	if err := validCartItem(i.Cart, i.SKU); err != nil {
		return err
	}
	if !ValidCartName(i.Owner) { // owners have the same form
		return &InvalidError{"owner", "not the name of an owner"}
	}
	if i.Quantity < 0 || i.Quantity > MaxQuantity {
		return &InvalidError{"quantity", fmt.Sprintf("must be 0 to %d", MaxQuantity)}
	}
	return nil
}

// Validate is as that of [ChargeRequest].
func (r IncrementRequest) Validate() error {
	if err := validClaim(r.Key, r.Fingerprint); err != nil {
		return err
	}
	if r.By < -MaxQuantity || r.By > MaxQuantity {
		return &InvalidError{"by", fmt.Sprintf("must be -%d to %d", MaxQuantity, MaxQuantity)}
	}
	return validCartItem(r.Cart, r.SKU)
}

func validCartItem(cart, sku string) error {
	if !ValidCartName(cart) {
		return &InvalidError{"id", "not the id of a cart"}
	}
	if !ValidCartName(sku) {
		return &InvalidError{"sku", "not a SKU"}
	}
	return nil
}
