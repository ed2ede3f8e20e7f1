package retrypolicy_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"

	"chargeonce/retrypolicy"
)

func TestOnlyWhatTheServerAnswersForCountsForOrAgainstIt(t *testing.T) {
	cases := map[string]struct {
		result retrypolicy.Result
		want   retrypolicy.Health
	}{
		"nothing known":       {retrypolicy.Result{}, retrypolicy.Neutral},
		"200":                 {retrypolicy.Result{Status: 200}, retrypolicy.Healthy},
		"201":                 {retrypolicy.Result{Status: 201}, retrypolicy.Healthy},
		"304":                 {retrypolicy.Result{Status: 304}, retrypolicy.Healthy},
		"400":                 {retrypolicy.Result{Status: 400}, retrypolicy.Neutral},
		"402":                 {retrypolicy.Result{Status: 402}, retrypolicy.Neutral},
		"404":                 {retrypolicy.Result{Status: 404}, retrypolicy.Neutral},
		"409":                 {retrypolicy.Result{Status: 409}, retrypolicy.Neutral},
		"429":                 {retrypolicy.Result{Status: 429}, retrypolicy.Neutral},
		"499":                 {retrypolicy.Result{Status: 499}, retrypolicy.Neutral},
		"500":                 {retrypolicy.Result{Status: 500}, retrypolicy.Failing},
		"502":                 {retrypolicy.Result{Status: 502}, retrypolicy.Failing},
		"503":                 {retrypolicy.Result{Status: 503}, retrypolicy.Failing},
		"timeout":             {retrypolicy.Result{Err: new(retrypolicy.TimeoutError)}, retrypolicy.Failing},
		"reset":               {retrypolicy.Result{Err: syscall.ECONNRESET}, retrypolicy.Failing},
		"refused connection":  {retrypolicy.Result{Err: dialing(syscall.ECONNREFUSED), Unsent: true}, retrypolicy.Failing},
		"half an answer":      {retrypolicy.Result{Status: 201, Err: io.ErrUnexpectedEOF}, retrypolicy.Failing},
		"half of a 402":       {retrypolicy.Result{Status: 402, Err: io.ErrUnexpectedEOF}, retrypolicy.Failing},
		"cancelled":           {retrypolicy.Result{Err: context.Canceled}, retrypolicy.Neutral},
		"the caller's own":    {retrypolicy.Result{Err: errors.New("in other words"), Canceled: true}, retrypolicy.Neutral},
		"certificate":         {retrypolicy.Result{Err: x509.UnknownAuthorityError{}}, retrypolicy.Neutral},
		"unknown host":        {retrypolicy.Result{Err: &net.DNSError{IsNotFound: true}}, retrypolicy.Neutral},
		"name server is down": {retrypolicy.Result{Err: &net.DNSError{IsTemporary: true}}, retrypolicy.Failing},
		"redirect":            {retrypolicy.Result{Status: 302, Err: new(retrypolicy.RedirectError)}, retrypolicy.Neutral},
		"too large":           {retrypolicy.Result{Status: 200, Err: retrypolicy.ErrAnswerTooLarge}, retrypolicy.Neutral},
		"too large 503":       {retrypolicy.Result{Status: 503, Err: retrypolicy.ErrAnswerTooLarge}, retrypolicy.Failing},
		"plain HTTP for TLS":  {retrypolicy.Result{Err: http.ErrSchemeMismatch}, retrypolicy.Neutral},
	}
	for name, c := range cases {
		if got := retrypolicy.Assess(c.result); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestHealthStateAndVerdictNameThemselves(t *testing.T) {
	got := []string{
		retrypolicy.Neutral.String(), retrypolicy.Healthy.String(), retrypolicy.Failing.String(),
		retrypolicy.Closed.String(), retrypolicy.Open.String(), retrypolicy.HalfOpen.String(),
	}
	want := []string{"neutral", "healthy", "failing", "closed", "open", "half-open"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}
