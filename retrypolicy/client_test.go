package retrypolicy_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

func TestDoRepeatsUntilAnAttemptIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := statuses(503, 429, 502, 201)
		client := retrypolicy.Client{Transport: wire, Policy: always(.5)}
		began := time.Now()
		resp, err := client.Do(keyed(t, "body"))
		wantStatus(t, resp, err, 201, 4)
		if took := time.Since(began); took != 700*ms {
			t.Errorf("waits add up to %v, want half of 200+400+800 ms", took)
		}
	})
}

func TestDoHandsOverWhatIsNotWorthRepeating(t *testing.T) {
	for _, status := range []int{200, 201, 204, 304, 400, 401, 402, 403, 404, 409, 422, 500, 501} {
		wire := statuses(status)
		resp, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(keyed(t, "body"))
		wantStatus(t, resp, err, status, 1)
	}
}

// Case E16: a key made within the attempt makes every attempt a new charge.
func TestEveryAttemptCarriesTheCallersKeyEvenAfterARestart(t *testing.T) {
	wire := statuses(503)
	for range 2 { // the second client is the first one, started again with the saved key
		_, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(keyed(t, "body"))
		wantExceeded(t, err)
	}
	if len(wire.sent) != 10 {
		t.Fatalf("%d sends, want 2 × 5", len(wire.sent))
	}
	for i, s := range wire.sent {
		if s.key != theKey {
			t.Errorf("send %d carries key %q", i+1, s.key)
		}
	}
}

func TestDoMakesUpNoKey(t *testing.T) {
	wire := statuses(201)
	resp, err := (&retrypolicy.Client{Transport: wire}).Do(keyless(t, "body"))
	wantStatus(t, resp, err, 201, 1)
	if _, there := wire.sent[0].header["Idempotency-Key"]; there {
		t.Error("a key was added")
	}
}

// Case E13.
func TestAKeylessPostIsNotRepeatedOnceBytesMayHaveLeft(t *testing.T) {
	reset := fmt.Errorf("read: %w", syscall.ECONNRESET)
	wire := failing(reset)
	_, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(keyless(t, "body"))
	stopped := wantStopped(t, err)
	if len(wire.sent) != 1 || stopped.Attempts != 1 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%d sends, error %v", len(wire.sent), err)
	}
	wire = failing(reset)
	resp, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(keyed(t, "body"))
	wantStatus(t, resp, err, 201, 2)
}

func TestAKeylessPostGetsItsPassingStatusAsAnAnswer(t *testing.T) {
	wire := statuses(503, 201)
	resp, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(keyless(t, "body"))
	wantStatus(t, resp, err, 503, 1)
}

func TestAKeylessPostIsRepeatedWhenNothingLeft(t *testing.T) {
	wire := failing(dialing(syscall.ECONNREFUSED))
	resp, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(keyless(t, "body"))
	wantStatus(t, resp, err, 201, 2)
}

func TestABusyAnswerIsRepeatedAfterItsRetryAfterAndAConflictNever(t *testing.T) {
	conflict := func(code string) *fake {
		return &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
			if n > 1 {
				return answer(201, ""), nil
			}
			return answer(409, `{"status":409,"error":{"code":"`+code+`"}}`, "Retry-After", "1"), nil
		}}
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		client := retrypolicy.Client{Transport: conflict(retrypolicy.CodeKeyInUse), Policy: impatient()}
		resp, err := client.Do(keyed(t, "body"))
		wantStatus(t, resp, err, 201, 2)
		if took := time.Since(began); took != sec {
			t.Errorf("waited %v, want 1s", took)
		}
		client.Transport = conflict(retrypolicy.CodeKeyReused)
		resp, err = client.Do(keyed(t, "body"))
		wantStatus(t, resp, err, 409, 1)
	})
}

func TestA409WithoutAReadableCodeIsFinal(t *testing.T) {
	for _, body := range []string{"", "{", "[]", "null", `{"error":"busy"}`, `{"error":{"code":7}}`, "busy"} {
		wire := &fake{answer: func(int, *http.Request) (*http.Response, error) { return answer(409, body), nil }}
		resp, err := (&retrypolicy.Client{Transport: wire}).Do(keyed(t, ""))
		wantStatus(t, resp, err, 409, 1)
	}
}

func TestTheAnswersBodyAndHeaderArriveWhole(t *testing.T) {
	long := strings.Repeat("x", retrypolicy.MaxAnswerBody)
	wire := &fake{answer: func(int, *http.Request) (*http.Response, error) {
		return answer(201, long, "Location", "/v1/charges/ch_1"), nil
	}}
	resp, err := (&retrypolicy.Client{Transport: wire}).Do(keyed(t, ""))
	wantStatus(t, resp, err, 201, 1)
	if string(resp.Body) != long || resp.Header.Get("Location") != "/v1/charges/ch_1" {
		t.Errorf("%d bytes, Location %q", len(resp.Body), resp.Header.Get("Location"))
	}
}

func TestAnAnswerAboveTheBoundIsAnErrorThatSaysSo(t *testing.T) {
	endless := &fake{answer: func(int, *http.Request) (*http.Response, error) {
		resp := answer(201, "")
		resp.Body = io.NopCloser(zeros{})
		return resp, nil
	}}
	_, err := (&retrypolicy.Client{Transport: endless, Policy: impatient()}).Do(keyed(t, ""))
	wantStopped(t, err)
	if !errors.Is(err, retrypolicy.ErrAnswerTooLarge) || !strings.Contains(err.Error(), "1048576") {
		t.Errorf("error %v", err)
	}
	if len(endless.sent) != 1 {
		t.Errorf("%d sends: the same answer would be too large again", len(endless.sent))
	}
}

// zeros is a body without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestHalfAnAnswerIsAnUnknownOutcome(t *testing.T) {
	half := func() *fake {
		return &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
			resp := answer(201, "charged")
			if n == 1 {
				resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("cha"), broken{}))
			}
			return resp, nil
		}}
	}
	watch := new(recorder)
	client := retrypolicy.Client{Transport: half(), Policy: impatient(), Hooks: watch.hooks()}
	resp, err := client.Do(keyed(t, ""))
	wantStatus(t, resp, err, 201, 2)
	if first := watch.ended[0]; first.Status != 201 || !errors.Is(first.Err, io.ErrUnexpectedEOF) {
		t.Errorf("first attempt: status %d, error %v", first.Status, first.Err)
	}
	client.Transport = half()
	_, err = client.Do(keyless(t, ""))
	wantStopped(t, err)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestEveryAnswersBodyIsClosed(t *testing.T) {
	for name, content := range map[string]io.Reader{
		"whole": strings.NewReader("charged"), "broken": broken{}, "too large": zeros{},
	} {
		body := &closing{Reader: content}
		wire := &fake{answer: func(int, *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 201, Body: body}, nil
		}}
		_, _ = (&retrypolicy.Client{Transport: wire}).Do(keyless(t, ""))
		if body.times != 1 {
			t.Errorf("%s: closed %d times, want 1", name, body.times)
		}
	}
}

func TestATransportThatReturnsNothingIsAnErrorAndNoPanic(t *testing.T) {
	silent := &fake{answer: func(int, *http.Request) (*http.Response, error) { return nil, nil }}
	_, err := (&retrypolicy.Client{Transport: silent, Policy: impatient()}).Do(keyless(t, ""))
	wantStopped(t, err)
	if !errors.Is(err, retrypolicy.ErrNoAnswer) {
		t.Errorf("error %v", err)
	}
	bare := &fake{answer: func(int, *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 204}, nil
	}}
	resp, err := (&retrypolicy.Client{Transport: bare}).Do(keyless(t, ""))
	wantStatus(t, resp, err, 204, 1)
	if resp.Body == nil {
		t.Error("the body of an answer is never nil")
	}
}

func TestWhatATransportChangesDoesNotReachTheNextAttempt(t *testing.T) {
	wire := &fake{answer: func(n int, req *http.Request) (*http.Response, error) {
		req.Header.Set("Idempotency-Key", "spoiled")
		req.Header.Add("X-Seen", "1")
		req.Method, req.URL.Path = http.MethodGet, "/spoiled"
		if n < 3 {
			return answer(503, ""), nil
		}
		return answer(201, ""), nil
	}}
	req := keyed(t, "body")
	resp, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(req)
	wantStatus(t, resp, err, 201, 3)
	for i, s := range wire.sent {
		if s.key != theKey || s.method != "POST" || s.url != "http://api.test/v1/charges" || s.header.Get("X-Seen") != "" {
			t.Errorf("send %d: %+v", i+1, s)
		}
	}
	if req.Header.Get("Idempotency-Key") != theKey || req.URL.Path != "/v1/charges" {
		t.Error("the caller's request was changed")
	}
}
