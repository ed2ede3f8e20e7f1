package shop

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"time"

	"chargeonce/idem"
)

// MaxAmount is the largest amount of one order, in minor units: the payments
// API's own bound.
const MaxAmount = 99_999_999

// State is where an order stands.
type State string

const (
	// Open: the order was sent, or is about to be, and its outcome is unknown.
	// The payment loop leaves it with the first definite answer.
	Open State = "open"
	// Paid: the API answered 201 (or replayed one). Final.
	Paid State = "paid"
	// Declined: the card was declined. Final for this order: another card is
	// another intent, so a new order with a new key.
	Declined State = "declined"
	// Refused: the API refused the request itself (400, 401, 409 conflict …).
	// Final: it is a bug to look at, and repeating cannot mend it.
	Refused State = "refused"
)

// Order is one purchase: the logical action that an idempotency key stands
// for. Its key, amount, currency and card are fixed when it is journalled.
type Order struct {
	ID       string    `json:"id"`
	Number   string    `json:"number,omitempty"` // the shop's own number, which requests name; "": the ID
	Owner    string    `json:"owner"`            // name under which the payments API knows the buyer; "" until it is journalled
	Key      string    `json:"key"`              // the idempotency key of every attempt
	Amount   int64     `json:"amount"`           // minor units
	Currency string    `json:"currency"`
	Card     string    `json:"card"`               // a test card's token
	Returned int64     `json:"returned,omitempty"` // minor units that the customer wants back; see [Shop.Return]
	State    State     `json:"state"`
	Charge   string    `json:"charge,omitempty"` // id, once paid
	Reason   string    `json:"reason,omitempty"` // why it was declined or refused
	Created  time.Time `json:"created"`
}

// reference is how a request names the order.
func (o Order) reference() string {
	if o.Number != "" {
		return o.Number
	}
	return o.ID
}

// Settled reports whether the outcome is known.
func (o Order) Settled() bool { return o.State != Open && o.State != "" }

// orderIDs keeps ids of a fixed form, since they come back from browsers.
var orderIDs = regexp.MustCompile(`^ord_[A-Z2-7]{16}$`)

// IsOrder reports whether a text has the form of an order's id.
func IsOrder(text string) bool { return orderIDs.MatchString(text) }

// Draft mints an order and its key. Nothing is stored yet: the customer has
// only seen a form. The key begins with four characters that people can read
// out and find again on the panel; the rest carries 130 random bits.
func Draft(amount int64, currency, card string) Order {
	text := rand.Text()
	return Order{
		ID: "ord_" + rand.Text()[:16], Key: text[:4] + "-" + text[4:] + rand.Text()[:4],
		Amount: amount, Currency: currency, Card: card,
	}
}

// Validate says what is wrong with an order that came back from a form, as an
// error that is [ErrInvalid].
func (o Order) Validate() error {
	if !IsOrder(o.ID) {
		return fmt.Errorf("%w: the order's id is malformed", ErrInvalid)
	}
	if _, err := idem.ParseKey("shop", []string{o.Key}); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if o.Owner != "" && !idem.ValidOwner(o.Owner) {
		return fmt.Errorf("%w: the owner's name is malformed", ErrInvalid)
	}
	if o.Amount < 1 || o.Amount > MaxAmount {
		return fmt.Errorf("%w: the amount must be 1 to %d minor units", ErrInvalid, MaxAmount)
	}
	if o.Currency == "" || o.Card == "" {
		return fmt.Errorf("%w: currency and card are required", ErrInvalid)
	}
	return nil
}

// same reports whether a browser's order is the one in the journal.
func (o Order) same(other Order) bool {
	return o.ID == other.ID && o.Number == other.Number && o.Owner == other.Owner && o.Key == other.Key && o.Amount == other.Amount &&
		o.Currency == other.Currency && o.Card == other.Card
}
