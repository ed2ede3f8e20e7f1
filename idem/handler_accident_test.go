package idem_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/idem"
)

func TestAnAccidentIsNotStored(t *testing.T) {
	for _, status := range []int{500, 502, 503, 504, 408, 425, 429} {
		var resumed []bool
		var resources []string
		front := newShopFront(func(w http.ResponseWriter, r *http.Request) {
			attempt, ok := idem.AttemptFrom(r.Context())
			if !ok {
				t.Fatal("no attempt in the context")
			}
			resumed, resources = append(resumed, attempt.Resumed), append(resources, attempt.Record.Resource)
			if len(resumed) == 1 {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(status)
			}
		})
		first, second, third := front.post("k", "a"), front.post("k", "a"), front.post("k", "a")
		if first.Code != status || first.Header().Get("Retry-After") != "7" || second.Code != 200 || third.Code != 200 {
			t.Errorf("status %d: got %d, %d, %d", status, first.Code, second.Code, third.Code)
		}
		if fmt.Sprint(resumed) != "[false true]" || resources[0] != resources[1] || resources[0] == "" {
			t.Errorf("status %d: resumed %v with resources %v", status, resumed, resources)
		}
	}
}

func TestADefiniteRefusalIsStored(t *testing.T) {
	for _, status := range []int{303, 400, 402, 404, 409, 422} {
		front := newShopFront(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "no")
		})
		first, retry := front.post("k", "a"), front.post("k", "a")
		if first.Code != status || retry.Code != status || retry.Body.String() != "no" || front.runs.Load() != 1 {
			t.Errorf("status %d: got %d, then %d, %d runs", status, first.Code, retry.Code, front.runs.Load())
		}
	}
}

func TestAPanicGoesOnUpAndLeavesTheKeyFree(t *testing.T) {
	panics := true
	front := newShopFront(func(w http.ResponseWriter, r *http.Request) {
		if panics {
			panic(http.ErrAbortHandler)
		}
	})
	func() {
		defer func() {
			if value := recover(); value != http.ErrAbortHandler {
				t.Errorf("recovered %v", value)
			}
		}()
		front.post("k", "a")
	}()
	panics = false
	if w := front.post("other", "a"); w.Code != 200 {
		t.Errorf("another key: %d", w.Code)
	}
	if w := front.post("k", "a"); w.Code != 200 || w.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("the same key: %d %s", w.Code, w.Body)
	}
}

func TestAClientThatHangsUpUndoesNothing(t *testing.T) {
	ctx, hangUp := context.WithCancel(t.Context())
	front := newShopFront(func(w http.ResponseWriter, r *http.Request) {
		hangUp()
		if err := r.Context().Err(); err != nil {
			t.Errorf("the work was told to stop: %v", err)
		}
		w.WriteHeader(http.StatusCreated)
	})
	front.post("k", "a", func(r *http.Request) { *r = *r.WithContext(ctx) })
	if retry := front.post("k", "a"); retry.Code != 201 || retry.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("the retry got %d", retry.Code)
	}
}

func TestTheWorkIsToldToStopBeforeItsLeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran time.Duration
		front := newShopFront(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			<-r.Context().Done()
			ran = time.Since(start)
			w.WriteHeader(http.StatusGatewayTimeout)
		})
		front.post("k", "a")
		if ran <= 0 || ran >= terms.Lease {
			t.Errorf("the work ran for %v under a lease of %v", ran, terms.Lease)
		}
	})
}

func TestWhoLosesTheClaimLosesTheAnswer(t *testing.T) {
	entered, leave := make(chan struct{}, 2), make(chan struct{})
	front := newShopFront(nil)
	front.work = func(w http.ResponseWriter, r *http.Request) {
		if attempt, _ := idem.AttemptFrom(r.Context()); !attempt.Resumed {
			entered <- struct{}{}
			<-leave
			_, _ = io.WriteString(w, "zombie")
			return
		}
		_, _ = io.WriteString(w, "successor")
	}
	late := make(chan *httptest.ResponseRecorder)
	go func() { late <- front.post("k", "a") }()
	<-entered
	front.set(after(terms.Lease))
	if w := front.post("k", "a"); w.Body.String() != "successor" {
		t.Errorf("the successor got %d %s", w.Code, w.Body)
	}
	close(leave)
	wantProblem(t, <-late, 409, "idempotency_key_in_use")
	if w := front.post("k", "a"); w.Body.String() != "successor" {
		t.Errorf("the replay is %d %s", w.Code, w.Body)
	}
}

func TestAHandlerWithoutAClockReadsTheMachines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		front := newShopFront(nil)
		front.Now = nil
		front.post("k", "a")
		time.Sleep(terms.Retain - 1)
		if w := front.post("k", "a"); w.Code != 201 {
			t.Errorf("just before the end of the retention: %d", w.Code)
		}
		time.Sleep(time.Nanosecond)
		wantProblem(t, front.post("k", "a"), 409, "idempotency_result_expired")
	})
}
