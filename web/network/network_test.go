package network

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestArmRefusesWhatIsInvalidOrTooLate(t *testing.T) {
	n := New(Options{})
	if _, err := n.Arm(Fault{Kind: "explode", Attempts: 1}); !errors.Is(err, ErrFault) {
		t.Errorf("got %v", err)
	}
	id, err := n.Arm(Fault{Kind: LoseRequest, Attempts: 3})
	if armed := n.Armed(); err != nil || len(armed) != 1 || armed[0].ID != id || armed[0].Attempts != 3 {
		t.Errorf("armed %+v %v", armed, err)
	}
	if !n.Disarm(id) || n.Disarm(id) || n.DisarmAll() != 0 {
		t.Error("disarming says the wrong thing")
	}
	n.Close()
	n.Close()
	if _, err := n.Arm(Fault{Kind: LoseRequest, Attempts: 1}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestAttemptsThatAreLeftAreListed(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	g.arm(t, Fault{Kind: Status, Status: 503, Attempts: 2, Owner: "shop", Key: "k1"})
	for attempt, want := range []int{2, 1, 0, 0} {
		key := []string{"other", "k1", "k1", "k1"}[attempt]
		if _, _, _, err := g.do(g.post(t.Context(), key)); err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, f := range g.Armed() {
			left += f.Attempts
		}
		if left != want {
			t.Errorf("after request %d: %d left, want %d", attempt+1, left, want)
		}
	}
}

func TestAnEventTellsWhoAndWhatAndHowLong(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	r := g.post(t.Context(), "k1")
	r.URL.RawQuery = "secret=1"
	r.Header.Set(HeaderAttempt, "2/5")
	_, _, header, err := g.do(r)
	if err != nil {
		t.Fatal(err)
	}
	passed, answered := g.event(t, Passed), g.event(t, Answered)
	for _, e := range []Event{passed, answered} {
		if e.Boundary != "api" || e.Owner != "shop" || e.Key != "k1" || e.Attempt != 2 || e.Of != 5 ||
			e.Method != "POST" || e.Path != "/v1/charges" || e.Fault != "" || e.How != "" {
			t.Errorf("event %+v", e)
		}
		if e.Trace == "" || e.Trace != header.Get(HeaderTrace) || e.Trace != g.hits()[0].header.Get(HeaderTrace) {
			t.Errorf("trace %q, answer %q, target %q", e.Trace, header.Get(HeaderTrace), g.hits()[0].header.Get(HeaderTrace))
		}
	}
	if passed.Status != 0 || passed.Header != nil {
		t.Errorf("an answer before there was one: %+v", passed)
	}
	if answered.Status != 201 || answered.Header.Get("Idempotent-Replayed") != "true" || answered.Elapsed < passed.Elapsed {
		t.Errorf("event %+v", answered)
	}
}

func TestASendersOwnWordsAreCutInEvents(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	r := g.post(t.Context(), strings.Repeat("k", 5000))
	r.URL.Path = "/" + strings.Repeat("p", 5000)
	g.ok(t, r)
	if e := g.event(t, Answered); len(e.Key) != 255 || len(e.Path) != 255 {
		t.Errorf("key of %d, path of %d bytes", len(e.Key), len(e.Path))
	}
}

func TestTheHookMayUseTheNetwork(t *testing.T) {
	var g *rig
	g = newRig(t, answerCreated, func(o *Options) {
		record := o.Trace
		o.Trace = func(e Event) {
			record(e)
			// Under a lock, any of these would hang.
			id, err := g.Arm(Fault{Kind: LoseRequest, Owner: "nobody", Attempts: 1})
			if err != nil || !g.Disarm(id) || len(g.Armed()) != 0 || g.Wire() == nil {
				t.Errorf("in the hook: %v", err)
			}
		}
	})
	g.ok(t, g.post(t.Context(), "k1"))
	g.event(t, Answered)
}

func TestForgetStartsFreshBooks(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	faulty := func() *http.Request {
		r := g.post(t.Context(), "k1")
		r.Header.Set(HeaderFault, "status;status=503")
		return r
	}
	id := g.arm(t, Fault{Kind: LoseRequest, Owner: "nobody", Attempts: 1})
	for range 2 {
		if status, _, _, err := g.do(faulty()); status != 503 || err != nil {
			t.Errorf("got %d %v, want the fault to be new", status, err)
		}
		g.ok(t, faulty())
		if got := g.Wire(); !reflect.DeepEqual(got, map[string]int{"shop": 2}) {
			t.Errorf("wire %v", got)
		}
		g.Forget()
	}
	if armed := g.Armed(); len(armed) != 1 || armed[0].ID != id {
		t.Errorf("armed %+v", armed)
	}
}

func TestCloseEndsEverySilenceDelayAndOpenCall(t *testing.T) {
	blocked := make(chan struct{})
	g := newRig(t, func(_ http.ResponseWriter, r *http.Request) {
		close(blocked)
		<-r.Context().Done() // hangs until the wire is taken away
	}, nil)
	g.arm(t, Fault{Kind: LoseRequest, Key: "silent", Attempts: 1})
	g.arm(t, Fault{Kind: Delay, Delay: MaxDelay, Key: "delayed", Attempts: 1})
	var senders sync.WaitGroup
	for _, key := range []string{"silent", "delayed", "open"} {
		senders.Go(func() {
			if _, _, _, err := g.do(g.post(t.Context(), key)); err == nil {
				t.Errorf("%s: an answer came", key)
			}
		})
	}
	g.event(t, LostRequest)
	g.event(t, Delayed)
	<-blocked
	until(t, "one is silent", func() bool { return len(g.silent) == 1 })
	g.Close()
	senders.Wait()
	if _, _, _, err := g.do(g.post(t.Context(), "late")); err == nil {
		t.Error("a closed wire answered")
	}
	if len(g.hits()) != 1 || g.Wire()["shop"] != 3 {
		t.Errorf("%d deliveries, wire %v", len(g.hits()), g.Wire())
	}
}

func TestCloseFreesASenderThatNeitherSendsNorReads(t *testing.T) {
	g := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, io.LimitReader(&counter{}, 64<<20)) // more than any socket buffer holds
	}, nil)
	g.raw(t, rawPost) // is never read
	g.raw(t, "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
	until(t, "both are on the wire", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.contexts) == 2 && len(g.arrived) == 1
	})
	g.Close() // returns, or the test times out
	if told := g.told(); told[len(told)-1] == Answered {
		t.Errorf("told %v", told)
	}
}

func TestTheZeroOptionsAreAWireToNowhere(t *testing.T) {
	n := New(Options{})
	defer n.Close()
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("panic %v, want the server's way to reset", got)
		}
	}()
	n.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

func TestManyRequestsAtOnceGetOneFateEach(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	const each = 20
	kinds := []Fault{{Kind: LoseRequest, How: Reset}, {Kind: LoseResponse, How: Reset}, {Kind: Status, Status: 503}, {Kind: Truncate}, {Kind: Duplicate}, {Kind: Delay, Delay: time.Millisecond}}
	for _, f := range kinds {
		f.Attempts = each
		g.arm(t, f)
	}
	var senders sync.WaitGroup
	for i := range each * (len(kinds) + 1) {
		senders.Go(func() { _, _, _, _ = g.do(g.post(t.Context(), fmt.Sprint("k", i))) })
	}
	senders.Wait()
	counts := map[What]int{}
	until(t, "every request has its fate", func() bool {
		clear(counts)
		for _, what := range g.told() {
			counts[what]++
		}
		return counts[LostRequest]+counts[LostResponse]+counts[Refused]+counts[Truncated]+counts[Answered] == counts[Passed]
	})
	want := map[What]int{Passed: each * 7, LostRequest: each, LostResponse: each, Refused: each, Truncated: each, Duplicated: each, Delayed: each, Answered: each * 3}
	if !reflect.DeepEqual(counts, want) {
		t.Errorf("got %v, want %v", counts, want)
	}
	// Delivered: all but the lost and the refused, and the copies.
	if got := len(g.hits()); got != each*6 {
		t.Errorf("%d deliveries, want %d", got, each*6)
	}
	if g.Wire()["shop"] != each*7 {
		t.Errorf("wire %v, want %d", g.Wire(), each*7)
	}
}
