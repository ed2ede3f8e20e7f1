package network

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait for a condition. It is long because a loaded
// machine is slow, and costs nothing where the condition comes true.
const patience = 20 * time.Second

// until polls for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never came true: %s", what)
		}
	}
}

// settle fails a test that leaves goroutines behind. Call it first: its check
// runs after all other cleanups.
func settle(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		until(t, "goroutines are back to the baseline", func() bool { return runtime.NumGoroutine() <= before })
	})
}

// received is a request as the target saw it.
type received struct {
	uri    string
	host   string
	header http.Header
	body   string
	length int64
}

// rig is a wire with a real server on each end.
type rig struct {
	*Network
	url    string // of the sender's end
	client *http.Client

	mu       sync.Mutex
	events   []Event
	arrived  []received
	contexts []context.Context // of the requests at the sender's end, to see when it hung up
}

// answerCreated is a target that behaves.
func answerCreated(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Idempotent-Replayed", "true")
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, `{"id":"ch_1"}`)
}

// newRig starts a target and a wire to it; options may be nil.
func newRig(t *testing.T, target http.HandlerFunc, options func(*Options)) *rig {
	t.Helper()
	settle(t)
	g := &rig{client: &http.Client{Transport: &http.Transport{DisableCompression: true}}}
	far := httptest.NewServer(g.recording(target))
	t.Cleanup(far.Close)
	o := Options{Boundary: "api", HeaderFaults: true, Trace: g.trace, Identify: identifyByHeader}
	o.Target = func() string { return far.URL }
	if options != nil {
		options(&o)
	}
	g.Network = New(o)
	near := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.contexts = append(g.contexts, r.Context())
		g.mu.Unlock()
		g.ServeHTTP(w, r)
	}))
	t.Cleanup(near.Close)
	t.Cleanup(g.Close)
	t.Cleanup(g.client.CloseIdleConnections)
	g.url = near.URL
	return g
}

// identifyByHeader stands for the API's and the provider's ways to know their
// callers.
func identifyByHeader(r *http.Request, _ []byte) (owner, key string) {
	return r.Header.Get("X-Owner"), r.Header.Get("Idempotency-Key")
}

func (g *rig) recording(target http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body strings.Builder
		// Only short bodies are kept; a test about long ones reads them itself.
		if r.ContentLength >= 0 && r.ContentLength <= MaxBuffered && r.Header.Get("Expect") == "" {
			_, _ = io.Copy(&body, r.Body)
		}
		g.mu.Lock()
		g.arrived = append(g.arrived, received{r.RequestURI, r.Host, r.Header.Clone(), body.String(), r.ContentLength})
		g.mu.Unlock()
		target(w, r)
	}
}

func (g *rig) trace(e Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.events = append(g.events, e)
}

func (g *rig) hits() []received {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]received(nil), g.arrived...)
}

// told lists what happened, in order.
func (g *rig) told() []What {
	g.mu.Lock()
	defer g.mu.Unlock()
	var whats []What
	for _, e := range g.events {
		whats = append(whats, e.What)
	}
	return whats
}

// event waits for the first event of a kind.
func (g *rig) event(t *testing.T, what What) Event {
	t.Helper()
	var found Event
	defer func() {
		if found.What == "" {
			t.Logf("told: %v", g.told())
		}
	}()
	until(t, fmt.Sprint("event ", what), func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, e := range g.events {
			if e.What == what {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// arm arms a fault that must be a valid one.
func (g *rig) arm(t *testing.T, f Fault) string {
	t.Helper()
	id, err := g.Arm(f)
	if err != nil {
		t.Fatalf("arm %+v: %v", f, err)
	}
	return id
}

// post builds a keyed POST. NewRequest gives it GetBody, so net/http is free
// to send it again by itself.
func (g *rig) post(ctx context.Context, key string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/v1/charges", strings.NewReader("amount=5000"))
	if err != nil {
		panic(err) // the URL is a test server's
	}
	r.Header.Set("X-Owner", "shop")
	r.Header.Set("Idempotency-Key", key)
	return r
}

// do sends a request and reads its answer, so that the connection is reused.
func (g *rig) do(r *http.Request) (status int, body string, header http.Header, err error) {
	answer, err := g.client.Do(r)
	if err != nil {
		return 0, "", nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	read, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(read), answer.Header, err
}

// ok sends a request whose answer must be a 201.
func (g *rig) ok(t *testing.T, r *http.Request) {
	t.Helper()
	if status, body, _, err := g.do(r); status != http.StatusCreated || err != nil {
		t.Fatalf("got %d %q %v, want 201", status, body, err)
	}
}

// onReused marks a request and fails unless it travels on a used connection,
// which is the only case in which net/http sends again by itself.
func onReused(t *testing.T, r *http.Request) *http.Request {
	t.Helper()
	var once sync.Once
	hook := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		once.Do(func() {
			if !info.Reused {
				t.Error("the connection was not a reused one; the test proves nothing")
			}
		})
	}}
	return r.WithContext(httptrace.WithClientTrace(r.Context(), hook))
}

// raw opens a connection by hand and sends what it is given.
func (g *rig) raw(t *testing.T, text string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

const rawPost = "POST /v1/charges HTTP/1.1\r\nHost: x\r\nX-Owner: shop\r\nIdempotency-Key: k1\r\nContent-Length: 11\r\n\r\namount=5000"
