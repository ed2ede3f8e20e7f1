package retrypolicy

import (
	"errors"
	"fmt"
	"time"
)

// What ends a call although the request may have been worth another attempt.
// Each is the errors.Is target of the XError type that carries the data.
var (
	// ErrExceeded: attempts, elapsed time or deadline are used up. The outcome
	// may be unknown: never tell anybody that it failed.
	ErrExceeded = errors.New("retry limits exceeded")
	// ErrBudget: the client's retry budget is used up. Whatever matches it
	// matches ErrExceeded as well.
	ErrBudget = errors.New("retry budget used up")
	// ErrOpen: the circuit breaker lets no attempt through.
	ErrOpen = errors.New("circuit breaker is open")
	// ErrWaitTooLong: the server asks for a wait beyond MaxRetryAfter.
	ErrWaitTooLong = errors.New("server asks for too long a wait")
	// ErrStopped: the last attempt got no answer, and is not repeated.
	ErrStopped = errors.New("not repeated")
	// ErrCanceled: the request's context was cancelled.
	ErrCanceled = errors.New("call cancelled")
)

// What can go wrong within one attempt, beyond the transport's own errors.
var (
	// ErrAttemptTimeout: one attempt ran out of time. Outcome unknown.
	ErrAttemptTimeout = errors.New("attempt timed out, outcome unknown")
	// ErrRedirect: an answer leads where the request cannot follow unchanged.
	ErrRedirect = errors.New("redirect not followed")
	// ErrAnswerTooLarge: the answer's body exceeds MaxAnswerBody. The server
	// has answered, so a request with a 2xx was carried out.
	ErrAnswerTooLarge = fmt.Errorf("answer's body exceeds %d bytes", MaxAnswerBody)
	// ErrNoAnswer: a RoundTripper returned neither an answer nor an error.
	ErrNoAnswer = errors.New("transport returned no answer and no error")
)

// What is wrong with a request before anything is sent.
var (
	// ErrBadRequest: no absolute http or https URL, or a method or header that
	// HTTP does not allow. The error never repeats a header's value.
	ErrBadRequest = errors.New("request cannot be sent")
	// ErrBadKey: the Idempotency-Key header is blank, holds a control character,
	// or there is more than one. The error never repeats the key.
	ErrBadKey = errors.New("header Idempotency-Key must be one value that is not blank, without control characters")
	// ErrBodyTooLarge: the request's body exceeds MaxRequestBody.
	ErrBodyTooLarge = fmt.Errorf("request's body exceeds %d bytes", MaxRequestBody)
	// ErrBodyLength: the request's body is not as long as its ContentLength
	// says. Sent as it is, half an upload would look like a whole one.
	ErrBodyLength = errors.New("request's body does not match its length")
)

// What can go wrong with a key before there is a request.
var (
	// ErrKeyFixed: the request has an Idempotency-Key already.
	ErrKeyFixed = errors.New("request has an Idempotency-Key already")
	// ErrKeyFile: a file is not what a KeyFile writes, or would be too large or
	// not be read back as it was written.
	ErrKeyFile = errors.New("not a key file")
	// ErrIntent: a stored key belongs to another intent.
	ErrIntent = errors.New("key belongs to another intent")
)

// ErrStorm: a Storm has more than MaxStormClients, or a policy that waits so
// little that it would be computed for ever.
var ErrStorm = errors.New("storm is too large to simulate")

// IntentError is a key file of another intent. It matches ErrIntent.
type IntentError struct{ Stored, Wanted string }

// Error names both intents, and never the key.
func (e *IntentError) Error() string {
	return fmt.Sprintf("the stored key belongs to %q, not to %q", e.Stored, e.Wanted)
}

// Is reports whether target is ErrIntent.
func (e *IntentError) Is(target error) bool { return target == ErrIntent }

// ExceededError ends a call whose limits are used up. It matches ErrExceeded,
// with Budget also ErrBudget, and unwraps to Err.
type ExceededError struct {
	Attempts int       // made
	Response *Response // the last whole answer of any attempt; nil if there was none
	Err      error     // of the last attempt; nil if that one was answered
	Budget   bool      // the limit is the one that all calls of the client share
	Reason   string    // which limit, and the last attempt's reason
}

// Error names the attempts, the reason and the last error.
func (e *ExceededError) Error() string {
	return ended(fmt.Sprintf("gave up after %s: %s", attempts(e.Attempts), e.Reason), e.Err)
}

// Is reports whether target is ErrExceeded, or ErrBudget where it was that.
func (e *ExceededError) Is(target error) bool {
	return target == ErrExceeded || (e.Budget && target == ErrBudget)
}

// Unwrap returns the last attempt's error.
func (e *ExceededError) Unwrap() error { return e.Err }

// Timeout reports whether Err is a timeout or the deadline. An http.Client
// above asks for it, and so does whoever gets the url.Error that it makes.
func (e *ExceededError) Timeout() bool { return isTimeout(e.Err) }

// OpenError is a breaker that lets no attempt through. It matches ErrOpen. From
// [Breaker.Allow] it holds State and After alone; from [Client.Do] it also holds
// what the attempts before it met, unwraps to Err, and leaves the outcome
// unknown unless Attempts is 0.
type OpenError struct {
	State    State         // Open; HalfOpen if all probes are under way
	After    time.Duration // until the breaker is half-open; 0 if it is already
	Attempts int           // made
	Response *Response     // the last whole answer of any attempt; nil if there was none
	Err      error         // of the last attempt; nil if that one was answered, or none was made
}

// Error names the state, the time to wait and the last error.
func (e *OpenError) Error() string {
	text := fmt.Sprintf("circuit breaker is %v", e.State)
	if e.After > 0 {
		text += fmt.Sprintf(" for another %v", e.After)
	}
	if e.Attempts == 0 {
		return ended(text+", nothing was sent", e.Err)
	}
	return ended(text+" after "+attempts(e.Attempts), e.Err)
}

// Is reports whether target is ErrOpen.
func (e *OpenError) Is(target error) bool { return target == ErrOpen }

// Unwrap returns the last attempt's error.
func (e *OpenError) Unwrap() error { return e.Err }

// WaitTooLongError ends a call whose server asks for more patience than the
// policy has. It matches ErrWaitTooLong.
type WaitTooLongError struct {
	Wait     time.Duration // asked for; the longest duration where it does not fit
	Limit    time.Duration // the policy's MaxRetryAfter
	Attempts int           // made
	Response *Response     // the answer that asks; nil if its body broke off
}

// Error names the wait and the limit.
func (e *WaitTooLongError) Error() string {
	return fmt.Sprintf("server asks to wait %v, the limit is %v (after %s)",
		e.Wait, e.Limit, attempts(e.Attempts))
}

// Is reports whether target is ErrWaitTooLong.
func (e *WaitTooLongError) Is(target error) bool { return target == ErrWaitTooLong }

// StoppedError ends a call whose last attempt got no answer, where repeating
// would not help or would not be safe. It matches ErrStopped and unwraps to
// Err.
type StoppedError struct {
	Attempts int    // made
	Err      error  // of the last attempt
	Reason   string // as Classify gave it
}

// Error names the attempts, the reason and the error.
func (e *StoppedError) Error() string {
	return ended(fmt.Sprintf("stopped after %s: %s", attempts(e.Attempts), e.Reason), e.Err)
}

// Is reports whether target is ErrStopped.
func (e *StoppedError) Is(target error) bool { return target == ErrStopped }

// Unwrap returns the last attempt's error.
func (e *StoppedError) Unwrap() error { return e.Err }

// CanceledError ends a call whose context was cancelled. It matches
// ErrCanceled, the cause of the cancellation, and what the last attempt met.
type CanceledError struct {
	Attempts int   // made, the one that was cut short included
	Cause    error // context.Cause of the request's context
	Err      error // of the last attempt that ended by itself; may be nil
}

// Error names the cause and the last error.
func (e *CanceledError) Error() string {
	return ended(fmt.Sprintf("cancelled after %s: %v", attempts(e.Attempts), e.Cause), e.Err)
}

// Is reports whether target is ErrCanceled.
func (e *CanceledError) Is(target error) bool { return target == ErrCanceled }

// Unwrap returns the cause and, if there is one, the last attempt's error.
func (e *CanceledError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Cause}
	}
	return []error{e.Cause, e.Err}
}

// TimeoutError is an attempt that ran out of time. It matches
// ErrAttemptTimeout, and is a net.Error whose Timeout is true. It does not
// match context.DeadlineExceeded, which is left to the caller's own deadline.
type TimeoutError struct {
	After time.Duration // the time that the attempt had
}

// Error names the time that the attempt had.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("attempt timed out after %v, outcome unknown", e.After)
}

// Is reports whether target is ErrAttemptTimeout.
func (e *TimeoutError) Is(target error) bool { return target == ErrAttemptTimeout }

// Timeout is always true; with Temporary it makes the type a net.Error.
func (e *TimeoutError) Timeout() bool { return true }

// Temporary is always true: another attempt may be faster.
func (e *TimeoutError) Temporary() bool { return true }

// RedirectError is a redirect that was not followed. It matches ErrRedirect.
// The request has reached a server, which may have acted on it.
type RedirectError struct {
	Status   int    // 301, 302, 303, 307 or 308
	Location string // as received; Error does not repeat it, as it may hold secrets
	Reason   string
}

// Error names the status and the reason.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("redirect %d not followed: %s", e.Status, e.Reason)
}

// Is reports whether target is ErrRedirect.
func (e *RedirectError) Is(target error) bool { return target == ErrRedirect }

func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

func ended(text string, last error) string {
	if last == nil {
		return text
	}
	return text + ": " + last.Error()
}
