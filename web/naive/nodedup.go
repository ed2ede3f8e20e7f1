package naive

import (
	"crypto/rand"

	"chargeonce/web/shop"
)

// noDedup does what a message says, each time it is said.
//
// Wrong: the shop's consumer takes every delivery for news. It answers 200 as
// it should; but where that answer is lost, the sender has to deliver again,
// and the customer gets another receipt with another number, and one more thing
// leaves the stock. The charge behind it is one charge all the while.
//
// The public kind: an endpoint for Stripe's webhooks that applies each event as
// it comes, with no durable row for its id (webrenew/memories, issue 396; what a
// consumer needs for it, in saleor/apps, issue 339).
//
// Right: journal.apply of web/shop asks remember for the event's row in the
// transaction of the effect, so both are there or neither.
func noDedup() Mistake {
	return Mistake{ID: "no-dedup", Label: "no dedup of messages", Gates: rightGates, Shop: gullible}
}

// gullible makes the shop's consumer believe each message anew.
func gullible(options shop.Options) shop.Options {
	options.Remember, options.Effect = alwaysNews, nextReceipt
	return options
}

// alwaysNews looks for nothing and leaves nothing behind.
func alwaysNews(*shop.Tx, shop.Receipt) (known bool, err error) { return false, nil }

// nextReceipt prints a receipt under a number of its own: no row of the first
// one stands in its way.
func nextReceipt(tx *shop.Tx, receipt shop.Receipt) error {
	receipt.Event += "/" + rand.Text()[:8]
	return shop.Issue(tx, receipt)
}
