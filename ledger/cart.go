package ledger

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"
)

// Bounds of carts. A cart is read and written whole, so its size is bounded;
// so is the number of carts, since anybody may begin one by naming it.
const (
	MaxQuantity  = 1000 // of one SKU
	MaxCartItems = 100  // SKUs in a cart: some 10 kB at the longest names
	MaxCarts     = 1000 // of one owner
	MaxCartName  = 64   // characters in the id of a cart, and in a SKU
)

// Cart is what an owner's customer has put together so far. Its id is the
// client's own choice, and another owner's cart of the same id is another cart.
type Cart struct {
	ID      string           `json:"id"`
	Owner   string           `json:"owner"`
	Items   map[string]int64 `json:"items"`   // quantity by SKU, 1 to [MaxQuantity]; absent: 0
	Updated time.Time        `json:"updated"` // wall clock, UTC
}

var cartName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// ValidCartName reports whether text may be the id of a cart or a SKU: 1 to
// [MaxCartName] of A-Z, a-z, 0-9, '_' and '-'.
func ValidCartName(text string) bool { return len(text) <= MaxCartName && cartName.MatchString(text) }

// with is the cart with this quantity of a SKU. The cart itself stays as it is:
// the transaction that asked may run again.
func (c Cart) with(sku string, quantity int64, at time.Time) (Cart, error) {
	if quantity < 0 || quantity > MaxQuantity {
		return Cart{}, fmt.Errorf("%w: 0 to %d", ErrQuantity, MaxQuantity)
	}
	_, there := c.Items[sku]
	if quantity > 0 && !there && len(c.Items) >= MaxCartItems {
		return Cart{}, fmt.Errorf("%w: %d", ErrCartFull, MaxCartItems)
	}
	items := maps.Clone(c.Items)
	if items == nil {
		items = make(map[string]int64)
	}
	items[sku] = quantity
	if quantity == 0 {
		delete(items, sku)
	}
	c.Items, c.Updated = items, at
	return c, nil
}

// whole reports whether a cart keeps its bounds.
func (c Cart) whole() bool {
	for sku, quantity := range c.Items {
		if !ValidCartName(sku) || quantity < 1 || quantity > MaxQuantity {
			return false
		}
	}
	return len(c.Items) <= MaxCartItems && ValidCartName(c.ID) && c.Owner != ""
}

// cartPrefix marks the resource of a record whose key changed a cart. No id of
// ours has a colon in it, so that no name which a client gives to a cart can
// lead to a charge.
const cartPrefix = "cart:"

// CartOf is the id of the cart that a record's resource names, if it does.
func CartOf(resource string) (id string, ok bool) { return strings.CutPrefix(resource, cartPrefix) }
