package idem_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/idem"
)

// shopFront is a handler in front of work that makes one charge a run.
type shopFront struct {
	idem.Handler
	store idem.Memory
	runs  atomic.Int64
	work  http.HandlerFunc // nil: created at once
	now   atomic.Pointer[idem.Now]
}

func newShopFront(work http.HandlerFunc) *shopFront {
	front := &shopFront{work: work}
	front.set(after(0))
	front.Handler = idem.Handler{
		Store: &front.store, Terms: terms, Next: http.HandlerFunc(front.run),
		Now: func() idem.Now { return *front.now.Load() },
		Owner: func(r *http.Request) (string, error) {
			name, _, ok := r.BasicAuth()
			if !ok {
				return "", errors.New("no credential")
			}
			return name, nil
		},
	}
	return front
}

func (s *shopFront) set(now idem.Now) { s.now.Store(&now) }

func (s *shopFront) run(w http.ResponseWriter, r *http.Request) {
	n := s.runs.Add(1)
	if s.work != nil {
		s.work(w, r)
		return
	}
	w.Header().Set("Location", fmt.Sprintf("/v1/charges/ch_%d", n))
	w.Header().Set("Set-Cookie", "session=1")
	w.Header().Set("Request-Id", fmt.Sprintf("req_%d", n))
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"id":"ch_%d"}`, n)
}

// post sends one request; each change may alter it.
func (s *shopFront) post(key, body string, changes ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/v1/charges", strings.NewReader(body))
	r.SetBasicAuth("shop", "")
	r.Header.Set("Idempotency-Key", key)
	for _, change := range changes {
		change(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// wantProblem checks an error document.
func wantProblem(t *testing.T, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	var doc struct {
		Status              int
		Code, Title, Detail string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Errorf("status %d with no document (%v): %s", w.Code, err, w.Body)
		return
	}
	if w.Code != status || doc.Status != status || doc.Code != code || doc.Title == "" || doc.Detail == "" ||
		w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("got %d %+v, want %d %s", w.Code, doc, status, code)
	}
}

func TestARetryGetsTheStoredAnswerAndRunsNothing(t *testing.T) {
	front := newShopFront(nil)
	first := front.post("order-1", "a=1")
	front.set(after(time.Minute))
	retry := front.post("order-1", "a=1", func(r *http.Request) {
		r.Header.Set("User-Agent", "another")
		r.Header.Set("Traceparent", "00-1")
	})
	if first.Code != 201 || retry.Code != 201 || retry.Body.String() != first.Body.String() || front.runs.Load() != 1 {
		t.Errorf("first %d %s, retry %d %s, %d runs", first.Code, first.Body, retry.Code, retry.Body, front.runs.Load())
	}
	for _, name := range []string{"Location", "Content-Type", "Content-Length", "Idempotency-Expires"} {
		if got, want := retry.Header().Get(name), first.Header().Get(name); got != want || want == "" {
			t.Errorf("%s: %q on the first answer, %q on the replay", name, want, got)
		}
	}
	for name, want := range map[string][2]string{
		"Idempotent-Replayed": {"", "true"}, "Original-Request": {"", "req_1"},
		"Set-Cookie": {"session=1", ""}, "Request-Id": {"req_1", ""},
	} {
		if got := [2]string{first.Header().Get(name), retry.Header().Get(name)}; got != want {
			t.Errorf("%s on the first answer and the replay: %q, want %q", name, got, want)
		}
	}
}

func TestWhoComesWhileTheWorkRunsIsToldSo(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	front := newShopFront(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-leave
		w.WriteHeader(http.StatusCreated)
	})
	var group sync.WaitGroup
	group.Go(func() { front.post("order-1", "a=1") })
	<-entered
	busy := front.post("order-1", "a=1")
	wantProblem(t, busy, 409, "idempotency_key_in_use")
	if busy.Header().Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", busy.Header().Get("Retry-After"))
	}
	conflict := front.post("order-1", "a=2")
	wantProblem(t, conflict, 409, "idempotency_key_reused")
	if conflict.Header().Get("Retry-After") != "" {
		t.Error("a conflict asks to come again")
	}
	close(leave)
	group.Wait()
	if replay := front.post("order-1", "a=1"); replay.Code != 201 || replay.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("afterwards: %d", replay.Code)
	}
}

func TestOfManyEqualRequestsOneRuns(t *testing.T) {
	front := newShopFront(nil)
	var group sync.WaitGroup
	start := make(chan struct{})
	for range 64 {
		group.Go(func() {
			<-start
			if w := front.post("order-1", "a=1"); w.Code != 201 && w.Code != 409 {
				t.Errorf("got %d: %s", w.Code, w.Body)
			}
		})
	}
	close(start)
	group.Wait()
	if front.runs.Load() != 1 {
		t.Errorf("%d runs, want 1", front.runs.Load())
	}
}

func TestAnExpiredAnswerNeverRunsAgain(t *testing.T) {
	front := newShopFront(nil)
	front.post("k", "a")
	front.set(after(terms.Retain))
	wantProblem(t, front.post("k", "a"), 409, "idempotency_result_expired")
	if front.runs.Load() != 1 {
		t.Errorf("%d runs, want 1", front.runs.Load())
	}
}
