package idem_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chargeonce/idem"
)

// booking is an effect in the store of the keys: a record of its own.
var booking = idem.Record{Key: idem.Key{Owner: "books", Value: "ch_1"}, Point: idem.Done, Fence: 1}

func booked(t *testing.T, store idem.Store) bool {
	t.Helper()
	_, isFree := look(t, store, booking)
	return !isFree
}

// look sees whether a key is free, and leaves it so.
func look(t *testing.T, store idem.Store, record idem.Record) (holder idem.Record, isFree bool) {
	t.Helper()
	looked := errors.New("only looking")
	err := store.Update(t.Context(), func(tx idem.Tx) (err error) {
		if holder, isFree, err = tx.InsertKey(record); err != nil {
			return err
		}
		return looked
	})
	if !errors.Is(err, looked) {
		t.Fatalf("look: %v", err)
	}
	return holder, isFree
}

func TestAnEffectIsThereIfAndOnlyIfItsAnswerIs(t *testing.T) {
	for _, row := range []struct {
		name   string
		effect error
		status int
		want   bool
	}{
		{"a definite answer", nil, 201, true},
		{"an accident", nil, 503, false},
		{"an effect that fails", errors.New("no room"), 201, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			front := newShopFront(func(w http.ResponseWriter, r *http.Request) {
				attempt, _ := idem.AttemptFrom(r.Context())
				attempt.OnFinish(func(tx idem.Tx) error { _, _, err := tx.InsertKey(booking); return err })
				attempt.OnFinish(func(idem.Tx) error { return row.effect })
				w.WriteHeader(row.status)
			})
			first := front.post("k", "a")
			if got := booked(t, &front.store); got != row.want {
				t.Errorf("booked: %v, want %v (answered %d)", got, row.want, first.Code)
			}
			if row.effect != nil {
				wantProblem(t, first, 503, "outcome_unknown")
			}
			again := front.post("k", "a")
			if replayed := again.Header().Get("Idempotent-Replayed") == "true"; replayed != row.want {
				t.Errorf("answered again: %d, replayed %v, want %v", again.Code, replayed, row.want)
			}
		})
	}
}

func TestAnEffectOfALostClaimIsNotThere(t *testing.T) {
	front := newShopFront(nil)
	front.work = func(w http.ResponseWriter, r *http.Request) {
		attempt, _ := idem.AttemptFrom(r.Context())
		if attempt.Resumed {
			return
		}
		attempt.OnFinish(func(tx idem.Tx) error { _, _, err := tx.InsertKey(booking); return err })
		front.set(after(terms.Lease))
		front.post("k", "a") // another attempt takes over and finishes
	}
	wantProblem(t, front.post("k", "a"), 409, "idempotency_key_in_use")
	if booked(t, &front.store) {
		t.Error("the effect of the attempt that lost its claim was committed")
	}
}

func TestThereIsNoAttemptOutsideAHandler(t *testing.T) {
	if attempt, ok := idem.AttemptFrom(t.Context()); ok || attempt != nil {
		t.Errorf("got %v", attempt)
	}
}

func TestTheWorkReadsTheWholeBody(t *testing.T) {
	front := newShopFront(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != "a=1" || r.ContentLength != 3 {
			t.Errorf("read %q of %d bytes, error %v", body, r.ContentLength, err)
		}
	})
	front.post("k", "a=1", func(r *http.Request) { r.ContentLength, r.TransferEncoding = -1, []string{"chunked"} })
}

func TestEachShapeOfAnswerReplaysAlike(t *testing.T) {
	for name, work := range map[string]http.HandlerFunc{
		"nothing written": func(http.ResponseWriter, *http.Request) {},
		"a body only":     func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<p>hello") },
		"no content":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204); _, _ = io.WriteString(w, "x") },
		"an announcement": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(202) },
		"two statuses":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201); w.WriteHeader(500) },
		"a late header":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201); w.Header().Set("Location", "/late") },
		"a wrong length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = io.WriteString(w, "x")
		},
		"a length of nothing": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "9") },
		"several writes": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "a")
			_, _ = io.WriteString(w, "b")
		},
		"the largest body": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, idem.MaxAnswer)) },
		"a type of no sense": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "a")
			_, _ = io.WriteString(w, "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			front := newShopFront(work)
			first, replay := front.post("k", "a"), front.post("k", "a")
			if replay.Header().Get("Idempotent-Replayed") != "true" {
				t.Fatalf("the second answer is %d, not a replay", replay.Code)
			}
			if first.Code != replay.Code || first.Body.String() != replay.Body.String() {
				t.Errorf("first %d with %d bytes, replay %d with %d bytes", first.Code, first.Body.Len(), replay.Code, replay.Body.Len())
			}
			for _, header := range []string{"Content-Type", "Content-Length", "Location"} {
				if a, b := first.Header().Get(header), replay.Header().Get(header); a != b || b == "/late" {
					t.Errorf("%s: first %q, replay %q", header, a, b)
				}
			}
		})
	}
}

func TestABodyWithoutATypeGetsOneByItsLooks(t *testing.T) {
	front := newShopFront(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<p>hello") })
	front.post("k", "a")
	if got := front.post("k", "a").Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("the replay is of type %q", got)
	}
}

// Not to store a large answer would make its effect again at each retry.
func TestAnAnswerTooLargeToKeepStillKeepsItsKey(t *testing.T) {
	var writeErr error
	front := newShopFront(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/v1/charges/ch_1")
		w.WriteHeader(201)
		_, _ = io.WriteString(w, "{")
		_, writeErr = io.WriteString(w, strings.Repeat("x", idem.MaxAnswer))
		_, _ = io.WriteString(w, "}")
	})
	first, replay := front.post("k", "a"), front.post("k", "a")
	if first.Code != 201 || first.Body.Len() != 0 || replay.Code != 201 || replay.Body.Len() != 0 || front.runs.Load() != 1 {
		t.Errorf("first %d with %d bytes, replay %d with %d bytes, %d runs",
			first.Code, first.Body.Len(), replay.Code, replay.Body.Len(), front.runs.Load())
	}
	if replay.Header().Get("Location") != "/v1/charges/ch_1" {
		t.Error("the replay does not say where the charge is")
	}
	if !errors.Is(writeErr, idem.ErrAnswer) {
		t.Errorf("the work was told %v", writeErr)
	}
}

func TestAnAnswerNamesTheRequestThatTheServerGaveIt(t *testing.T) {
	front := newShopFront(func(http.ResponseWriter, *http.Request) {})
	outer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Request-Id", "req_outer")
		front.ServeHTTP(w, r)
	})
	r := httptest.NewRequest("POST", "/v1/charges", strings.NewReader("a"))
	r.SetBasicAuth("shop", "")
	r.Header.Set("Idempotency-Key", "k")
	outer.ServeHTTP(httptest.NewRecorder(), r)
	if replay := front.post("k", "a"); replay.Header().Get("Original-Request") != "req_outer" {
		t.Errorf("the replay names %q", replay.Header().Get("Original-Request"))
	}
}
