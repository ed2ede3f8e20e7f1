package retrypolicy_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

// through sends a request as an SDK would: by an http.Client on top.
func through(t *testing.T, client *retrypolicy.Client, req *http.Request) (status int, body string, err error) {
	t.Helper()
	resp, err := (&http.Client{Transport: client}).Do(req)
	if err != nil {
		return 0, "", err
	}
	text, readErr := io.ReadAll(resp.Body)
	if err := errors.Join(readErr, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text), nil
}

func TestUnderAnHTTPClientTheSameRequestIsRepeated(t *testing.T) {
	wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
		switch n {
		case 1:
			return answer(503, "down"), nil
		case 2:
			return nil, syscall.ECONNRESET
		}
		return answer(201, "charged", "Location", "/v1/charges/ch_1"), nil
	}}
	status, body, err := through(t, &retrypolicy.Client{Transport: wire, Policy: impatient()}, keyed(t, "amount=5000"))
	if status != 201 || body != "charged" || err != nil || len(wire.sent) != 3 {
		t.Fatalf("%d %q, error %v, %d sends", status, body, err, len(wire.sent))
	}
	for i, s := range wire.sent {
		if s.key != theKey || s.body != "amount=5000" || s.length != 11 {
			t.Errorf("send %d: %+v", i+1, s)
		}
	}
}

func TestUnderAnHTTPClientTheLastAnswerCountsMoreThanTheLimit(t *testing.T) {
	policy := impatient()
	policy.MaxAttempts = 2
	clients := map[string]struct {
		client *retrypolicy.Client
		status int
		sends  int
	}{
		"attempts used up": {&retrypolicy.Client{Transport: statuses(502, 503), Policy: policy}, 503, 2},
		"budget used up": {&retrypolicy.Client{
			Transport: statuses(503), Policy: policy, Budget: &retrypolicy.Budget{Burst: 1, PerSecond: -1, PerCall: -1},
		}, 503, 2},
		"breaker opened": {&retrypolicy.Client{Transport: statuses(503), Policy: policy, Breaker: &retrypolicy.Breaker{MinVolume: 1}}, 503, 1},
		"wait too long": {&retrypolicy.Client{Transport: &fake{answer: func(int, *http.Request) (*http.Response, error) {
			return answer(429, "", "Retry-After", "3600"), nil
		}}, Policy: policy}, 429, 1},
	}
	for name, c := range clients {
		status, _, err := through(t, c.client, keyed(t, ""))
		if sends := len(c.client.Transport.(*fake).sent); status != c.status || err != nil || sends != c.sends {
			t.Errorf("%s: status %d, error %v, %d sends; want %d and %d", name, status, err, sends, c.status, c.sends)
		}
	}
}

func TestUnderAnHTTPClientAnUnknownOutcomeIsAnError(t *testing.T) {
	policy := impatient()
	policy.MaxAttempts = 2
	wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
		if n == 1 {
			return answer(503, "down"), nil // an older answer is not the outcome
		}
		return nil, syscall.ECONNRESET
	}}
	_, _, err := through(t, &retrypolicy.Client{Transport: wire, Policy: policy}, keyed(t, ""))
	if !errors.Is(err, retrypolicy.ErrExceeded) || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("error %v", err)
	}
	_, _, err = through(t, &retrypolicy.Client{Transport: failing(syscall.ECONNRESET)}, keyless(t, ""))
	if !errors.Is(err, retrypolicy.ErrStopped) {
		t.Errorf("without a key: error %v", err)
	}
	wire.sent = nil
	opening := &retrypolicy.Client{Transport: wire, Policy: impatient(), Breaker: &retrypolicy.Breaker{MinVolume: 2}}
	if _, _, err = through(t, opening, keyed(t, "")); wantOpen(t, err).Response == nil {
		t.Error("the older answer is lost")
	}
	synctest.Test(t, func(t *testing.T) {
		_, _, err = through(t, tripped(t, statuses(201), policy), keyed(t, ""))
		if open := wantOpen(t, err); open.Attempts != 0 {
			t.Errorf("%+v", open)
		}
	})
}

// The trap: an http.Client makes a GET out of a POST that meets a 302, and
// takes that GET's answer for a payment.
func TestUnderAnHTTPClientAKeyedPostIsNotTurnedIntoAGet(t *testing.T) {
	for _, status := range []int{301, 302, 303} {
		wire := moved(1, status, "/elsewhere")
		_, _, err := through(t, &retrypolicy.Client{Transport: wire, Policy: impatient()}, keyed(t, "body"))
		if !errors.Is(err, retrypolicy.ErrRedirect) || len(wire.sent) != 1 {
			t.Errorf("%d: error %v after %d sends", status, err, len(wire.sent))
		}
	}
}

func TestUnderAnHTTPClientOtherRedirectsAreTheHTTPClients(t *testing.T) {
	for method, statuses := range map[string][]int{"GET": {301, 302, 303, 307, 308}, "POST": {307, 308}} {
		for _, status := range statuses {
			wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
				switch n {
				case 1:
					return answer(status, "", "Location", "/v2"), nil
				case 2:
					return answer(503, ""), nil
				}
				return answer(200, "there"), nil
			}}
			asked := 0
			client := &http.Client{
				Transport:     &retrypolicy.Client{Transport: wire, Policy: impatient()},
				CheckRedirect: func(*http.Request, []*http.Request) error { asked++; return nil },
			}
			resp, err := client.Do(request(t, method, "http://api.test/v1", theKey, "body"))
			if err != nil {
				t.Fatal(err)
			}
			if err := resp.Body.Close(); err != nil {
				t.Fatal(err)
			}
			last := wire.sent[len(wire.sent)-1]
			if resp.StatusCode != 200 || asked != 1 || len(wire.sent) != 3 || last.key != theKey ||
				last.url != "http://api.test/v2" || last.method != method || resp.Request.URL.Path != "/v2" {
				t.Errorf("%s %d: status %d after %d sends, asked %d times, last %+v", method, status, resp.StatusCode, len(wire.sent), asked, last)
			}
		}
	}
}

func TestUnderAnHTTPClientItsTimeoutIsTheCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := &fake{answer: func(_ int, req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}}
		client := &http.Client{Transport: &retrypolicy.Client{Transport: hanging, Policy: impatient()}, Timeout: 3 * sec}
		began := time.Now()
		_, err := client.Do(keyed(t, ""))
		if timeout, ok := errors.AsType[*url.Error](err); !ok || !timeout.Timeout() || time.Since(began) != 3*sec {
			t.Errorf("error %v after %v", err, time.Since(began))
		}
		if len(hanging.sent) != 2 {
			t.Errorf("%d sends", len(hanging.sent))
		}
	})
}

func TestARoundTripKeepsWhatTheAnswerSays(t *testing.T) {
	for _, overHTTP2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "Checked")
			w.Header().Set("X-Key", r.Header.Get("Idempotency-Key"))
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, "charged")
			w.Header().Set("Checked", "yes")
		}))
		server.EnableHTTP2 = overHTTP2
		server.StartTLS()
		t.Cleanup(server.Close)
		req := request(t, http.MethodPost, server.URL, theKey, "body")
		client := &retrypolicy.Client{Transport: server.Client().Transport, Policy: onLoopback()}
		resp, err := client.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(resp.Status, " ", resp.ProtoMajor, " ", string(body), " ", resp.Header.Get("X-Key"), " ",
			resp.Trailer.Get("Checked"), " ", resp.TLS != nil, " ", resp.Request == req)
		major := map[bool]int{false: 1, true: 2}[overHTTP2]
		if want := fmt.Sprintf("201 Created %d charged order-7F3A yes true true", major); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestIdleConnectionsAreClosedThroughTheClient(t *testing.T) {
	below := &closer{RoundTripper: statuses(200)}
	(&http.Client{Transport: &retrypolicy.Client{Transport: below}}).CloseIdleConnections()
	if below.times != 1 {
		t.Errorf("closed %d times", below.times)
	}
	(&http.Client{Transport: &retrypolicy.Client{Transport: statuses(200)}}).CloseIdleConnections() // has none: no panic
}

type closer struct {
	http.RoundTripper
	times int
}

func (c *closer) CloseIdleConnections() { c.times++ }

func TestARoundTripLeavesTheRequestAlone(t *testing.T) {
	req := keyed(t, "body")
	before := fmt.Sprint(req.Method, req.URL, req.Header, req.ContentLength, req.Host)
	resp, err := (&retrypolicy.Client{Transport: statuses(503, 201), Policy: impatient()}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if after := fmt.Sprint(req.Method, req.URL, req.Header, req.ContentLength, req.Host); after != before || strings.Contains(after, "503") {
		t.Errorf("request is now %s, was %s", after, before)
	}
}
