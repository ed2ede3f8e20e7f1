package ledger

import (
	"errors"
	"fmt"
)

// Of a charge.
var (
	// ErrOutcomeUnknown says that nobody knows what happened: the provider's
	// call or the store's commit ended without an answer. The key stays open
	// and the same request with the same key settles it.
	ErrOutcomeUnknown = errors.New("ledger: the outcome is unknown")
	// ErrProviderRefused says that the provider will not take this call
	// whatever the number of attempts: a bug of ours. The key stays open.
	ErrProviderRefused = errors.New("ledger: the card provider refused the call")
	// ErrInvalid says that a request is malformed; see
	// [InvalidError]. Nothing was claimed.
	ErrInvalid = errors.New("ledger: invalid request")
	// ErrOverloaded says that as many charges as allowed are under way.
	// Nothing was claimed.
	ErrOverloaded = errors.New("ledger: too many charges are under way")
	// ErrClosed says that the ledger or its store is closed. Nothing was done.
	ErrClosed = errors.New("ledger: closed")
)

// Of a refund.
var (
	// ErrChargePending says that nobody knows yet whether the charge was
	// captured, so that it cannot be refunded now. Nothing was claimed: the
	// same request may come again.
	ErrChargePending = errors.New("ledger: the charge is still pending")
	// ErrNotRefundable says that the charge has failed: no money was taken. It
	// comes in a [*RefusedError].
	ErrNotRefundable = errors.New("ledger: the charge was never captured")
	// ErrRefundTooLarge says that less is left of the charge than the refund
	// asks for. It comes in a [*RefusedError].
	ErrRefundTooLarge = errors.New("ledger: more than is left of the charge")
)

// Of a payment intent that is to be confirmed. They come in an [*IntentError].
var (
	// ErrIntentProcessing says that another confirmation is under way and that
	// nobody knows its outcome yet. Nothing was claimed: the same request may
	// come again.
	ErrIntentProcessing = errors.New("ledger: the payment intent is being confirmed")
	// ErrIntentSucceeded says that the intent was paid.
	ErrIntentSucceeded = errors.New("ledger: the payment intent has succeeded")
	// ErrIntentNeedsCard says that the intent has no card, or had one that was
	// declined, and that the request brings none.
	ErrIntentNeedsCard = errors.New("ledger: the payment intent has no card to charge")
)

// Of a cart.
var (
	// ErrQuantity says that a cart would hold fewer than none of a SKU, or more
	// than [MaxQuantity].
	ErrQuantity = errors.New("ledger: the quantity is out of bounds")
	// ErrCartFull says that a cart has no room for another SKU.
	ErrCartFull = errors.New("ledger: the cart is full")
	// ErrTooManyCarts says that the owner may begin no other cart.
	ErrTooManyCarts = errors.New("ledger: too many carts")
)

// ErrTooManyEndpoints says that the owner may have no other webhook endpoint.
var ErrTooManyEndpoints = errors.New("ledger: too many webhook endpoints")

// Of an attempt, for providers.
var (
	// ErrClaimLost says that this attempt may start no further provider call:
	// its heartbeat failed or its lease is over.
	ErrClaimLost = errors.New("ledger: the attempt has lost its claim")
	// errLost tells the call that its attempt came to nothing, because the
	// claim was lost: it has to ask for the key again.
	errLost = errors.New("ledger: ask for the key again")
	// errEnded says that the attempt has made its last write.
	errEnded = errors.New("ledger: the attempt is over")
	// errWaited says that a busy request has waited for as long as it may.
	errWaited = errors.New("ledger: waited in vain")
)

// Of the books.
var (
	// ErrUnbalanced says that the legs of a transfer do not sum to 0.
	ErrUnbalanced = errors.New("ledger: the transfer does not balance")
	// ErrOverflow says that a sum would leave the range of int64.
	ErrOverflow = errors.New("ledger: a sum overflows")
	// ErrTransferExists says that a transfer of this id is booked already.
	ErrTransferExists = errors.New("ledger: the transfer is booked already")
	// ErrCorrupt says that the books contradict themselves.
	ErrCorrupt = errors.New("ledger: the books contradict themselves")
)

// Of the store. In each case nothing was written.
var (
	// ErrLaterVersion says that a later version of this program has written the
	// data: this one would leave out what that one relies on.
	ErrLaterVersion = errors.New("ledger: the data was written by a later version")
	// ErrLocked says that another process uses the data directory.
	ErrLocked = errors.New("ledger: the data directory is in use by another process")
	// ErrDiskFull says that too little space is left to write safely.
	ErrDiskFull = errors.New("ledger: too little disk space is left")
	// ErrTooBig says that a transaction is larger than the engine takes.
	ErrTooBig = errors.New("ledger: the transaction is too big")
	// ErrContention says that a transaction met others as often as it may be
	// run again.
	ErrContention = errors.New("ledger: too much contention")
	// ErrNotFound says that the owner does not have what was named: the charge
	// to refund, or where a page starts.
	ErrNotFound = errors.New("ledger: no such object")
)

// InvalidError names what is wrong with a request. It is [ErrInvalid].
type InvalidError struct {
	Param  string // "amount"
	Reason string // for people; never repeats a card
}

// Error implements error.
func (e *InvalidError) Error() string {
	return fmt.Sprintf("%v: %s: %s", ErrInvalid, e.Param, e.Reason)
}

// Is makes it [ErrInvalid].
func (e *InvalidError) Is(target error) bool { return target == ErrInvalid }

// RefusedError says why a charge does not allow a refund, for
// [Options.RenderRefund]. It is its Err.
type RefusedError struct {
	Err      error  // [ErrNotRefundable] or [ErrRefundTooLarge]
	Charge   string // its id
	Left     int64  // minor units that can still be refunded; 0: all was, or is being
	Currency string
}

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%v: %s, of which %d %s are left", e.Err, e.Charge, e.Left, e.Currency)
}

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// IntentError says why a payment intent may not be confirmed, and how it stands.
// It is its Err.
type IntentError struct {
	Err    error // [ErrIntentProcessing], [ErrIntentSucceeded] or [ErrIntentNeedsCard]
	Intent Intent
	Charge Charge // of the latest confirmation; zero: there was none
}

// Error implements error.
func (e *IntentError) Error() string { return fmt.Sprintf("%v: %s", e.Err, e.Intent.ID) }

// Unwrap returns the reason.
func (e *IntentError) Unwrap() error { return e.Err }

// PanicError says that a part of the attempt panicked: the provider's client,
// a hook or the rendering. It is [ErrOutcomeUnknown], for the money may have
// moved before.
type PanicError struct {
	Value any
	Stack []byte
}

// Error implements error. It leaves the value out, which may repeat what
// should not be logged; the stack is there for whoever may see it.
func (e *PanicError) Error() string {
	return fmt.Sprintf("%v: the attempt panicked", ErrOutcomeUnknown)
}

// Is makes it [ErrOutcomeUnknown].
func (e *PanicError) Is(target error) bool { return target == ErrOutcomeUnknown }

// Unwrap gives the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
