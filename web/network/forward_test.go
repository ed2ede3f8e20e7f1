package network

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestADeadTargetLooksLikeAReset(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := "http://" + closed.Addr().String()
	_ = closed.Close()
	targets := map[string]func() string{
		"nobody listens":     func() string { return gone },
		"no address yet":     func() string { return "" },
		"no target at all":   nil,
		"not even a URL":     func() string { return "http://%zz" },
		"not a wire for TCP": func() string { return "gopher://127.0.0.1" },
	}
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			warm := target != nil
			var g *rig
			g = newRig(t, answerCreated, func(o *Options) {
				living := o.Target
				o.Target = func() string {
					if g.dead() {
						return target()
					}
					return living()
				}
				if target == nil {
					o.Target = nil
				}
			})
			if warm {
				g.ok(t, g.post(t.Context(), "warm"))
			}
			before := g.Wire()["shop"]
			if _, _, _, err := g.do(g.post(t.Context(), "k1")); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("got %v, want a connection reset", err)
			}
			if got := g.Wire()["shop"] - before; got != 1 {
				t.Errorf("%d on the wire, want 1", got)
			}
			if e := g.event(t, Dead); e.How != Reset || e.Status != 0 {
				t.Errorf("event %+v", e)
			}
		})
	}
}

// dead says that the rig's first request, the one that warms the connection,
// has been answered.
func (g *rig) dead() bool { return slices.Contains(g.told(), Answered) }

func TestATargetThatDiesInMidAnswerIsAReset(t *testing.T) {
	for name, head := range map[string]string{
		"short answer": "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf",
		"long answer":  "HTTP/1.1 201 Created\r\nContent-Length: 9000000\r\n\r\nhalf",
		"chunked":      "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
		"no answer":    "",
	} {
		for _, fault := range []Kind{"", LoseResponse, Truncate, Duplicate} {
			t.Run(name+" "+string(fault), func(t *testing.T) {
				g := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
					conn, out, err := http.NewResponseController(w).Hijack()
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = out.WriteString(head)
					_ = out.Flush()
					_ = conn.Close()
				}, nil)
				if fault != "" {
					g.arm(t, Fault{Kind: fault, Attempts: 1})
				}
				_, err := io.ReadAll(g.raw(t, rawPost))
				if !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("got %v, want a connection reset", err)
				}
				if e := g.event(t, Dead); e.How != Reset {
					t.Errorf("event %+v", e)
				}
				if told := g.told(); told[0] != Passed || told[len(told)-1] != Dead {
					t.Errorf("told %v", told)
				}
			})
		}
	}
}

func TestARestartedTargetIsFoundAtItsNewAddress(t *testing.T) {
	settle(t)
	answering := func(name string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) }))
		t.Cleanup(s.Close)
		return s
	}
	addresses := make(chan string, 2)
	addresses <- answering("first").URL
	addresses <- answering("second").URL
	n := New(Options{Target: func() string { return <-addresses }})
	t.Cleanup(n.Close)
	for _, want := range []string{"first", "second"} {
		w := httptest.NewRecorder()
		n.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Body.String() != want {
			t.Errorf("got %q, want %q", w.Body, want)
		}
	}
}

func TestADuplicateIsDeliveredTwiceAndAnsweredOnce(t *testing.T) {
	var answers int // one delivery at a time: the copy follows the first
	g := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		answers++
		w.WriteHeader(200 + answers)
	}, nil)
	g.arm(t, Fault{Kind: Duplicate, Attempts: 1})
	status, _, _, err := g.do(g.post(t.Context(), "k1"))
	if status != 201 || err != nil {
		t.Errorf("got %d %v, want the first delivery's answer", status, err)
	}
	hits := g.hits()
	if len(hits) != 2 {
		t.Fatalf("%d deliveries, want 2", len(hits))
	}
	if hits[0].body != hits[1].body || hits[0].header.Get("Idempotency-Key") != hits[1].header.Get("Idempotency-Key") ||
		hits[0].header.Get(HeaderTrace) != hits[1].header.Get(HeaderTrace) {
		t.Errorf("the copy differs: %+v and %+v", hits[0], hits[1])
	}
	if got := g.Wire()["shop"]; got != 1 {
		t.Errorf("wire %d: the sender put 1 request on it", got)
	}
	if e := g.event(t, Duplicated); e.Status != 202 {
		t.Errorf("event %+v", e)
	}
	if got := g.told(); !slices.Equal(got, []What{Passed, Duplicated, Answered}) {
		t.Errorf("told %v", got)
	}
}

func TestALongBodyIsNotDuplicatedAndUsesUpItsFault(t *testing.T) {
	g := newRig(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }, nil)
	g.arm(t, Fault{Kind: Duplicate, Attempts: 1})
	answer, err := g.client.Post(g.url+"/v1/charges", "text/plain", bytes.NewReader(make([]byte, MaxBuffered+1)))
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if len(g.hits()) != 1 || len(g.Armed()) != 0 {
		t.Errorf("%d deliveries, %d armed; want 1 and 0", len(g.hits()), len(g.Armed()))
	}
	if e := g.event(t, Answered); e.Fault != Duplicate {
		t.Errorf("event %+v", e)
	}
}

func TestALongBodyIsStreamedInFlatMemory(t *testing.T) {
	const size = 100 << 20
	sums := make(chan [sha256.Size]byte, 1)
	var seen int
	g := newRig(t, func(w http.ResponseWriter, r *http.Request) {
		hash := sha256.New()
		n, err := io.Copy(hash, r.Body)
		if n != size || err != nil {
			t.Errorf("the target read %d bytes, %v", n, err)
		}
		sums <- [sha256.Size]byte(hash.Sum(nil))
		answerCreated(w, r)
	}, func(o *Options) {
		o.Identify = func(_ *http.Request, body []byte) (string, string) {
			seen = len(body)
			return "shop", ""
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	hash := sha256.New()
	body := io.TeeReader(io.LimitReader(&counter{}, size), hash)
	answer, err := g.client.Post(g.url+"/v1/charges", "text/plain", struct{ io.Reader }{body})
	if err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("got %v %v", answer, err)
	}
	_ = answer.Body.Close()
	runtime.ReadMemStats(&after)
	if <-sums != [sha256.Size]byte(hash.Sum(nil)) {
		t.Error("the bytes changed on the way")
	}
	if seen != MaxBuffered {
		t.Errorf("Identify saw %d bytes, want %d", seen, MaxBuffered)
	}
	// All that was ever allocated, by the sender and the target too.
	if grown := after.TotalAlloc - before.TotalAlloc; grown > size/10 {
		t.Errorf("%d bytes were allocated for a body of %d", grown, size)
	}
}

// counter is an endless body that repeats after a prime number of bytes, so
// that no buffer's boundary falls on a repetition.
type counter struct{ at int }

var pattern = func() []byte {
	p := make([]byte, 65521)
	for i := range p {
		p[i] = byte(i * i >> 3)
	}
	return p
}()

func (c *counter) Read(p []byte) (int, error) {
	n := copy(p, pattern[c.at:])
	c.at = (c.at + n) % len(pattern)
	return n, nil
}

func TestAnEarlyRefusalOfALongBodyComesBack(t *testing.T) {
	g := newRig(t, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 64<<10))
		if _, tooLong := errors.AsType[*http.MaxBytesError](err); !tooLong {
			t.Errorf("the target read it all: %v", err)
		}
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		_, _ = io.WriteString(w, "too long")
	}, nil)
	answer, err := g.client.Post(g.url+"/v1/charges", "text/plain", struct{ io.Reader }{io.LimitReader(&counter{}, 100<<20)})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusRequestEntityTooLarge || string(body) != "too long" || err != nil {
		t.Errorf("got %d %q %v", answer.StatusCode, body, err)
	}
}

func TestASenderThatBreaksOffALongBodyIsGone(t *testing.T) {
	g := newRig(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }, nil)
	conn := g.raw(t, "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"+strings.Repeat("x", MaxBuffered+1))
	until(t, "the target has the first part", func() bool { return len(g.hits()) == 1 })
	_ = conn.Close()
	g.event(t, Gone)
}

// atOnce answers every request without a network, so that time can be virtual.
type atOnce struct{ at []time.Time }

func (a *atOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	a.at = append(a.at, time.Now())
	return &http.Response{StatusCode: 201, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

func TestADelayComesBeforeTheDeliveryAndIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &atOnce{}
		var events []Event
		n := New(Options{Target: func() string { return "http://far" }, Trace: func(e Event) { events = append(events, e) }})
		n.transport = far
		defer n.Close()
		if _, err := n.Arm(Fault{Kind: Delay, Delay: MaxDelay, Attempts: 1}); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for range 2 {
			n.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/x", nil))
		}
		// The second request shows that only the first was held back.
		if got := []time.Duration{far.at[0].Sub(start), far.at[1].Sub(start)}; !slices.Equal(got, []time.Duration{MaxDelay, MaxDelay}) {
			t.Errorf("delivered after %v, want both after %v", got, MaxDelay)
		}
		if e := events[1]; e.What != Delayed || e.Wait != MaxDelay || e.Elapsed != 0 {
			t.Errorf("event %+v", e)
		}
		if e := events[2]; e.What != Answered || e.Elapsed != MaxDelay {
			t.Errorf("event %+v", e)
		}
	})
}

func TestADelayedRequestArrivesAfterItsSenderHasLeft(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	g.arm(t, Fault{Kind: Delay, Delay: 50 * time.Millisecond, Attempts: 1})
	conn := g.raw(t, rawPost)
	g.event(t, Delayed)
	_ = conn.Close()
	until(t, "it arrives all the same", func() bool { return len(g.hits()) == 1 })
}
