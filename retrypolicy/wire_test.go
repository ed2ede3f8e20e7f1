package retrypolicy_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

// serve starts a server on loopback whose handler is given the number of the
// request, and a transport of its own for it.
func serve(t *testing.T, handle func(n int, w http.ResponseWriter, r *http.Request)) (*httptest.Server, *http.Transport, *atomic.Int64) {
	t.Helper()
	var count atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handle(int(count.Add(1)), w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(func() { transport.CloseIdleConnections(); server.Close() })
	return server, transport, &count
}

// reset takes the request and answers with a TCP reset.
func reset(t *testing.T, w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		t.Error(err)
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
		t.Error(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}

// Case E13, on a real socket: the server commits, then resets.
func TestAResetAfterTheCommitIsRepeatedOnlyUnderAKey(t *testing.T) {
	for key, want := range map[string]int64{"": 1, theKey: 2} {
		server, transport, count := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 1 {
				reset(t, w, r)
				return
			}
			w.WriteHeader(201)
		})
		server.Start()
		watch := new(recorder)
		client := retrypolicy.Client{Transport: transport, Policy: onLoopback(), Hooks: watch.hooks()}
		_, err := client.Do(request(t, http.MethodPost, server.URL, key, "body"))
		if (err == nil) != (key != "") || count.Load() != want {
			t.Errorf("key %q: error %v, %d requests, want %d", key, err, count.Load(), want)
		}
		if !errors.Is(watch.ended[0].Err, syscall.ECONNRESET) || watch.ended[0].Unsent {
			t.Errorf("first attempt ended with %v, want a reset", watch.ended[0].Err)
		}
	}
}

func TestHalfAnAnswerOnTheWireIsRepeatedUnderAKey(t *testing.T) {
	server, transport, _ := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "7")
		w.WriteHeader(201)
		if n == 1 {
			_, _ = io.WriteString(w, "cha")
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "charged")
	})
	server.Start()
	client := retrypolicy.Client{Transport: transport, Policy: onLoopback()}
	resp, err := client.Do(request(t, http.MethodPost, server.URL, theKey, "body"))
	wantStatus(t, resp, err, 201, 2)
	if string(resp.Body) != "charged" {
		t.Errorf("body %q", resp.Body)
	}
}

func TestARefusedConnectionIsRepeatedEvenWithoutAKey(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	watch := new(recorder)
	client := retrypolicy.Client{Transport: new(http.Transport), Policy: onLoopback(), Hooks: watch.hooks()}
	_, err = client.Do(request(t, http.MethodPost, url, "", "body"))
	exceeded := wantExceeded(t, err)
	for _, end := range watch.ended {
		if !end.Unsent {
			t.Errorf("told %+v, want unsent", end)
		}
	}
	if exceeded.Attempts != 5 || !errors.Is(err, syscall.ECONNREFUSED) || !strings.Contains(exceeded.Reason, "nothing was sent") {
		t.Errorf("%+v", exceeded)
	}
}

// A connect that hangs is a timeout too, but not one with an unknown outcome.
func TestATimeoutWhileConnectingIsRepeatedEvenWithoutAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// net/http dials on a context of its own, which outlives the attempt.
		give := make(chan struct{})
		defer close(give)
		transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			<-give
			return nil, dialing(syscall.ETIMEDOUT)
		}}
		watch := new(recorder)
		client := retrypolicy.Client{Transport: transport, Policy: impatient(), Hooks: watch.hooks()}
		_, err := client.Do(keyless(t, "body"))
		if exceeded := wantExceeded(t, err); exceeded.Attempts != 5 || !errors.Is(err, retrypolicy.ErrAttemptTimeout) {
			t.Errorf("%+v", exceeded)
		}
		if first := watch.ended[0]; !first.Timeout || first.Reason != "timed out while connecting; nothing was sent" {
			t.Errorf("told %+v", first)
		}
	})
}

// Case E19, on a real handshake.
func TestABadCertificateIsNotRepeated(t *testing.T) {
	server, transport, count := serve(t, func(int, http.ResponseWriter, *http.Request) {})
	server.StartTLS()
	watch := new(recorder)
	client := retrypolicy.Client{Transport: transport, Policy: onLoopback(), Hooks: watch.hooks()}
	_, err := client.Do(request(t, http.MethodPost, server.URL+"/EOF", theKey, "body"))
	if stopped := wantStopped(t, err); stopped.Reason != "certificate not accepted" || len(watch.ended) != 1 || count.Load() != 0 {
		t.Errorf("%+v after %d attempts", stopped, len(watch.ended))
	}
}

func TestAnUnknownHostIsNotRepeated(t *testing.T) {
	var dials atomic.Int64
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		dials.Add(1)
		return nil, dialing(&net.DNSError{Err: "no such host", Name: "eof.test", IsNotFound: true})
	}}
	_, err := (&retrypolicy.Client{Transport: transport, Policy: onLoopback()}).Do(
		request(t, http.MethodGet, "http://eof.test/timeout", "", ""))
	if stopped := wantStopped(t, err); stopped.Reason != "unknown host" || dials.Load() != 1 {
		t.Errorf("%+v after %d dials", stopped, dials.Load())
	}
}

// Case E15: answers that are not read and closed leak a socket each, just when
// the server is overloaded.
func TestRepeatedAnswersGiveTheirConnectionsBack(t *testing.T) {
	const calls, workers, attempts = 500, 8, 3
	before := runtime.NumGoroutine()
	var conns atomic.Int64
	server, transport, count := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(503)
		_, _ = io.WriteString(w, strings.Repeat("x", 4<<10))
	})
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	server.Start()
	policy := onLoopback()
	policy.MaxAttempts = attempts
	client := retrypolicy.Client{Transport: transport, Policy: policy}
	work := make(chan *http.Request)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for req := range work {
				if _, err := client.Do(req); !errors.Is(err, retrypolicy.ErrExceeded) {
					t.Errorf("error %v", err)
				}
			}
		})
	}
	for range calls {
		work <- request(t, http.MethodPost, server.URL, theKey, "body")
	}
	close(work)
	group.Wait()
	if count.Load() != calls*attempts {
		t.Errorf("%d requests, want %d", count.Load(), calls*attempts)
	}
	// A leak takes a connection for each request. The pool takes a few more
	// than there are workers, when it dials while another becomes free.
	if conns.Load() > calls*attempts/10 {
		t.Errorf("%d connections for %d requests: they are not reused", conns.Load(), count.Load())
	}
	transport.CloseIdleConnections()
	server.Close()
	comesDown(t, before)
}

// comesDown waits for the goroutines to come back to where they were.
func comesDown(t *testing.T, baseline int) {
	t.Helper()
	deadline := time.Now().Add(10 * sec)
	for runtime.NumGoroutine() > baseline {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), baseline)
		}
		runtime.Gosched()
	}
}

func TestTheZeroClientUsesTheDefaultTransport(t *testing.T) {
	server, _, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201) })
	server.Start()
	resp, err := new(retrypolicy.Client).Do(request(t, http.MethodPost, server.URL, theKey, "body"))
	wantStatus(t, resp, err, 201, 1)
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

func TestAClientServesManyCallersAtOnce(t *testing.T) {
	server, transport, _ := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != r.Header.Get("Idempotency-Key") {
			t.Errorf("key %q came with body %q (%v)", r.Header.Get("Idempotency-Key"), body, err)
		}
		w.WriteHeader([]int{201, 503}[n%2])
	})
	server.Start()
	policy := onLoopback()
	policy.MaxAttempts = 1000
	watch := new(recorder)
	client := retrypolicy.Client{Transport: transport, Policy: policy, Hooks: watch.hooks()}
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			key := strings.Repeat("k", i+1)
			if _, err := client.Do(request(t, http.MethodPost, server.URL, key, key)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
