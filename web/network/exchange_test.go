package network

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// recorder keeps what Record was given, by request.
type recorder struct {
	mu    sync.Mutex
	words []Exchange
}

func (r *recorder) take(x Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.words = append(r.words, x)
}

// last waits for a request's fate and returns what was recorded with it.
func (r *recorder) last(t *testing.T, fate What) (last Exchange) {
	t.Helper()
	until(t, "recorded "+string(fate), func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.words) > 0 {
			last = r.words[len(r.words)-1]
		}
		return last.What == fate
	})
	return last
}

func recordingRig(t *testing.T, target http.HandlerFunc) (*rig, *recorder) {
	t.Helper()
	r := &recorder{}
	return newRig(t, target, func(o *Options) { o.Record = r.take }), r
}

func TestAnExchangeShowsWhatWasSentAndWhatWasAnswered(t *testing.T) {
	g, r := recordingRig(t, answerCreated)
	request := g.post(t.Context(), "k1")
	request.URL.RawQuery = "expand=charge"
	request.Header.Set("Chargeonce-Attempt", "2/10")
	g.ok(t, request)
	x := r.last(t, Answered)
	if x.Owner != "shop" || x.Key != "k1" || x.Attempt != 2 || x.Of != 10 || x.Status != 201 || x.Boundary != "api" {
		t.Errorf("event %+v", x.Event)
	}
	if x.Method != "POST" || x.Path != "/v1/charges" || x.Query != "?expand=charge" || x.Began.IsZero() {
		t.Errorf("request line %s %s%s", x.Method, x.Path, x.Query)
	}
	if string(x.Request.Body) != "amount=5000" || x.Request.Size != 11 || x.Request.Header.Get("Idempotency-Key") != "k1" {
		t.Errorf("request %+v", x.Request)
	}
	if x.Response == nil || string(x.Response.Body) != `{"id":"ch_1"}` || x.Response.Size != 13 || x.Response.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("response %+v", x.Response)
	}
	first := r.words[0]
	if first.What != Passed || first.Response != nil || first.ID != x.ID || string(first.Request.Body) != "amount=5000" {
		t.Errorf("at first %+v", first)
	}
}

func TestALostAnswerIsRecordedAndALostRequestHasNone(t *testing.T) {
	g, r := recordingRig(t, answerCreated)
	for kind, fate := range map[Kind]What{LoseResponse: LostResponse, LoseRequest: LostRequest, Truncate: Truncated} {
		g.arm(t, Fault{Kind: kind, How: howOf(kind), Attempts: 1})
		_, _, _, _ = g.do(g.post(t.Context(), string(kind)))
		x := r.last(t, fate)
		if answered := x.Response != nil; answered != (kind != LoseRequest) {
			t.Errorf("%s: response %+v", kind, x.Response)
		}
		if x.Response != nil && string(x.Response.Body) != `{"id":"ch_1"}` { // truncated: what the far side said
			t.Errorf("%s: body %q", kind, x.Response.Body)
		}
		if x.Fault != kind {
			t.Errorf("%s: fault %q", kind, x.Fault)
		}
	}
}

// howOf is a way to lose that ends at once.
func howOf(kind Kind) How {
	if kind == Truncate {
		return ""
	}
	return Reset
}

func TestWhatAProxyAnswersIsRecordedAsAnswered(t *testing.T) {
	g, r := recordingRig(t, answerCreated)
	g.arm(t, Fault{Kind: Status, Status: 503, RetryAfter: 2, Attempts: 1})
	_, body, _, _ := g.do(g.post(t.Context(), "k1"))
	x := r.last(t, Refused)
	if x.Response == nil || string(x.Response.Body) != body || x.Response.Header.Get("Retry-After") != "2" {
		t.Errorf("response %+v, the sender got %q", x.Response, body)
	}
}

func TestACopysAnswerIsRecordedBesideTheFirst(t *testing.T) {
	var n int // one delivery at a time: the copy follows the first
	g, r := recordingRig(t, func(w http.ResponseWriter, _ *http.Request) { n++; w.WriteHeader(200 + n) })
	g.arm(t, Fault{Kind: Duplicate, Attempts: 1})
	_, _, _, _ = g.do(g.post(t.Context(), "k1"))
	if x := r.last(t, Answered); x.Status != 201 || x.Copied != 202 {
		t.Errorf("answered %d, the copy %d", x.Status, x.Copied)
	}
}

func TestNoExchangeCarriesACredential(t *testing.T) {
	const secret = "sk_test_geheim"
	g, r := recordingRig(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "session="+secret)
		w.WriteHeader(http.StatusCreated)
	})
	request := g.post(t.Context(), "k1")
	for _, name := range []string{"Authorization", "Cookie", "X-Api-Key"} {
		request.Header.Set(name, secret)
	}
	request.Header.Add("Authorization", "Bearer "+secret)
	g.ok(t, request)
	x := r.last(t, Answered)
	for _, header := range []http.Header{x.Request.Header, x.Response.Header} {
		for name, values := range header {
			if strings.Contains(strings.Join(values, " "), secret) {
				t.Errorf("%s: %q", name, values)
			}
		}
	}
	if got := x.Request.Header.Values("Authorization"); len(got) != 2 || got[1] != "Bearer …" {
		t.Errorf("Authorization: %q, want to see that there were two and the scheme of one", got)
	}
	if hits := g.hits(); hits[0].header.Get("Cookie") != secret {
		t.Errorf("forwarded cookie %q: hiding must not touch what is sent", hits[0].header.Get("Cookie"))
	}
}

func TestALongBodyIsCutAndItsLengthKept(t *testing.T) {
	const size = 3 * MaxBuffered
	g, r := recordingRig(t, func(w http.ResponseWriter, request *http.Request) {
		// Whole before a byte goes back: over HTTP/1.1 a server that answers in
		// the middle of a body gives up the rest of it.
		body, _ := io.ReadAll(request.Body)
		_, _ = w.Write(body)
	})
	request := g.post(t.Context(), "k1")
	request.Body, request.GetBody, request.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat("x", size))), nil, size
	if status, body, _, err := g.do(request); status != 200 || len(body) != size || err != nil {
		t.Fatalf("echo: %d, %d bytes, %v", status, len(body), err)
	}
	x := r.last(t, Answered)
	for name, m := range map[string]Message{"request": x.Request, "response": *x.Response} {
		if len(m.Body) != MaxShown || m.Size != size {
			t.Errorf("%s: %d bytes of %d, want %d of %d", name, len(m.Body), m.Size, MaxShown, size)
		}
	}
}
