package api

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newRequest(t *testing.T, method, target string, body io.Reader) *http.Request {
	t.Helper()
	return httptest.NewRequest(method, target, body)
}

// endless is a body that never ends by itself; it counts what was taken.
type endless struct{ left, read int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	for i := range p[:n] {
		p[i] = 'a'
	}
	e.left -= n
	e.read += n
	return int(n), nil
}

func TestAHugeBodyIsRefusedWithFlatMemoryAndNoClaim(t *testing.T) { // C07
	b := newBench(t, benchOptions{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for what, request := range map[string]func() *http.Request{
		"100 MB chunked": func() *http.Request { return b.build(ask{body: &endless{left: 100 << 20}}, -1) },
		"100 MB with a length": func() *http.Request {
			return b.build(ask{body: &endless{left: 100 << 20}}, 100<<20)
		},
		"one byte too many": func() *http.Request {
			return b.build(ask{body: strings.NewReader(strings.Repeat("a", MaxBody+1))}, MaxBody+1)
		},
	} {
		response, err := http.DefaultTransport.RoundTrip(request())
		if err != nil {
			continue // the server may reset a client that goes on sending; the claim is what counts
		}
		got := readAll(t, response)
		if got.status != http.StatusRequestEntityTooLarge || got.doc(t).Error.Code != CodeBodyTooLarge {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.TotalAlloc - before.TotalAlloc); grown > 32<<20 {
		t.Errorf("%d MB were allocated for bodies that are not read", grown>>20)
	}
	if len(b.bank.calls("")) != 0 {
		t.Error("the provider was called")
	}
	if fresh := b.want(http.StatusCreated, ask{}); fresh.header.Get("Idempotent-Replayed") != "" {
		t.Error("the key was claimed by a refused body")
	}
}

// build makes a request whose body has a length that the test chooses.
func (b *bench) build(a ask, length int64) *http.Request {
	b.t.Helper()
	request, err := a.request(b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	request.ContentLength = length
	return request
}

func TestABodyOfExactlyTheLimitIsRead(t *testing.T) {
	body := strings.Repeat("&", MaxBody-len(goodForm().Encode())) + goodForm().Encode()
	b := newBench(t, benchOptions{})
	b.want(http.StatusCreated, ask{body: strings.NewReader(body)})
}

func TestTheChunkedRefusalIsAnsweredBeforeTheBodyEnds(t *testing.T) {
	b := newBench(t, benchOptions{})
	conn := b.dial()
	defer func() { _ = conn.Close() }()
	head := "POST /v1/charges HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test_shop\r\nIdempotency-Key: k\r\n" +
		"Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
	chunk := "11000\r\n" + strings.Repeat("a", 0x11000) + "\r\n" // 68 KiB, and no end
	if _, err := io.WriteString(conn, head+chunk); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, response); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestABodyThatBreaksOffClaimsNothing(t *testing.T) {
	b := newBench(t, benchOptions{})
	conn := b.dial()
	_, err := io.WriteString(conn, "POST /v1/charges HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test_shop\r\nIdempotency-Key: key-1\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 400\r\n\r\n"+goodForm().Encode())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	eventually(t, "the API notices", func() bool { return strings.Contains(b.logs.String(), "status=400") })
	if got := b.want(http.StatusCreated, ask{}); got.header.Get("Idempotent-Replayed") != "" {
		t.Error("half a request was carried out")
	}
}

func TestOnlyFormAndJSONInUTF8AreRead(t *testing.T) {
	b := newBench(t, benchOptions{})
	for what, header := range map[string]map[string]string{
		"XML": {"Content-Type": "text/xml"}, "text": {"Content-Type": "text/plain"}, "multipart": {"Content-Type": "multipart/form-data; boundary=x"},
		"nonsense": {"Content-Type": ";;"}, "latin 1": {"Content-Type": typeForm + "; charset=iso-8859-1"}, "compressed": {"Content-Encoding": "gzip"},
		"none": {"Content-Type": ""},
	} {
		request := b.build(ask{}, -1)
		for name, value := range header {
			request.Header.Set(name, value)
		}
		if header["Content-Type"] == "" && header["Content-Encoding"] == "" {
			request.Header.Del("Content-Type")
		}
		got := b.roundTrip(request)
		checkDocument(t, got)
		if got.status != http.StatusUnsupportedMediaType || got.doc(t).Error.Code != CodeMediaType {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	b.want(http.StatusCreated, ask{header: map[string]string{"Content-Type": "Application/X-WWW-Form-Urlencoded; charset=UTF-8"}})
	b.want(http.StatusCreated, ask{key: "j", json: `{"amount":1,"currency":"eur","source":"tok_visa"}`, header: map[string]string{"Content-Type": "application/json; charset=utf-8"}})
	if doc := b.refused(http.StatusBadRequest, CodeParamMissing, ask{form: url.Values{}, header: map[string]string{"Content-Type": typeForm}}); doc.Error.Param != "amount" {
		t.Errorf("param %q", doc.Error.Param)
	}
}

func TestMoreRequestsThanAllowedAre429(t *testing.T) {
	b := newBench(t, benchOptions{inFlight: 1})
	arrived, release := b.bank.hold()
	first := b.later(ask{})
	receive(t, arrived)
	got := b.want(http.StatusTooManyRequests, ask{key: "other"})
	checkDocument(t, got)
	if doc := got.doc(t); doc.Error.Type != "rate_limit_error" || got.header.Get("Retry-After") != "1" {
		t.Errorf("%v %s", got.header, got.body)
	}
	release()
	if paid := receive(t, first); paid.status != http.StatusCreated {
		t.Errorf("the first: %d", paid.status)
	}
	b.want(http.StatusCreated, ask{key: "other"}) // refused before the claim: not stored
}

func TestTheServersOwnHeadersAreOnEveryAnswer(t *testing.T) {
	b := newBench(t, benchOptions{})
	seen := map[string]bool{}
	for _, a := range []ask{{}, {method: "GET"}, {owner: "-"}, {key: "-"}, {path: "/nowhere"}, {method: "GET", path: "/healthz"}} {
		got := b.send(a)
		id := got.header.Get("Request-Id")
		if !strings.HasPrefix(id, "req_") || seen[id] || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%+v: %v", a, got.header)
		}
		seen[id] = true
	}
	if got := b.send(ask{owner: "-", key: "echo-me"}); got.header.Get("Idempotency-Key") != "echo-me" {
		t.Error("the key is not echoed on a refusal")
	}
	if got := b.want(http.StatusOK, ask{method: "GET", path: "/healthz", owner: "-"}); !bytes.Contains([]byte(got.body), []byte(`"ok"`)) {
		t.Error(got.body)
	}
}
