package ledger

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// MaxLegs bounds the legs of a transfer. A charge has two; fees and splits
// would make a handful.
const MaxLegs = 32

// ReceivableAccount is the asset that a capture debits: what the card provider
// has taken from cards and owes us.
const ReceivableAccount = "provider:receivable"

// OwnerAccount is the liability that a capture credits: what we owe the owner
// for whom the card was charged.
func OwnerAccount(owner string) string { return "owner:" + owner }

// Leg is one side of a transfer: a debit where Amount is positive, a credit
// where it is negative. Minor units.
type Leg struct {
	Account  string
	Amount   int64
	Currency string
}

// Transfer moves money between accounts in double entry: in each currency its
// legs sum to 0, so that money is neither made nor lost. Its id is unique; a
// second transfer of the same id is refused.
type Transfer struct {
	ID   string
	At   time.Time
	Legs []Leg
}

// Posting is a leg as the books keep it. Seq is gapless from 1 in the order of
// the commits.
type Posting struct {
	Transfer string    `json:"transfer"`
	Account  string    `json:"account"`
	Amount   int64     `json:"amount"` // minor units; positive debits, negative credits
	Currency string    `json:"currency"`
	Seq      uint64    `json:"seq"`
	At       time.Time `json:"at"`
}

// Balances are sums by account and currency, in minor units. Debits count up:
// an owner who is owed €50.00 stands at -5000.
type Balances map[string]map[string]int64

// transferID is derived from the charge, so that the uniqueness of transfers is
// a second guard, independent of keys and fences: one charge is booked once.
func transferID(c Charge) string { return "tr_" + c.ID }

// captureTransfer books a captured charge.
func captureTransfer(c Charge, at time.Time) Transfer {
	return Transfer{ID: transferID(c), At: at, Legs: []Leg{
		{Account: ReceivableAccount, Amount: c.Amount, Currency: c.Currency},
		{Account: OwnerAccount(c.Owner), Amount: -c.Amount, Currency: c.Currency},
	}}
}

// Check reports why a transfer may not be posted: [ErrUnbalanced] where the
// legs of a currency do not sum to 0 (or say nothing at all), [ErrOverflow]
// where a sum leaves int64. Engines call it before they write.
func (t Transfer) Check() error {
	if t.ID == "" || len(t.Legs) < 2 || len(t.Legs) > MaxLegs {
		return fmt.Errorf("%w: a transfer needs an id and 2 to %d legs", ErrUnbalanced, MaxLegs)
	}
	sums := make(map[string]int64)
	for _, leg := range t.Legs {
		// A slash would let an account reach into another's row.
		if leg.Account == "" || strings.Contains(leg.Account, "/") || leg.Currency == "" || leg.Amount == 0 {
			return fmt.Errorf("%w: a leg of %s lacks a valid account, a currency or an amount", ErrUnbalanced, t.ID)
		}
		sum, err := add(sums[leg.Currency], leg.Amount)
		if err != nil {
			return fmt.Errorf("sum the legs of %s: %w", t.ID, err)
		}
		sums[leg.Currency] = sum
	}
	for currency, sum := range sums {
		if sum != 0 {
			return fmt.Errorf("%w: %s is off by %d minor units of %s", ErrUnbalanced, t.ID, sum, currency)
		}
	}
	return nil
}

// add refuses to wrap: a balance that overflows silently turns a debt into a
// fortune.
func add(a, b int64) (int64, error) {
	if b > 0 && a > math.MaxInt64-b || b < 0 && a < math.MinInt64-b {
		return 0, ErrOverflow
	}
	return a + b, nil
}
