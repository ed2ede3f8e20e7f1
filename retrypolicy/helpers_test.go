package retrypolicy_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/retrypolicy"
)

const theKey = "order-7F3A"

// sent is a request as a transport was given it.
type sent struct {
	method, url, key, body string
	length                 int64
	attempt                retrypolicy.Attempt
	at                     time.Time
	header                 http.Header
	host                   string
}

// fake is a RoundTripper that answers by the number of the send and keeps
// what it was given.
type fake struct {
	answer func(n int, req *http.Request) (*http.Response, error)

	mu   sync.Mutex
	sent []sent
}

func (f *fake) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if err := req.Body.Close(); err != nil {
		return nil, err
	}
	attempt, _ := retrypolicy.AttemptFrom(req.Context())
	f.mu.Lock()
	f.sent = append(f.sent, sent{
		method: req.Method, url: req.URL.String(), key: req.Header.Get("Idempotency-Key"),
		body: string(body), length: req.ContentLength, attempt: attempt, at: time.Now(),
		header: req.Header.Clone(), host: req.Host,
	})
	n := len(f.sent)
	f.mu.Unlock()
	return f.answer(n, req)
}

// statuses answers with each status in turn, and the last one for ever.
func statuses(codes ...int) *fake {
	return &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
		return answer(codes[min(n, len(codes))-1], ""), nil
	}}
}

// failing answers with each error in turn; after the last one with 201.
func failing(errs ...error) *fake {
	return &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
		if n <= len(errs) {
			return nil, errs[n-1]
		}
		return answer(201, "charged"), nil
	}}
}

// answer makes an answer; headers are names and values in turn.
func answer(status int, body string, headers ...string) *http.Response {
	resp := &http.Response{
		StatusCode: status, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
	for i := 0; i < len(headers); i += 2 {
		resp.Header.Set(headers[i], headers[i+1])
	}
	return resp
}

func request(t testing.TB, method, url, key, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return req
}

func keyed(t testing.TB, body string) *http.Request {
	t.Helper()
	return request(t, http.MethodPost, "http://api.test/v1/charges", theKey, body)
}

func keyless(t testing.TB, body string) *http.Request {
	t.Helper()
	return request(t, http.MethodPost, "http://api.test/v1/charges", "", body)
}

// recorder keeps what the hooks are told.
type recorder struct {
	mu       sync.Mutex
	attempts []retrypolicy.Attempt
	ended    []retrypolicy.Ended
	waits    []retrypolicy.Wait
}

func (r *recorder) hooks() retrypolicy.Hooks {
	return retrypolicy.Hooks{
		Attempt: func(_ context.Context, a retrypolicy.Attempt) { keep(r, &r.attempts, a) },
		Ended:   func(_ context.Context, e retrypolicy.Ended) { keep(r, &r.ended, e) },
		Wait:    func(_ context.Context, w retrypolicy.Wait) { keep(r, &r.waits, w) },
	}
}

func keep[T any](r *recorder, list *[]T, item T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*list = append(*list, item)
}

// impatient tries five times without waiting.
func impatient() retrypolicy.Policy {
	return retrypolicy.Policy{Random: func() float64 { return 0 }}
}

// onLoopback is for real sockets on a machine that may be busy: no attempt of
// a sound client comes near its timeout.
func onLoopback() retrypolicy.Policy {
	policy := impatient()
	policy.AttemptTimeout, policy.MaxElapsed = time.Minute, 10*time.Minute
	return policy
}

// always makes every wait the same share of its schedule.
func always(random float64) retrypolicy.Policy {
	return retrypolicy.Policy{Random: func() float64 { return random }}
}

func wantExceeded(t testing.TB, err error) retrypolicy.ExceededError {
	t.Helper()
	exceeded, ok := errors.AsType[*retrypolicy.ExceededError](err)
	if !ok || !errors.Is(err, retrypolicy.ErrExceeded) {
		t.Fatalf("error is %v, want an ExceededError", err)
	}
	return *exceeded
}

func wantStopped(t testing.TB, err error) retrypolicy.StoppedError {
	t.Helper()
	stopped, ok := errors.AsType[*retrypolicy.StoppedError](err)
	if !ok || !errors.Is(err, retrypolicy.ErrStopped) {
		t.Fatalf("error is %v, want a StoppedError", err)
	}
	return *stopped
}

func wantStatus(t testing.TB, resp *retrypolicy.Response, err error, status, attempts int) {
	t.Helper()
	if err != nil {
		t.Fatalf("error %v, want status %d", err, status)
	}
	if resp.Status != status || resp.Attempts != attempts {
		t.Errorf("status %d on attempt %d, want %d on attempt %d", resp.Status, resp.Attempts, status, attempts)
	}
}
