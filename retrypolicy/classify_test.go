package retrypolicy_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"chargeonce/retrypolicy"
)

const (
	stop  = retrypolicy.Stop
	retry = retrypolicy.Retry
)

func saying(word string) http.Header {
	return http.Header{retrypolicy.HeaderShouldRetry: {word}}
}

func TestClassifyJudgesAnswersByStatusThenHeaderThenCode(t *testing.T) {
	cases := []struct {
		status int
		header http.Header
		code   string
		want   retrypolicy.Verdict
	}{
		{status: 200, want: stop},
		{status: 201, want: stop},
		{status: 201, header: saying("true"), want: stop},
		{status: 304, want: stop},
		{status: 400, want: stop},
		{status: 401, want: stop},
		{status: 402, want: stop},
		{status: 403, want: stop},
		{status: 404, want: stop},
		{status: 422, want: stop},
		{status: 400, header: saying("true"), want: stop},
		{status: 422, header: saying("true"), want: stop},
		{status: 429, want: retry},
		{status: 429, header: saying("false"), want: stop},
		{status: 500, want: stop},
		{status: 500, header: saying("false"), want: stop},
		{status: 500, header: saying("TRUE"), want: stop},
		{status: 500, header: saying("true"), want: retry},
		{status: 501, want: stop},
		{status: 502, want: retry},
		{status: 503, want: retry},
		{status: 503, header: saying("false"), want: stop},
		{status: 504, want: retry},
		{status: 505, want: stop},
		{status: 409, want: stop},
		{status: 409, code: retrypolicy.CodeKeyInUse, want: retry},
		{status: 409, code: retrypolicy.CodeKeyReused, want: stop},
		{status: 409, code: "idempotency_result_expired", want: stop},
		{status: 409, header: saying("true"), want: retry},
		{status: 409, header: saying("true"), code: retrypolicy.CodeKeyReused, want: retry},
		{status: 409, header: saying("false"), code: retrypolicy.CodeKeyInUse, want: stop},
		{status: 0, want: stop},
	}
	for _, c := range cases {
		r := retrypolicy.Result{Method: "POST", Keyed: true, Status: c.status, Header: c.header, Code: c.code}
		got, reason := retrypolicy.Classify(r, retrypolicy.Policy{})
		if got != c.want || reason == "" {
			t.Errorf("%d %v %q: %v (%q), want %v", c.status, c.header, c.code, got, reason, c.want)
		}
	}
}

func TestClassifyTakes404AsNotReadyOnlyWhereThePolicySaysSo(t *testing.T) {
	r := retrypolicy.Result{Method: "GET", Status: 404}
	if got, _ := retrypolicy.Classify(r, retrypolicy.Policy{NotFoundNotReady: true}); got != retry {
		t.Errorf("not ready: %v", got)
	}
	if got, _ := retrypolicy.Classify(r, retrypolicy.Policy{}); got != stop {
		t.Errorf("plain: %v", got)
	}
}

// dialing is an error as a failed connect gives it.
func dialing(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

// Case E19: errors are judged by type, however deep, and never by their text.
func TestClassifyJudgesErrorsByTypeAndNotByText(t *testing.T) {
	inURL := func(err error) error {
		return &url.Error{Op: "Post", URL: "http://api.test/EOF/timeout/x509", Err: err}
	}
	cases := map[string]struct {
		err  error
		want retrypolicy.Verdict
	}{
		"attempt timeout":         {&retrypolicy.TimeoutError{After: sec}, retry},
		"deadline of a socket":    {&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, retry},
		"reset":                   {&net.OpError{Op: "read", Err: syscall.ECONNRESET}, retry},
		"broken pipe":             {inURL(&net.OpError{Op: "write", Err: syscall.EPIPE}), retry},
		"end of file":             {io.EOF, retry},
		"half an answer":          {io.ErrUnexpectedEOF, retry},
		"refused":                 {dialing(syscall.ECONNREFUSED), retry},
		"name server down":        {dialing(&net.DNSError{Err: "server misbehaving", IsTemporary: true}), retry},
		"untyped":                 {errors.New("http: server closed idle connection"), retry},
		"text of a certificate":   {errors.New("x509: certificate signed by unknown authority"), retry},
		"text of a cancellation":  {errors.New("context canceled"), retry},
		"cancellation":            {inURL(context.Canceled), stop},
		"unknown host":            {inURL(dialing(&net.DNSError{Err: "no such host", IsNotFound: true})), stop},
		"host called EOF":         {dialing(&net.DNSError{Err: "EOF timeout", Name: "EOF", IsNotFound: true}), stop},
		"unknown authority":       {inURL(x509.UnknownAuthorityError{}), stop},
		"wrong name":              {x509.HostnameError{Certificate: &x509.Certificate{}, Host: "EOF"}, stop},
		"expired certificate":     {x509.CertificateInvalidError{Reason: x509.Expired}, stop},
		"certificate with reason": {inURL(&tls.CertificateVerificationError{Err: io.EOF}), stop},
		"no roots":                {x509.SystemRootsError{}, stop},
		"no TLS there":            {tls.RecordHeaderError{Msg: "EOF"}, stop},
		"HTTP for HTTPS":          {inURL(http.ErrSchemeMismatch), stop},
		"bad address":             {dialing(&net.AddrError{Err: "missing port"}), stop},
		"no such network":         {dialing(net.UnknownNetworkError("udp9")), stop},
		"redirect":                {&retrypolicy.RedirectError{Status: 303}, stop},
		"answer too large":        {fmt.Errorf("read: %w", retrypolicy.ErrAnswerTooLarge), stop},
	}
	for name, c := range cases {
		r := retrypolicy.Result{Method: "POST", Keyed: true, Err: c.err}
		got, reason := retrypolicy.Classify(r, retrypolicy.Policy{})
		if got != c.want || reason == "" {
			t.Errorf("%s: %v (%q), want %v", name, got, reason, c.want)
		}
	}
}

// Case E13: what may have happened is not repeated unless repeating is safe.
func TestClassifyRepeatsOnlyWhatIsKeyedOrIdempotentOrUnsent(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	cases := []struct {
		method string
		keyed  bool
		unsent bool
		want   retrypolicy.Verdict
	}{
		{method: "POST", want: stop},
		{method: "PATCH", want: stop},
		{method: "get", want: stop}, // methods are case-sensitive
		{method: "POST", keyed: true, want: retry},
		{method: "PATCH", keyed: true, want: retry},
		{method: "POST", unsent: true, want: retry},
		{method: "", want: retry},
		{method: "GET", want: retry},
		{method: "HEAD", want: retry},
		{method: "OPTIONS", want: retry},
		{method: "TRACE", want: retry},
		{method: "PUT", want: retry},
		{method: "DELETE", want: retry},
	}
	for _, c := range cases {
		r := retrypolicy.Result{Method: c.method, Keyed: c.keyed, Unsent: c.unsent, Err: reset}
		if got, reason := retrypolicy.Classify(r, retrypolicy.Policy{}); got != c.want {
			t.Errorf("%s keyed=%v unsent=%v: %v (%q), want %v", c.method, c.keyed, c.unsent, got, reason, c.want)
		}
	}
	answered := retrypolicy.Result{Method: "POST", Status: 503}
	if got, reason := retrypolicy.Classify(answered, retrypolicy.Policy{}); got != stop || !strings.Contains(reason, "key") {
		t.Errorf("503 without a key: %v (%q), want a stop that names the key", got, reason)
	}
}

func TestClassifyNeverRepeatsForACallerWhoGaveUp(t *testing.T) {
	for _, err := range []error{context.Canceled, context.DeadlineExceeded, errors.New("shop closed"), nil} {
		r := retrypolicy.Result{Method: "GET", Keyed: true, Unsent: true, Status: 503, Err: err, Canceled: true}
		if got, _ := retrypolicy.Classify(r, retrypolicy.Policy{}); got != stop {
			t.Errorf("%v: %v, want stop", err, got)
		}
	}
}

func TestClassifyTrustsAnErrorMoreThanTheStatusBeforeIt(t *testing.T) {
	half := retrypolicy.Result{Method: "POST", Keyed: true, Status: 201, Err: io.ErrUnexpectedEOF}
	got, reason := retrypolicy.Classify(half, retrypolicy.Policy{})
	if got != retry || reason != "the answer broke off; outcome unknown" {
		t.Errorf("%v (%q)", got, reason)
	}
}

// The status is whole where only the body is too large.
func TestClassifyRepeatsAPassingStatusWhoseBodyIsTooLarge(t *testing.T) {
	for status, want := range map[int]retrypolicy.Verdict{201: stop, 400: stop, 409: stop, 429: retry, 500: stop, 503: retry} {
		r := retrypolicy.Result{Method: "POST", Keyed: true, Status: status, Err: retrypolicy.ErrAnswerTooLarge}
		if got, reason := retrypolicy.Classify(r, retrypolicy.Policy{}); got != want {
			t.Errorf("%d: %v (%q), want %v", status, got, reason, want)
		}
	}
}

func TestClassifyCallsATimeoutAnUnknownOutcome(t *testing.T) {
	for _, sent := range []bool{true, false} {
		r := retrypolicy.Result{Method: "GET", Unsent: !sent, Err: &retrypolicy.TimeoutError{After: sec}}
		_, reason := retrypolicy.Classify(r, retrypolicy.Policy{})
		if strings.Contains(reason, "unknown") != sent || strings.Contains(reason, "fail") {
			t.Errorf("sent=%v: %q", sent, reason)
		}
	}
}

func TestVerdictSpeaksInLowerCaseWords(t *testing.T) {
	if stop.String() != "stop" || retry.String() != "retry" {
		t.Errorf("%v, %v", stop, retry)
	}
	var zero retrypolicy.Verdict
	if zero != stop {
		t.Error("the zero verdict must be the careful one")
	}
}
