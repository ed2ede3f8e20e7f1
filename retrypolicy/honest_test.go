package retrypolicy_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"chargeonce/retrypolicy"
)

// deadly is a server on in-memory pipes that answers its first request and
// then reads every further one to its end and closes without a word. Its
// counter is the truth about how often a request was on the wire.
type deadly struct {
	requests atomic.Int64
	raw      chan string // each request's bytes as they came
}

func (d *deadly) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go d.serve(server)
	return client, nil
}

func (d *deadly) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	var seen bytes.Buffer
	reader := bufio.NewReader(io.TeeReader(conn, &seen))
	for {
		seen.Reset()
		req, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		d.raw <- seen.String()
		if d.requests.Add(1) > 1 {
			return
		}
		if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"); err != nil {
			return
		}
	}
}

// onDeadly warms one connection up, so that the request under test reuses it,
// and returns how many times that one was sent.
func onDeadly(t *testing.T, send func(*testing.T, *http.Transport)) int {
	var count int
	synctest.Test(t, func(t *testing.T) {
		server := &deadly{raw: make(chan string, 64)}
		transport := &http.Transport{DialContext: server.dial}
		defer transport.CloseIdleConnections()
		warm, err := (&http.Client{Transport: transport}).Get("http://api.test/warm")
		if err != nil {
			t.Fatal(err)
		}
		if err := warm.Body.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // until the connection is idle
		send(t, transport)
		synctest.Wait()
		count = int(server.requests.Load()) - 1
	})
	return count
}

// replayable are the requests that net/http sends again by itself.
var replayable = []struct{ name, method, key, body string }{
	{"keyed POST", http.MethodPost, theKey, "body"},
	{"keyed POST, empty", http.MethodPost, theKey, ""},
	{"keyed DELETE, empty", http.MethodDelete, theKey, ""},
	{"keyed PATCH", http.MethodPatch, theKey, "body"},
	{"GET", http.MethodGet, "", ""},
}

// The control: without it, the test below could pass because there is no trap.
func TestNetHTTPAloneSendsReplayableRequestsTwice(t *testing.T) {
	for _, r := range replayable {
		count := onDeadly(t, func(t *testing.T, transport *http.Transport) {
			resp, err := transport.RoundTrip(request(t, r.method, "http://api.test/", r.key, r.body))
			if err == nil {
				_ = resp.Body.Close()
				t.Errorf("%s: answered by a server that never answers", r.name)
			}
		})
		if count != 2 {
			t.Errorf("%s: %d times on the wire; the trap is gone, and so may be the defence", r.name, count)
		}
	}
}

func TestAnAttemptIsOneRequestOnTheWire(t *testing.T) {
	for _, r := range replayable {
		for _, attempts := range []int{1, 3} {
			count := onDeadly(t, func(t *testing.T, transport *http.Transport) {
				policy := impatient()
				policy.MaxAttempts = attempts
				_, err := (&retrypolicy.Client{Transport: transport, Policy: policy}).Do(
					request(t, r.method, "http://api.test/", r.key, r.body))
				if got := wantExceeded(t, err).Attempts; got != attempts {
					t.Errorf("%s: %d attempts, want %d", r.name, got, attempts)
				}
			})
			if count != attempts {
				t.Errorf("%s: %d attempts, %d times on the wire", r.name, attempts, count)
			}
		}
	}
}

func TestAKeylessPostOnADeadConnectionIsOneRequestOnTheWire(t *testing.T) {
	for _, body := range []string{"", "body"} {
		count := onDeadly(t, func(t *testing.T, transport *http.Transport) {
			_, err := (&retrypolicy.Client{Transport: transport, Policy: impatient()}).Do(keyless(t, body))
			wantStopped(t, err)
		})
		if count != 1 {
			t.Errorf("body %q: %d times on the wire", body, count)
		}
	}
}

func TestEmptyBodiesAreEmptyOnTheWire(t *testing.T) {
	cases := map[string]string{
		// A GET must not announce a body; a POST may have an empty chunked one.
		http.MethodGet:    "GET / HTTP/1.1\r\nHost: api.test\r\nIdempotency-Key: order-7F3A\r\n\r\n",
		http.MethodDelete: "DELETE / HTTP/1.1\r\nHost: api.test\r\nIdempotency-Key: order-7F3A\r\n\r\n",
		http.MethodPost:   "POST / HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\nIdempotency-Key: order-7F3A\r\n\r\n0\r\n\r\n",
	}
	for method, want := range cases {
		synctest.Test(t, func(t *testing.T) {
			server := &deadly{raw: make(chan string, 64)}
			transport := &http.Transport{DialContext: server.dial, DisableCompression: true}
			defer transport.CloseIdleConnections()
			req := request(t, method, "http://api.test/", theKey, "")
			req.Header["User-Agent"] = nil // sends none
			resp, err := (&retrypolicy.Client{Transport: transport}).Do(req)
			wantStatus(t, resp, err, 200, 1)
			if got := <-server.raw; got != want {
				t.Errorf("%s: %q, want %q", method, got, want)
			}
		})
	}
}
