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
	// ErrInvalid says that a request for a charge is malformed; see
	// [InvalidError]. Nothing was claimed.
	ErrInvalid = errors.New("ledger: invalid request")
	// ErrOverloaded says that as many charges as allowed are under way.
	// Nothing was claimed.
	ErrOverloaded = errors.New("ledger: too many charges are under way")
	// ErrClosed says that the ledger or its store is closed. Nothing was done.
	ErrClosed = errors.New("ledger: closed")
)

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
	// ErrLocked says that another process uses the data directory.
	ErrLocked = errors.New("ledger: the data directory is in use by another process")
	// ErrDiskFull says that too little space is left to write safely.
	ErrDiskFull = errors.New("ledger: too little disk space is left")
	// ErrTooBig says that a transaction is larger than the engine takes.
	ErrTooBig = errors.New("ledger: the transaction is too big")
	// ErrContention says that a transaction met others as often as it may be
	// run again.
	ErrContention = errors.New("ledger: too much contention")
	// ErrNotFound says that a page starts at something that the owner does not
	// have.
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
