package network

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestARequestAndItsAnswerPassAsTheyAre(t *testing.T) {
	g := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/v1/charges/ch_1")
		w.Header().Add("X-Twice", "a")
		w.Header().Add("X-Twice", "b")
		w.Header()["Content-Type"] = nil
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, "<html>")
	}, nil)
	r := g.post(t.Context(), "k1")
	r.Host = "shop.example"
	r.URL.RawQuery = "a=%2F&b"
	r.Header.Set("User-Agent", "")
	r.Header.Set("X-Custom", "kept")
	r.Header.Set("Connection", "X-Mine")
	r.Header.Set("X-Mine", "1")
	status, body, header, err := g.do(r)
	if status != http.StatusCreated || body != "<html>" || err != nil {
		t.Fatalf("got %d %q %v", status, body, err)
	}
	if !slices.Equal(header.Values("X-Twice"), []string{"a", "b"}) || header.Get("Location") != "/v1/charges/ch_1" {
		t.Errorf("answer's headers changed: %v", header)
	}
	if kind, there := header["Content-Type"]; there {
		t.Errorf("the wire guessed a type: %v", kind)
	}
	got := g.hits()[0]
	if got.uri != "/v1/charges?a=%2F&b" || got.host != "shop.example" || got.body != "amount=5000" || got.length != 11 {
		t.Errorf("the target saw %+v", got)
	}
	if got.header.Get("X-Custom") != "kept" || got.header.Get("Idempotency-Key") != "k1" {
		t.Errorf("headers were lost: %v", got.header)
	}
	for _, name := range []string{"X-Mine", "User-Agent", "X-Forwarded-For", "Accept-Encoding", "Connection"} {
		if _, there := got.header[name]; there {
			t.Errorf("the target saw %s: %v", name, got.header)
		}
	}
}

func TestAChunkedBodyStaysChunkedAndAnEmptyOneEmpty(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	chunked := "POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
	if _, err := io.ReadAll(g.raw(t, chunked)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(g.raw(t, "POST /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if hits := g.hits(); hits[0].length != -1 || hits[1].length != 0 {
		t.Errorf("lengths %d and %d, want -1 and 0", hits[0].length, hits[1].length)
	}
}

func TestTheFaultHeaderIsNeverForwarded(t *testing.T) {
	for _, obeyed := range []bool{true, false} {
		g := newRig(t, answerCreated, func(o *Options) { o.HeaderFaults = obeyed })
		r := g.post(t.Context(), "k1")
		r.Header.Set(HeaderFault, "status;status=503")
		status, _, _, err := g.do(r)
		if want := map[bool]int{true: 503, false: 201}[obeyed]; status != want || err != nil {
			t.Fatalf("obeyed %v: got %d %v, want %d", obeyed, status, err, want)
		}
		g.ok(t, r.Clone(t.Context())) // its one attempt is used up
		for _, hit := range g.hits() {
			if _, there := hit.header[HeaderFault]; there {
				t.Errorf("obeyed %v: the target saw it", obeyed)
			}
		}
	}
}

func TestAMalformedFaultIs400WithTheErrorDocumentAndStopsThere(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	for _, lines := range [][]string{{"explode"}, {""}, {"delay"}, {"delay;ms=1", "delay;ms=1"}} {
		r := g.post(t.Context(), "k1")
		r.Header[HeaderFault] = lines
		status, body, header, err := g.do(r)
		if status != http.StatusBadRequest || err != nil {
			t.Fatalf("%q: got %d %v", lines, status, err)
		}
		var document problem
		if err := json.Unmarshal([]byte(body), &document); err != nil {
			t.Fatalf("%q: %v in %q", lines, err, body)
		}
		e := document.Error
		if document.Status != 400 || e.Type != "invalid_request_error" || e.Code != "fault_invalid" || e.Param != HeaderFault || e.Message == "" {
			t.Errorf("%q: document %+v", lines, document)
		}
		want := map[string]string{"Content-Type": "application/problem+json", "Stripe-Should-Retry": "false", "Idempotency-Key": "k1"}
		for name, value := range want {
			if header.Get(name) != value {
				t.Errorf("%q: %s is %q, want %q", lines, name, header.Get(name), value)
			}
		}
		if header.Get("Request-Id") == "" {
			t.Errorf("%q: no Request-Id", lines)
		}
	}
	if len(g.hits()) != 0 || len(g.Wire()) != 0 || len(g.told()) != 0 {
		t.Errorf("forwarded %d, counted %v, told %v", len(g.hits()), g.Wire(), g.told())
	}
}

func TestASenderThatHangsUpCancelsNothing(t *testing.T) {
	arrived, release := make(chan context.Context, 1), make(chan struct{})
	g := newRig(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- r.Context()
		<-release
		answerCreated(w, r)
	}, nil)
	ctx, hangUp := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, _, _, err := g.do(g.post(ctx, "k1"))
		done <- err
	}()
	far := <-arrived
	hangUp()
	if err := <-done; err == nil {
		t.Fatal("the sender got an answer")
	}
	<-g.contexts[0].Done() // the wire has noticed …
	if far.Err() != nil {
		t.Error("the delivered request was cancelled")
	}
	close(release) // … and the work goes on to its end
	if e := g.event(t, Gone); e.Status != http.StatusCreated {
		t.Errorf("event %+v, want the status that nobody received", e)
	}
	if got := g.told(); !slices.Equal(got, []What{Passed, Gone}) {
		t.Errorf("told %v", got)
	}
}

func TestTheTargetGetsEachRequestExactlyOnceWhateverHappensToIt(t *testing.T) {
	g := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close() // dies without a word: what makes net/http send again
	}, nil)
	for _, method := range []string{"POST", "GET", "DELETE"} {
		before, wire := len(g.hits()), g.Wire()["shop"]
		for range 3 {
			r := g.post(t.Context(), "k1")
			r.Method = method
			if _, _, _, err := g.do(r); err == nil {
				t.Fatal("an answer from a dead target")
			}
		}
		if got := len(g.hits()) - before; got != 3 {
			t.Errorf("%s: %d deliveries of 3 requests", method, got)
		}
		if got := g.Wire()["shop"] - wire; got != 3 {
			t.Errorf("%s: %d on the wire, want 3", method, got)
		}
	}
}

func TestExpectContinueIsTheTargetsToGrant(t *testing.T) {
	head := "POST /v1/charges HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
	t.Run("granted", func(t *testing.T) {
		g := newRig(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_, _ = w.Write(body)
		}, nil)
		conn := g.raw(t, head)
		permission := make([]byte, len(interim))
		if _, err := io.ReadFull(conn, permission); string(permission) != interim || err != nil {
			t.Fatalf("got %q %v", permission, err)
		}
		_, _ = io.WriteString(conn, "abcd")
		answer, err := io.ReadAll(conn)
		if !strings.HasPrefix(string(answer), "HTTP/1.1 200") || !strings.HasSuffix(string(answer), "abcd") || err != nil {
			t.Errorf("got %q %v", answer, err)
		}
	})
	t.Run("refused", func(t *testing.T) {
		g := newRig(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, nil)
		answer, err := io.ReadAll(g.raw(t, head))
		if !strings.HasPrefix(string(answer), "HTTP/1.1 401") || err != nil {
			t.Errorf("got %q %v, want the refusal at once", answer, err)
		}
	})
	t.Run("lost in silence", func(t *testing.T) {
		g := newRig(t, answerCreated, nil)
		g.arm(t, Fault{Kind: LoseRequest, Attempts: 1})
		conn := g.raw(t, head)
		g.event(t, LostRequest)
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if heard, _ := io.ReadAll(conn); len(heard) != 0 {
			t.Errorf("heard %q, want not even a permission", heard)
		}
	})
}

func TestABodyThatBreaksOffIsNotForwarded(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	answer, _ := io.ReadAll(g.raw(t, "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n"))
	if !strings.HasPrefix(string(answer), "HTTP/1.1 400") || !strings.Contains(string(answer), "body_unreadable") {
		t.Errorf("got %q", answer)
	}
	if len(g.hits()) != 0 {
		t.Error("half a request was forwarded")
	}
}

func TestIdentifySeesTheRequestAndItsBody(t *testing.T) {
	g := newRig(t, answerCreated, func(o *Options) {
		o.Identify = func(r *http.Request, body []byte) (string, string) {
			return string(body[:6]), r.Header.Get("Idempotency-Key") + "!"
		}
	})
	g.ok(t, g.post(t.Context(), "k1"))
	if e := g.event(t, Answered); e.Owner != "amount" || e.Key != "k1!" {
		t.Errorf("event %+v", e)
	}
	if got := g.Wire(); !reflect.DeepEqual(got, map[string]int{"amount": 1}) {
		t.Errorf("wire %v", got)
	}
}

func TestWithoutIdentifyTheKeyIsAsSent(t *testing.T) {
	g := newRig(t, answerCreated, func(o *Options) { o.Identify = nil })
	g.ok(t, g.post(t.Context(), "k1"))
	if e := g.event(t, Answered); e.Owner != "" || e.Key != "k1" {
		t.Errorf("event %+v", e)
	}
}

func TestOneRequestMeetsOneFaultAndItsOwnComesFirst(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	g.arm(t, Fault{Kind: Status, Status: 503, Attempts: 1})
	r := g.post(t.Context(), "k1")
	r.Header.Set(HeaderFault, "status;status=429")
	for attempt, want := range []int{429, 503, 201} {
		if status, _, _, err := g.do(r.Clone(t.Context())); status != want || err != nil {
			t.Errorf("attempt %d: got %d %v, want %d", attempt+1, status, err, want)
		}
	}
}

func TestARefusalBeforeTheBodyWasReadIsNotOvertakenByAReset(t *testing.T) {
	var far *httptest.Server
	g := newRig(t, nil, func(o *Options) { o.Target = func() string { return far.URL } })
	addresses := make(map[string]bool)
	far = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addresses[r.RemoteAddr] = true
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(far.Close)
	const rounds = 30
	for range rounds {
		r := g.post(t.Context(), "k1")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat("x", MaxBuffered))), MaxBuffered
		if status, _, _, err := g.do(r); status != http.StatusUnauthorized || err != nil {
			t.Fatalf("got %d %v, want 401", status, err)
		}
	}
	if len(addresses) != rounds {
		t.Errorf("%d connections for %d requests: one was used twice", len(addresses), rounds)
	}
}
