package naive

import "chargeonce/web/shop"

// keyInMemory mints the key when the payment loop begins and keeps it in a
// variable.
//
// Wrong: the order outlives the process and its key does not. A shop that is
// started again in the middle of a retry finds an open order, mints a key for
// it and sends what the API must take for another purchase.
//
// The public kind: a key that is made where the screen is drawn, so that going
// back and coming again makes another one (blinkbitcoin/blink-mobile, pull
// request 2450); a key that each submit mints (JiRaska/open-bank-oss, issue
// 7172).
//
// Right: place of web/shop stores order and key, synced, before the first
// attempt; Resume reads both.
func keyInMemory() Mistake {
	return Mistake{
		ID: "key-in-memory", Label: "the key is kept in memory",
		Gates: plainGates, Gate: announce(plainPoints),
		Shop: func(o shop.Options) shop.Options {
			o.Resumed = rekey
			return o
		},
	}
}

// givesUp takes the end of its patience for the end of the payment.
//
// Wrong: when the policy is used up the shop says "payment failed, try again",
// and the customer, who has no reason to doubt it, does. That is a new purchase
// with a new key, although the first one has long been paid.
//
// The public kind: a customer who is told "payment failed" and charged several
// times (bcgov/entity, issue 32832).
//
// Right: pay of web/shop never calls an unknown outcome a failure. It says so,
// asks its customer not to pay again, and goes on asking with the same key.
func givesUp() Mistake {
	return Mistake{
		ID: "gives-up", Label: "calls silence a failure",
		Gates: plainGates, Gate: announce(plainPoints),
		Shop: func(o shop.Options) shop.Options {
			o.Exhausted = rekey
			o.Hooks.Unconfirmed = callFailed(o.Hooks)
			return o
		},
	}
}

// rekey is a customer, or a program, that begins the same purchase anew.
func rekey(order shop.Order) shop.Order {
	order.Key = shop.Draft(order.Amount, order.Currency, order.Card).Key
	return order
}

// callFailed tells the customer what nobody knows.
func callFailed(tell shop.Hooks) func(shop.Order, error) {
	return func(order shop.Order, _ error) {
		if tell.Answered != nil {
			order.State, order.Reason = shop.Refused, "it failed, please try again"
			tell.Answered(order)
		}
	}
}
