package api

import (
	"context"
	"errors"
	"net/http"

	"chargeonce/ledger"
)

// Of the process.
var (
	// ErrUsage says that the command line is wrong; the text names the flag.
	// The process then exits with status 2.
	ErrUsage = errors.New("usage")
	// ErrFailStop says that the store reported a commit whose outcome nobody
	// knows: the process must end, because only the reopened store is the truth.
	ErrFailStop = errors.New("api: the store is in doubt after a failed commit; start again on the same data")
)

// errMoved is a redirect of the card provider's, which is not followed.
var errMoved = errors.New("api: the card provider redirects")

// Stripe's error types.
const (
	kindInvalid     = "invalid_request_error"
	kindCredential  = "authentication_error"
	kindCard        = "card_error"
	kindIdempotency = "idempotency_error"
	kindRate        = "rate_limit_error"
	kindAPI         = "api_error"
)

// rule is what a code means on the wire.
type rule struct {
	status int
	kind   string
	title  string
}

// rules is the one table from a code to its answer. Whether a client should
// try again follows from status and code, see [Problem.ShouldRetry].
var rules = map[Code]rule{
	CodeBodyInvalid:       {http.StatusBadRequest, kindInvalid, "The body cannot be read"},
	CodeBodyTooLarge:      {http.StatusRequestEntityTooLarge, kindInvalid, "The body is larger than 64 KiB"},
	CodeBodyTimeout:       {http.StatusRequestTimeout, kindInvalid, "The body did not arrive in time"},
	CodeMediaType:         {http.StatusUnsupportedMediaType, kindInvalid, "The body is neither a form nor JSON"},
	CodeParamMissing:      {http.StatusBadRequest, kindInvalid, "A required parameter is missing"},
	CodeParamUnknown:      {http.StatusBadRequest, kindInvalid, "A parameter is unknown"},
	CodeParamInvalid:      {http.StatusBadRequest, kindInvalid, "A parameter is invalid"},
	CodeAmountInvalid:     {http.StatusBadRequest, kindInvalid, "The amount is invalid"},
	CodeCurrencyInvalid:   {http.StatusBadRequest, kindInvalid, "The currency is invalid"},
	CodeTokenInvalid:      {http.StatusBadRequest, kindInvalid, "The card is not a test token"},
	CodeCardNumber:        {http.StatusBadRequest, kindInvalid, "Card numbers are refused here"},
	CodeRouteMissing:      {http.StatusNotFound, kindInvalid, "There is nothing at this path"},
	CodeMethodNotAllowed:  {http.StatusMethodNotAllowed, kindInvalid, "The method is not allowed here"},
	CodeResourceMissing:   {http.StatusNotFound, kindInvalid, "There is no such object"},
	CodeKeyMissing:        {http.StatusBadRequest, kindInvalid, "The Idempotency-Key header is missing"},
	CodeKeyInvalid:        {http.StatusBadRequest, kindInvalid, "The Idempotency-Key header is invalid"},
	CodeCredentialMissing: {http.StatusUnauthorized, kindCredential, "The credential is missing"},
	CodeCredentialInvalid: {http.StatusUnauthorized, kindCredential, "The credential is invalid"},
	CodeCredentialLive:    {http.StatusUnauthorized, kindCredential, "Live keys are refused"},

	CodeKeyReused:     {http.StatusConflict, kindIdempotency, "The idempotency key belongs to another request"},
	CodeKeyInUse:      {http.StatusConflict, kindIdempotency, "Another attempt with this idempotency key is at work"},
	CodeResultExpired: {http.StatusConflict, kindIdempotency, "The result of this idempotency key is no longer kept"},

	CodeCardDeclined:   {http.StatusPaymentRequired, kindCard, "The card was declined"},
	CodeRefundDeclined: {http.StatusPaymentRequired, kindCard, "The refund was declined"},

	CodeRefundTooLarge:  {http.StatusBadRequest, kindInvalid, "The refund is larger than what is left of the charge"},
	CodeAlreadyRefunded: {http.StatusBadRequest, kindInvalid, "Nothing is left of the charge to refund"},
	CodeNotRefundable:   {http.StatusBadRequest, kindInvalid, "There was no payment to refund"},
	CodeChargePending:   {http.StatusServiceUnavailable, kindAPI, "The charge is still pending"},

	CodeIntentState: {http.StatusBadRequest, kindInvalid, "The payment intent cannot be confirmed as it stands"},

	CodeQuantity:     {http.StatusBadRequest, kindInvalid, "The cart cannot hold this quantity"},
	CodeCartFull:     {http.StatusBadRequest, kindInvalid, "The cart is full"},
	CodeTooManyCarts: {http.StatusBadRequest, kindInvalid, "There are too many carts"},

	CodeTooManyEndpoints: {http.StatusBadRequest, kindInvalid, "There are too many webhook endpoints"},

	CodeRateLimited:     {http.StatusTooManyRequests, kindRate, "Too many requests at once"},
	CodeOutcomeUnknown:  {http.StatusServiceUnavailable, kindAPI, "The outcome is unknown"},
	CodeStorageFull:     {http.StatusServiceUnavailable, kindAPI, "There is no room to store the request"},
	CodeUnavailable:     {http.StatusServiceUnavailable, kindAPI, "The server cannot decide right now"},
	CodeProviderRefused: {http.StatusInternalServerError, kindAPI, "The card provider refused our request"},
	CodeInternal:        {http.StatusInternalServerError, kindAPI, "The server failed"},
}

// rule looks a code up; a code without a rule is our bug and says so.
func (c Code) rule() rule {
	if found, ok := rules[c]; ok {
		return found
	}
	return rules[CodeInternal]
}

// causes is the one table from an error of the domain to its code; the first
// that fits wins. What is not in it is our bug.
var causes = []struct {
	is   error
	code Code
}{
	{ledger.ErrProviderRefused, CodeProviderRefused},
	// Before all that says "nothing was written": a full disk in commit 2 is
	// an unknown outcome first of all.
	{ledger.ErrOutcomeUnknown, CodeOutcomeUnknown},
	{ledger.ErrInvalid, CodeParamInvalid},
	{ledger.ErrNotFound, CodeResourceMissing},
	{ledger.ErrChargePending, CodeChargePending},
	{ledger.ErrOverloaded, CodeRateLimited},
	{ledger.ErrDiskFull, CodeStorageFull},
	{ledger.ErrTooBig, CodeBodyTooLarge},
	{ledger.ErrContention, CodeUnavailable},
	{ledger.ErrClosed, CodeUnavailable},
	// The client's own context: it went away, and the work may go on.
	{context.Canceled, CodeOutcomeUnknown},
	{context.DeadlineExceeded, CodeOutcomeUnknown},
}

// problemOf answers an error of the domain.
func problemOf(err error) *Problem {
	problem := &Problem{Code: CodeInternal}
	for _, cause := range causes {
		if errors.Is(err, cause.is) {
			problem.Code = cause.code
			break
		}
	}
	var invalid *ledger.InvalidError
	if errors.As(err, &invalid) {
		problem.Param, problem.Message = invalid.Param, "The parameter "+invalid.Param+" is invalid: "+invalid.Reason
	}
	if problem.Code == CodeOutcomeUnknown {
		problem.Message = unknownMessage("")
	}
	if problem.Code == CodeChargePending {
		problem.Message = "Nobody knows yet whether the charge was captured, so nothing was done. Send the same request with the same key in a moment."
	}
	if problem.ShouldRetry() {
		problem.RetryAfter = leastRetryAfter
	}
	return problem
}
