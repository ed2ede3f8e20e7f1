package retrypolicy

import (
	"errors"
	"fmt"
	"net/http"
)

// Verdict is what to do after an attempt.
type Verdict int

// The verdicts. Stop is the zero value: what nobody has thought of is not
// repeated.
const (
	// Stop: the attempt's answer or error is handed to the caller as it is.
	Stop Verdict = iota
	// Retry: the trouble may pass and repeating is safe. Whether there is
	// another attempt is decided by the policy's limits.
	Retry
)

// String returns "stop" or "retry".
func (v Verdict) String() string {
	if v == Retry {
		return "retry"
	}
	return "stop"
}

// HeaderShouldRetry is the answer's own word on repeating, "true" or "false".
// The name and meaning are Stripe's: https://docs.stripe.com/error-low-level
const HeaderShouldRetry = "Stripe-Should-Retry"

// Error codes that tell the two kinds of 409 apart where the header is silent.
const (
	// CodeKeyInUse: an earlier request with this key is still running. Its
	// answer can be had by asking again, after Retry-After.
	CodeKeyInUse = "idempotency_key_in_use"
	// CodeKeyReused: the key belongs to a request with other parameters.
	// Waiting never mends that.
	CodeKeyReused = "idempotency_key_reused"
)

// Classifier decides whether an attempt may be followed by another, and says
// why. [Classify] is the one that a policy has unless it brings its own.
type Classifier func(r Result, p Policy) (Verdict, string)

// Result is what is known after one attempt. Its zero fields are the careful
// ones: no key, bytes may have left.
type Result struct {
	Method  string // as sent; empty means GET, as in net/http
	Attempt int    // its number, from 1; the policy says how many there may be
	Keyed   bool   // the request carried an Idempotency-Key

	Status int         // of the answer; 0 where none came
	Header http.Header // of the answer; may be nil
	Code   string      // error code in the answer's body ("error.code"), if any

	// Err says why there is no answer, or no whole one. If it is set, Status
	// is ignored: half an answer is an unknown outcome. The exception is
	// ErrAnswerTooLarge, which leaves nothing unknown but the body.
	Err error
	// Unsent: it is certain that no byte of the request left.
	Unsent bool
	// Canceled: the caller gave up, or its deadline passed. It is a field since
	// the error alone cannot tell whose timeout fired.
	Canceled bool
}

// Classify decides whether an attempt may be followed by another, and says
// why in a few words that hold no data of the request. It is pure and safe
// for concurrent use; of the policy it reads NotFoundNotReady only.
//
//   - 429, 502, 503, 504: retry, unless HeaderShouldRetry says "false".
//   - 409: as HeaderShouldRetry says; without it, retry on CodeKeyInUse only.
//   - 500 and the remaining 5xx: retry only if HeaderShouldRetry says "true",
//     since a server that broke in mid-work will probably break again.
//   - 404: stop, or retry where the policy says that it means "not ready".
//   - every other answer: stop.
//   - no answer, or half of one: retry (timeout, reset, refused connection, …),
//     but stop on certificates, unknown hosts, the caller's own cancellation,
//     and what would be the same again.
//
// A retry becomes a stop when the request is neither idempotent by its method
// nor keyed, and bytes of it may have left.
func Classify(r Result, p Policy) (Verdict, string) {
	if r.Canceled {
		return Stop, "cancelled by the caller, or past its deadline"
	}
	verdict, reason := classifyStatus(r, p)
	passes := verdict == Retry && errors.Is(r.Err, ErrAnswerTooLarge)
	if r.Err != nil && !passes {
		verdict, reason = classifyError(r)
	}
	if verdict == Retry && !r.repeatable() {
		return Stop, reason + "; not repeated: no idempotency key, and bytes may have left"
	}
	return verdict, reason
}

func (r Result) repeatable() bool {
	return r.Unsent || r.Keyed || idempotentMethod(r.Method)
}

// idempotentMethod follows RFC 9110, section 9.2.2.
func idempotentMethod(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace,
		http.MethodPut, http.MethodDelete:
		return true
	}
	return false
}

func classifyStatus(r Result, p Policy) (Verdict, string) {
	word := r.Header.Get(HeaderShouldRetry)
	switch {
	case r.Status == 0:
		return Stop, "neither an answer nor an error"
	case r.Status == http.StatusConflict:
		return classifyConflict(word, r.Code)
	case r.Status == http.StatusNotFound && p.NotFoundNotReady:
		return Retry, "404: not ready yet"
	case r.Status == http.StatusTooManyRequests, r.Status >= 502 && r.Status <= 504:
		if word == "false" {
			return Stop, fmt.Sprintf("%d: the answer says not to repeat", r.Status)
		}
		return Retry, passing[r.Status]
	case r.Status >= 500 && word == "true":
		return Retry, fmt.Sprintf("%d: the answer says to repeat", r.Status)
	case r.Status >= 500:
		return Stop, fmt.Sprintf("%d: the server broke, and does not say to repeat", r.Status)
	case r.Status >= 400:
		return Stop, fmt.Sprintf("%d: a definite refusal", r.Status)
	case r.Status >= 300:
		return Stop, fmt.Sprintf("%d: nothing more to follow", r.Status)
	}
	return Stop, fmt.Sprintf("%d: answered", r.Status)
}

// passing holds the statuses that may vanish by themselves.
var passing = map[int]string{
	http.StatusTooManyRequests:    "429: too many requests",
	http.StatusBadGateway:         "502: bad gateway, outcome unknown",
	http.StatusServiceUnavailable: "503: unavailable for the moment",
	http.StatusGatewayTimeout:     "504: gateway timed out, outcome unknown",
}

// classifyConflict tells "busy" from "conflict": both are 409 on the wire. The
// header comes first because it is the server's decision, where the code is
// only the client's understanding of it.
func classifyConflict(word, code string) (Verdict, string) {
	switch {
	case word == "true":
		return Retry, "409: the answer says to repeat"
	case word == "false":
		return Stop, "409: the answer says not to repeat"
	case code == CodeKeyInUse:
		return Retry, "409: busy, an earlier attempt with this key still runs"
	case code == CodeKeyReused:
		return Stop, "409: conflict, the key belongs to another request"
	}
	return Stop, "409: conflict"
}
