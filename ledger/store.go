package ledger

import (
	"context"

	"chargeonce/idem"
)

// Tx is one transaction: the idempotency record, the charge and its postings
// travel on the same value and commit together, or not at all.
type Tx interface {
	idem.Tx
	// PutCharge stores a charge whole, new or changed.
	PutCharge(c Charge) error
	// Charge reads one by id. It sees this transaction's own writes.
	Charge(id string) (c Charge, found bool, err error)
	// Post books a transfer and moves the balances. It returns
	// [ErrUnbalanced], [ErrOverflow] or [ErrTransferExists], and the
	// transaction must then be given up.
	Post(t Transfer) error
	// PutEvent writes an event into the outbox, or notes that one was
	// delivered. All else about an event never changes.
	PutEvent(e Event) error
	// Rows names what this transaction has written so far, for traces.
	Rows() []string
}

// Reader looks at one consistent snapshot.
type Reader interface {
	Charge(id string) (c Charge, found bool, err error)
	// Charges lists an owner's charges, newest first.
	Charges(owner string, page Page) (charges []Charge, more bool, err error)
	// Postings lists the latest postings, newest first.
	Postings(limit int) ([]Posting, error)
	Balances() (Balances, error)
	Record(key idem.Key) (record idem.Record, found bool, err error)
	// Records lists an owner's idempotency records, newest first.
	Records(owner string, limit int) ([]idem.Record, error)
	// Owners lists everybody who ever made a charge, by name.
	Owners(limit int) ([]Owner, error)
}

// Store keeps a ledger. It is safe for concurrent use.
type Store interface {
	// Update runs fn as one transaction and returns once it is durable. fn may
	// run again, so no effect may leave it; an error or a panic rolls back.
	// [ErrOutcomeUnknown] says that nobody knows whether it was committed.
	Update(ctx context.Context, fn func(Tx) error) error
	// View runs fn on a snapshot.
	View(ctx context.Context, fn func(Reader) error) error
	// ViewEvents runs fn on a snapshot of the outbox.
	ViewEvents(ctx context.Context, fn func(EventReader) error) error
	// Failed is closed when a commit ended in an error that leaves its outcome
	// open. Nothing is read or written any more: the process has to end, and
	// the reopened store is the truth.
	Failed() <-chan struct{}
	// Close waits for transactions. It may be called more than once.
	Close() error
}

// Page bounds a list that runs from the newest to the oldest.
type Page struct {
	Limit  int    // 1 to [MaxPage]; 0: [DefaultPage]
	After  string // id of a charge or an event: only older ones than this (Stripe's starting_after)
	Before string // id: only newer ones than this, the nearest (ending_before)
}

// Bounds of lists.
const (
	DefaultPage = 10  // Stripe's default
	MaxPage     = 100 // Stripe's maximum
)

// Owner is one owner's totals, kept by the same transactions as the charges.
type Owner struct {
	Name      string           `json:"name"`
	Pending   int              `json:"pending"`
	Succeeded int              `json:"succeeded"`
	Failed    int              `json:"failed"`
	Charged   map[string]int64 `json:"charged"` // by currency, minor units of succeeded charges
}
