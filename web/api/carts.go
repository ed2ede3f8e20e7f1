package api

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// pathCarts is where carts are. There is nothing like them at Stripe: they show
// a change that is idempotent by nature beside one that is not.
const pathCarts = "/v1/carts"

// Carts changes carts; it is *[ledger.Ledger] too.
type Carts interface {
	SetQuantity(ctx context.Context, item ledger.CartItem) (ledger.Cart, error)
	Increment(ctx context.Context, request ledger.IncrementRequest) (ledger.Result, error)
}

// cartObject is a cart on the wire, its items by SKU.
type cartObject struct {
	ID      string     `json:"id"`
	Object  string     `json:"object"`
	Items   []cartItem `json:"items"`
	Updated int64      `json:"updated"` // seconds since the Unix epoch
}

type cartItem struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"` // 1 to [ledger.MaxQuantity]; what is not listed is not in the cart
}

func cartOf(c ledger.Cart) cartObject {
	object := cartObject{ID: c.ID, Object: "cart", Items: make([]cartItem, 0, len(c.Items)), Updated: c.Updated.Unix()}
	for _, sku := range slices.Sorted(maps.Keys(c.Items)) {
		object.Items = append(object.Items, cartItem{sku, c.Items[sku]})
	}
	return object
}

// RenderCart makes the answer that is stored with an increment and replayed:
// 200 with the cart as it stood then, or the 400 of a change that the cart does
// not allow. It is pure, as [ledger.Options.RenderCart] wants it.
func RenderCart(c ledger.Cart, refused error) idem.Answer {
	if refused != nil {
		return refusal(cartProblem(refused), "")
	}
	return idem.Answer{Status: http.StatusOK, Body: mustJSON(cartOf(c)), Header: map[string]string{"Content-Type": typeJSON}}
}

// getCart is GET /v1/carts/{id}. Another owner's cart does not exist.
func (s *server) getCart(ctx context.Context, c *call) reply {
	if problem := noQuery(c.r); problem != nil {
		return refuse(problem)
	}
	id := c.r.PathValue("id")
	var cart ledger.Cart
	var found bool
	if ledger.ValidCartName(id) {
		if err := s.Store.View(ctx, func(books ledger.Reader) (err error) {
			cart, found, err = books.Cart(c.owner, id)
			return err
		}); err != nil {
			return s.unreadable(c, err)
		}
	}
	if !found {
		return refuse(&Problem{Code: CodeResourceMissing, Param: "id", Message: "You have no cart of this id."})
	}
	return jsonReply(cartOf(cart))
}

// putQuantity is PUT /v1/carts/{id}/items/{sku}: how many are to be there. To
// send it twice is to send it once, so a key is looked at and not needed.
func (s *server) putQuantity(ctx context.Context, c *call) reply {
	if len(c.r.Header.Values(headerKey)) > 0 {
		if _, problem := keyOf(c.owner, c.r.Header); problem != nil {
			return refuse(problem)
		}
	}
	decoded, problem := onlyBody(c)
	if problem != nil {
		return refuse(problem)
	}
	p := newParams(decoded)
	quantity, there := p.integer("quantity", 0, ledger.MaxQuantity, CodeParamInvalid)
	if !there {
		p.missing("quantity")
	}
	if _, problem = p.finish(); problem == nil {
		problem = badCartNames(c.r)
	}
	if problem != nil {
		return refuse(problem)
	}
	cart, err := s.Carts.SetQuantity(ctx, ledger.CartItem{
		Owner: c.owner, Cart: c.r.PathValue("id"), SKU: c.r.PathValue("sku"), Quantity: quantity,
	})
	if err != nil {
		s.Log.Warn("the cart was not changed", "request", c.id, "error", err.Error())
		return refuse(cartProblem(err))
	}
	return jsonReply(cartOf(cart))
}

// increment is POST /v1/carts/{id}/items/{sku}/increment: to send it twice with
// one key is to send it once.
func (s *server) increment(ctx context.Context, c *call) reply {
	decoded, problem := onlyBody(c)
	if problem != nil {
		return refuse(problem)
	}
	p := newParams(decoded)
	by, there := p.signed("by", -ledger.MaxQuantity, ledger.MaxQuantity)
	if !there {
		p.missing("by")
	}
	canonical, problem := p.finish()
	if problem == nil {
		problem = badCartNames(c.r)
	}
	if problem != nil {
		return refuse(problem)
	}
	request := ledger.IncrementRequest{
		Key: c.key, Operation: c.route, Request: c.id, Cart: c.r.PathValue("id"), SKU: c.r.PathValue("sku"), By: by,
		Fingerprint: idem.NewFingerprint(http.MethodPost, c.r.URL.Path, nil, canonical),
	}
	s.trace(requestEvent(c))
	result, err := s.Carts.Increment(withCall(ctx, c), request)
	return s.concluded(c, request.Fingerprint, result, err)
}
