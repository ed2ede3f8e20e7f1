package shop

import (
	"errors"
	"fmt"
)

// Of placing an order.
var (
	// ErrInvalid says that an order's fields are not those of an order.
	ErrInvalid = errors.New("shop: invalid order")
	// ErrDiffers says that this order was placed before with other contents
	// (see [DiffersError]).
	ErrDiffers = errors.New("shop: the order was placed with other contents")
	// ErrTooManyRuns says that as many payment loops as allowed already run
	// for this order.
	ErrTooManyRuns = errors.New("shop: too many requests for one order")
	// errNoOutcome says that an answer came but leaves the outcome unknown.
	errNoOutcome = errors.New("shop: the answer says nothing about the payment")
	// errNoOrder says that the journal contradicts itself: a row of an open
	// order without the order.
	errNoOrder = errors.New("shop: the journal has no such order")
	// ErrClosed says that the shop is shutting down.
	ErrClosed = errors.New("shop: closed")
)

// DiffersError carries the order as the journal has it. The old intent must be
// settled before a new one can be started: its key cannot be reused for other
// contents, and minting a new key while its outcome is unknown could charge
// twice.
type DiffersError struct {
	Placed Order // what the journal holds
	Wanted Order // what was asked for now
}

// Error names both amounts.
func (e *DiffersError) Error() string {
	return fmt.Sprintf("%v: placed %d %s, wanted %d %s", ErrDiffers,
		e.Placed.Amount, e.Placed.Currency, e.Wanted.Amount, e.Wanted.Currency)
}

// Is makes a DiffersError an [ErrDiffers].
func (e *DiffersError) Is(target error) bool { return target == ErrDiffers }

// Of receiving webhooks.
var (
	// ErrSignature says that a delivery is not from whom it claims to be, or
	// is too old to be believed.
	ErrSignature = errors.New("shop: the webhook's signature does not fit")
	// errNoEvent says that a signed body is not an event.
	errNoEvent = errors.New("shop: the delivery is not an event")
)
