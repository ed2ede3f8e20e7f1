package ledger

import (
	"context"
	"time"

	"chargeonce/idem"
)

// Tx is one transaction: the idempotency record, the charge and its postings
// travel on the same value and commit together, or not at all. It is valid
// until its function returns, and for one goroutine at a time.
type Tx interface {
	idem.Tx
	Objects
	Carts
	Endpoints
	// Post books a transfer and moves the balances. It returns
	// [ErrUnbalanced], [ErrOverflow] or [ErrTransferExists], and the
	// transaction must then be given up.
	Post(t Transfer) error
	// PutEvent writes an event into the outbox, or notes that one was
	// delivered. All else about an event never changes.
	PutEvent(e Event) error
	// DropKey forgets the key of a record that is done, if the stored one still
	// has the given one's fence and resource, and reports whether it did. It is
	// for records whose tombstone is over: the key may then run again.
	DropKey(record idem.Record) (dropped bool, err error)
	// Rows names what this transaction has written so far, for traces.
	Rows() []string
}

// Objects are what a transaction reads and writes whole, new or changed. Reads
// see the transaction's own writes. A Put that would break the life of its
// object (see each type's states) is [ErrCorrupt].
type Objects interface {
	Charge(id string) (c Charge, found bool, err error)
	PutCharge(c Charge) error
	Refund(id string) (r Refund, found bool, err error)
	PutRefund(r Refund) error
	Intent(id string) (i Intent, found bool, err error)
	// PutIntent stores a new intent, or one with another charge than before.
	PutIntent(i Intent) error
}

// Carts are what a transaction reads and writes of carts.
type Carts interface {
	CartReader
	// PutCart writes a cart whole, new or changed. A new one above [MaxCarts]
	// of its owner is [ErrTooManyCarts], with nothing written; one out of its
	// bounds is [ErrCorrupt].
	PutCart(c Cart) error
}

// Endpoints are what a transaction reads and writes of webhook endpoints.
type Endpoints interface {
	EndpointReader
	// PutEndpoint stores an endpoint, new or changed. A new one above
	// [MaxEndpoints] of its owner is [ErrTooManyEndpoints], with nothing written.
	PutEndpoint(e Endpoint) error
	DropEndpoint(e Endpoint) error
	// Delivered takes an event off the queue for one endpoint.
	Delivered(q Queued) error
}

// EndpointReader reads webhook endpoints.
type EndpointReader interface {
	Endpoint(id string) (e Endpoint, found bool, err error)
	Endpoints(owner string, page Page) (endpoints []Endpoint, more bool, err error)
}

// CartReader reads carts.
type CartReader interface {
	Cart(owner, id string) (c Cart, found bool, err error)
}

// Reader looks at one consistent snapshot. What it returns is the caller's.
type Reader interface {
	ObjectReader
	BookReader
	KeyReader
	CartReader
	EventReader
}

// ObjectReader reads what the API shows. Lists run from the newest to the
// oldest; a page that starts at another owner's object, or at none, is
// [ErrNotFound].
type ObjectReader interface {
	Charge(id string) (c Charge, found bool, err error)
	Charges(owner string, page Page) (charges []Charge, more bool, err error)
	Refund(id string) (r Refund, found bool, err error)
	Refunds(owner string, page Page) (refunds []Refund, more bool, err error)
	// RefundsOf lists the refunds of one charge, whoever's it is.
	RefundsOf(charge string, page Page) (refunds []Refund, more bool, err error)
	Intent(id string) (i Intent, found bool, err error)
	Intents(owner string, page Page) (intents []Intent, more bool, err error)
}

// BookReader reads the sums.
type BookReader interface {
	// Postings lists the latest postings, newest first.
	Postings(limit int) ([]Posting, error)
	Balances() (Balances, error)
	// Balance is that of one account, by currency, in minor units; see
	// [Balances] for the sign.
	Balance(account string) (map[string]int64, error)
	// Owners lists everybody who ever made a charge, by name.
	Owners(limit int) ([]Owner, error)
	// Owner is one owner's totals; zero for one who never made a charge.
	Owner(name string) (Owner, error)
}

// KeyReader reads idempotency records, for display and for those who see to
// them. Decisions go through [idem.Begin].
type KeyReader interface {
	Record(key idem.Key) (record idem.Record, found bool, err error)
	// Records lists an owner's idempotency records, newest first.
	Records(owner string, limit int) ([]idem.Record, error)
	// Agenda goes through a list of records of all owners, the earliest first,
	// until fn returns false or an error. It begins with those that stand there
	// for from or later; zero: with the first.
	Agenda(list List, from time.Time, fn func(Due) (more bool, err error)) error
}

// Store keeps a ledger. It is safe for concurrent use.
type Store interface {
	// Update runs fn as one transaction and returns once it is durable. fn may
	// run again, so no effect may leave it; an error or a panic rolls back.
	// [ErrOutcomeUnknown] says that nobody knows whether it was committed.
	Update(ctx context.Context, fn func(Tx) error) error
	// View runs fn on a snapshot.
	View(ctx context.Context, fn func(Reader) error) error
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
	After  string // id of what is listed: only older ones than this (Stripe's starting_after)
	Before string // id: only newer ones than this, the nearest (ending_before)
}

// Bounds of lists.
const (
	DefaultPage = 10  // Stripe's default
	MaxPage     = 100 // Stripe's maximum
)

// Owner is one owner's totals, kept by the same transactions as the charges.
type Owner struct {
	Name      string `json:"name"`
	Pending   int    `json:"pending"`
	Succeeded int    `json:"succeeded"`
	Failed    int    `json:"failed"`
	// By currency, minor units: what the succeeded charges come to, less what
	// was given back; and what was given back.
	Charged  map[string]int64 `json:"charged"`
	Refunded map[string]int64 `json:"refunded,omitempty"`
}
