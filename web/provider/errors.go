package provider

import (
	"errors"
	"fmt"
	"net/http"
)

// Of opening and closing.
var (
	// ErrNoDB says that [New] was given no database to keep the book in.
	ErrNoDB = errors.New("provider: no database for the book")
	// ErrTwoDBs says that [Open] was given a directory and a database: one of
	// the two would silently stay empty.
	ErrTwoDBs = errors.New("provider: both a directory and a database for the book")
	// ErrClosed says that the provider was closed; nothing was decided.
	ErrClosed = errors.New("provider: closed")
)

// Of reading the book.
var (
	// ErrTooManyOwners says that more owners than [MaxOwners] have operations:
	// sums over a part of them would look right and be wrong.
	ErrTooManyOwners = errors.New("provider: too many owners to sum up")
)

// The codes of refusals, as a caller reads them in {"code"}.
const (
	codeKeyReused   = "idempotency_key_reused"
	codeKeyInUse    = "idempotency_key_in_use"
	codeInvalid     = "invalid_request"
	codeTooLarge    = "request_too_large"
	codeNoOperation = "operation_unknown"
	codeNoCapture   = "capture_unknown"
	codeTooMany     = "too_many_requests"
	codeUnavailable = "unavailable"
)

// refusal is an answer that keeps nothing: the transaction it comes from is
// rolled back, and the same key may be sent again.
type refusal struct {
	status        int
	code, message string
}

// Error implements error. The message never repeats what the caller sent: a
// card number in the wrong field must not reach a log.
func (r *refusal) Error() string { return r.code + ": " + r.message }

// invalid refuses a request that is not one of the protocol's.
func invalid(format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, codeInvalid, fmt.Sprintf(format, args...)}
}

var (
	errTooMany     = &refusal{http.StatusTooManyRequests, codeTooMany, "too many requests at once"}
	errUnavailable = &refusal{http.StatusServiceUnavailable, codeUnavailable, "the provider cannot answer now"}
	errNoCapture   = &refusal{http.StatusNotFound, codeNoCapture, "there is no such capture to refund"}
	errNoOperation = &refusal{http.StatusNotFound, codeNoOperation, "nothing was decided under this key"}
)
