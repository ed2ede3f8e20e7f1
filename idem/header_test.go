package idem_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"chargeonce/idem"
)

func TestKeyFromHeaderReadsEveryLine(t *testing.T) {
	h := http.Header{}
	if _, err := idem.KeyFromHeader("shop", h); !errors.Is(err, idem.ErrKeyMissing) {
		t.Errorf("no header: %v", err)
	}
	h.Set("idempotency-key", `"abc"`)
	if key, err := idem.KeyFromHeader("shop", h); err != nil || key != (idem.Key{Owner: "shop", Value: "abc"}) {
		t.Errorf("got %v, error %v", key, err)
	}
	h.Add("IDEMPOTENCY-KEY", "abc")
	if _, err := idem.KeyFromHeader("shop", h); !errors.Is(err, idem.ErrKeyInvalid) {
		t.Errorf("two lines: %v", err)
	}
}

func TestAllowHeaderLetsTwoHeadersPass(t *testing.T) {
	h := http.Header{}
	for _, name := range []string{"content-type", "location", "set-cookie", "date", "etag", "authorization", "idempotent-replayed"} {
		h.Set(name, name)
	}
	h.Add("Location", "a second one")
	want := map[string]string{"Content-Type": "content-type", "Location": "location"}
	if got := idem.AllowHeader(h); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := idem.AllowHeader(nil); len(got) != 0 {
		t.Errorf("out of nothing came %v", got)
	}
}

func TestMarkTellsWhatBecameOfTheRequest(t *testing.T) {
	done := idem.Record{Point: idem.Done, Finished: noon, Answer: idem.Answer{Request: "req_1"}}
	expires := "Tue, 05 May 2026 12:00:00 GMT"
	for _, row := range []struct {
		name     string
		decision idem.Decision
		want     http.Header
	}{
		{"started, open", idem.Decision{Outcome: idem.Started, Record: idem.Record{Point: idem.Claimed}}, http.Header{}},
		{"busy", idem.Decision{Outcome: idem.Busy, Record: idem.Record{Point: idem.Claimed, LeaseUntil: noon}}, http.Header{}},
		{"started, now done", idem.Decision{Outcome: idem.Started, Record: done}, http.Header{"Idempotency-Expires": {expires}}},
		{"conflict with what is done", idem.Decision{Outcome: idem.Conflict, Record: done}, http.Header{"Idempotency-Expires": {expires}}},
		{"replay", idem.Decision{Outcome: idem.Replay, Record: done}, http.Header{
			"Idempotency-Expires": {expires}, "Idempotent-Replayed": {"true"}, "Original-Request": {"req_1"},
		}},
		{"replay of an unnamed request", idem.Decision{Outcome: idem.Replay, Record: idem.Record{Point: idem.Done, Finished: noon.In(time.FixedZone("", 3600))}}, http.Header{
			"Idempotency-Expires": {expires}, "Idempotent-Replayed": {"true"},
		}},
	} {
		h := http.Header{}
		row.decision.Mark(h, terms)
		if !reflect.DeepEqual(h, row.want) {
			t.Errorf("%s: got %v, want %v", row.name, h, row.want)
		}
	}
}

func TestSendWritesTheAnswerAsItWasStored(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Request-Id", "req_2")
	stored := idem.Answer{
		Status: 402, Body: []byte("{\"a\":\u00a0\x00}\n"),
		Header: map[string]string{"Content-Type": "application/json", "Set-Cookie": "session=1"},
	}
	if err := stored.Send(w); err != nil {
		t.Fatalf("send: %v", err)
	}
	if w.Code != 402 || w.Body.String() != string(stored.Body) {
		t.Errorf("sent %d %q", w.Code, w.Body)
	}
	want := http.Header{"Content-Type": {"application/json"}, "Content-Length": {"10"}, "Request-Id": {"req_2"}}
	if !reflect.DeepEqual(w.Header(), want) {
		t.Errorf("headers %v, want %v", w.Header(), want)
	}
}

// gone is a client whose connection is dead.
type gone struct{ http.ResponseWriter }

func (gone) Write([]byte) (int, error) { return 0, http.ErrHandlerTimeout }

func TestSendReportsAClientThatIsGone(t *testing.T) {
	answer := idem.Answer{Status: 201, Body: []byte("x")}
	if err := answer.Send(gone{httptest.NewRecorder()}); !errors.Is(err, http.ErrHandlerTimeout) {
		t.Errorf("got %v", err)
	}
	if err := (idem.Answer{Status: 204}).Send(gone{httptest.NewRecorder()}); err != nil {
		t.Errorf("an answer without a body wrote one: %v", err)
	}
}
