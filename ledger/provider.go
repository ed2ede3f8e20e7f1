package ledger

import "context"

// Provider is the card provider: the next box, which takes the money. It is
// called outside any transaction, since a transaction cannot be held open for
// somebody else's seconds, nor rolled back once the card is charged.
//
// All calls return an error that wraps [ErrOutcomeUnknown] where nobody knows
// what happened (timeout, reset, 409 in progress, 429, 5xx, a malformed
// answer) and [ErrProviderRefused] where the provider will never accept this
// call (another 4xx, a key mismatch): a bug of ours. Any other error counts as
// unknown, and so does a panic. A provider that tries more than once must ask
// [MayCall] before each attempt.
type Provider interface {
	// Capture charges the card. The same key always yields the same result:
	// the provider captures once.
	Capture(ctx context.Context, key string, order Capture) (Captured, error)
	// Refund gives amount minor units of a capture back, once per key. A
	// refund that the provider declines for good is a definite answer.
	Refund(ctx context.Context, key, capture string, amount int64) (Refunded, error)
	// Lookup asks what became of a key, of a capture or of a refund. found is
	// false where the provider has never seen it: the work is then sent. A call
	// that is still in progress over there is an unknown outcome, not a missing
	// one.
	Lookup(ctx context.Context, key string) (captured Captured, found bool, err error)
}

// Capture is what the provider is asked to do. It is built from the stored
// charge alone, so it is the same for every attempt.
type Capture struct {
	Amount    int64  // minor units
	Currency  string // ISO 4217, lower case
	Card      string // a test token
	Reference string // OWNER/CHARGE_ID
}

// Captured is the provider's definite answer: captured or declined, both
// final.
type Captured struct {
	ID          string // the provider's id of the capture; empty: declined
	Declined    bool
	DeclineCode string // "insufficient_funds"; empty unless declined
}

// Refunded is the provider's definite answer to a refund: refunded, with the
// provider's id of the refund, or declined, both final. It has the form of the
// answer to a capture, so that one look-up by key serves both.
type Refunded = Captured

// order is the capture that a charge stands for.
func order(c Charge) Capture {
	return Capture{Amount: c.Amount, Currency: c.Currency, Card: c.Card, Reference: c.Owner + "/" + c.ID}
}
