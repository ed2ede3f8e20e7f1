package idem_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"chargeonce/idem"
)

// What is refused before the claim must leave nothing behind: each of these is
// followed by a right request with the same key, which must run.
func TestARefusalBeforeTheClaimLeavesTheKeyNew(t *testing.T) {
	header := func(lines ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header["Idempotency-Key"] = lines }
	}
	for _, row := range []struct {
		name   string
		change func(*http.Request)
		status int
		code   string
	}{
		{"no key", header(), 400, "idempotency_key_missing"},
		{"an empty key", header(""), 400, "idempotency_key_invalid"},
		{"a key of 8 kB", header(strings.Repeat("k", 8<<10)), 400, "idempotency_key_invalid"},
		{"two keys", header("k", "k"), 400, "idempotency_key_invalid"},
		{"no credential", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "credential_invalid"},
		{"neither credential nor key", func(r *http.Request) { r.Header = http.Header{} }, 401, "credential_invalid"},
		{"an owner that is no name", func(r *http.Request) { r.SetBasicAuth("a/b", "") }, 401, "credential_invalid"},
		{"a broken query", func(r *http.Request) { r.URL.RawQuery = "a=%zz" }, 400, "query_invalid"},
		{"a large body", func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", idem.DefaultMaxBody+1)))
		}, 413, "body_too_large"},
		{"a body that ends early", func(r *http.Request) { r.Body = io.NopCloser(tornReader{}) }, 400, "body_invalid"},
	} {
		t.Run(row.name, func(t *testing.T) {
			front := newShopFront(nil)
			wantProblem(t, front.post("k", "a", row.change), row.status, row.code)
			if front.runs.Load() != 0 {
				t.Error("the work ran")
			}
			if w := front.post("k", "a"); w.Code != 201 || w.Header().Get("Idempotent-Replayed") != "" {
				t.Errorf("the right request afterwards got %d %s", w.Code, w.Body)
			}
		})
	}
}

type tornReader struct{}

func (tornReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// endless counts what is read of a body that never ends.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) { e.read += len(p); return len(p), nil }

func TestAnEndlessBodyIsNotReadToItsEnd(t *testing.T) {
	front := newShopFront(nil)
	front.MaxBody = 1000
	body := &endless{}
	wantProblem(t, front.post("k", "", func(r *http.Request) { r.Body = io.NopCloser(body) }), 413, "body_too_large")
	if body.read > 64<<10 {
		t.Errorf("%d bytes were read, 1000 are allowed", body.read)
	}
	if w := front.post("k", strings.Repeat("x", 1000)); w.Code != 201 {
		t.Errorf("a body of the allowed size got %d", w.Code)
	}
}

// failing is a store that fails from its nth transaction on.
type failing struct {
	idem.Store
	from int
	n    int
}

var errDisk = errors.New("disk on fire")

func (s *failing) Update(ctx context.Context, fn func(idem.Tx) error) error {
	s.n++
	if s.n >= s.from {
		return errDisk
	}
	return s.Store.Update(ctx, fn)
}

func TestAStoreThatFailsIsNeverTakenForAnAnswer(t *testing.T) {
	for from, row := range map[int]struct {
		code string
		runs int64
		told int // of failures: the finish fails, then the release
	}{
		1: {"store_unavailable", 0, 1},
		2: {"outcome_unknown", 1, 2},
	} {
		front := newShopFront(nil)
		var told []error
		front.Failed = func(_ *http.Request, err error) { told = append(told, err) }
		front.Store = &failing{Store: &front.store, from: from}
		w := front.post("secret-key", "a")
		wantProblem(t, w, 503, row.code)
		if w.Header().Get("Retry-After") == "" || w.Header().Get("Location") != "" || front.runs.Load() != row.runs {
			t.Errorf("transaction %d fails: headers %v, %d runs", from, w.Header(), front.runs.Load())
		}
		if len(told) != row.told || !errors.Is(errors.Join(told...), errDisk) || strings.Contains(errors.Join(told...).Error(), "secret-key") {
			t.Errorf("transaction %d fails: Failed was told %v", from, told)
		}
		if strings.Contains(w.Body.String(), "fire") {
			t.Errorf("the client learns %s", w.Body)
		}
		front.Store, front.Failed = &front.store, nil
		front.set(after(terms.Lease))
		if w := front.post("secret-key", "a"); w.Code != 201 {
			t.Errorf("once the store is well again: %d %s", w.Code, w.Body)
		}
	}
}
