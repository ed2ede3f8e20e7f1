package retrypolicy_test

import (
	"errors"
	"io"
	"net"
	"testing"

	"chargeonce/retrypolicy"
)

func TestErrorsSayWhatEndedTheCallAndWhy(t *testing.T) {
	cases := map[string]error{
		"gave up after 5 attempts: attempts used up; last: 503: unavailable for the moment": &retrypolicy.ExceededError{
			Attempts: 5, Reason: "attempts used up; last: 503: unavailable for the moment",
		},
		"gave up after 1 attempt: the deadline passed: EOF":             &retrypolicy.ExceededError{Attempts: 1, Reason: "the deadline passed", Err: io.EOF},
		"stopped after 1 attempt: unknown host: EOF":                    &retrypolicy.StoppedError{Attempts: 1, Reason: "unknown host", Err: io.EOF},
		"cancelled after 0 attempts: shop closed":                       &retrypolicy.CanceledError{Cause: errShopClosed},
		"server asks to wait 1h0m0s, the limit is 1s (after 1 attempt)": &retrypolicy.WaitTooLongError{Wait: 3600 * sec, Limit: sec, Attempts: 1},
		"attempt timed out after 2s, outcome unknown":                   &retrypolicy.TimeoutError{After: 2 * sec},
		"redirect 303 not followed: it leaves TLS":                      &retrypolicy.RedirectError{Status: 303, Reason: "it leaves TLS"},
	}
	for want, err := range cases {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}

func TestErrorsMatchTheirSentinelAndNoOther(t *testing.T) {
	sentinels := []error{
		retrypolicy.ErrExceeded, retrypolicy.ErrStopped, retrypolicy.ErrCanceled,
		retrypolicy.ErrWaitTooLong, retrypolicy.ErrAttemptTimeout, retrypolicy.ErrRedirect,
	}
	typed := []error{
		&retrypolicy.ExceededError{}, &retrypolicy.StoppedError{}, &retrypolicy.CanceledError{Cause: io.EOF},
		&retrypolicy.WaitTooLongError{}, &retrypolicy.TimeoutError{}, &retrypolicy.RedirectError{},
	}
	for i, err := range typed {
		for j, sentinel := range sentinels {
			if got := errors.Is(err, sentinel); got != (i == j) {
				t.Errorf("errors.Is(%T, %v) = %v", err, sentinel, got)
			}
		}
	}
}

func TestATimeoutIsANetErrorThatTimedOut(t *testing.T) {
	var err net.Error = &retrypolicy.TimeoutError{}
	if temporary, ok := err.(interface{ Temporary() bool }); !err.Timeout() || !ok || !temporary.Temporary() {
		t.Error("a timeout must be called one, and one that may pass")
	}
}
