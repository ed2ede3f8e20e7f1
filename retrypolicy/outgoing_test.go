package retrypolicy_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"chargeonce/retrypolicy"
)

// bodies gives one request body in the shapes that callers have.
func bodies(t *testing.T, content []byte) map[string]io.Reader {
	path := filepath.Join(t.TempDir(), "upload")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]io.Reader{
		"bytes":  bytes.NewReader(content),
		"buffer": bytes.NewBuffer(bytes.Clone(content)),
		"string": strings.NewReader(string(content)),
		"reader": struct{ io.Reader }{bytes.NewReader(content)},
		"file":   file,
	}
}

// Case E10: the second attempt sent an empty body.
func TestEveryAttemptSendsTheSameBytesLengthAndKey(t *testing.T) {
	for _, size := range []int{0, 1, 50, 1<<20 + 1} {
		content := bytes.Repeat([]byte("x"), size)
		for name, body := range bodies(t, content) {
			wire := statuses(503, 503, 201)
			req, err := http.NewRequest(http.MethodPost, "http://api.test/v1/charges", body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Idempotency-Key", theKey)
			resp, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(req)
			wantStatus(t, resp, err, 201, 3)
			for i, s := range wire.sent {
				if s.body != string(content) || s.length != int64(size) || s.key != theKey {
					t.Errorf("%s of %d bytes, attempt %d: %d bytes, length %d, key %q",
						name, size, i+1, len(s.body), s.length, s.key)
				}
			}
		}
	}
}

// closing counts how often a body is closed.
type closing struct {
	io.Reader
	times int
}

func (c *closing) Close() error { c.times++; return nil }

func TestTheCallersBodyIsReadOnceAndClosed(t *testing.T) {
	for name, url := range map[string]string{"sent": "http://api.test/", "refused": "ftp://api.test/"} {
		body := &closing{Reader: strings.NewReader("body")}
		req, err := http.NewRequest(http.MethodPost, url, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Idempotency-Key", theKey)
		_, _ = (&retrypolicy.Client{Transport: statuses(503, 201), Policy: impatient()}).Do(req)
		if body.times != 1 {
			t.Errorf("%s: closed %d times, want 1", name, body.times)
		}
	}
}

func TestACancelledCallClosesTheBodyOnceToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		body := &closing{Reader: strings.NewReader("body")}
		req := keyed(t, "")
		req.Body, req.ContentLength = body, -1
		_, err := (&retrypolicy.Client{Transport: statuses(201)}).Do(req.WithContext(ctx))
		synctest.Wait()
		if !errors.Is(err, retrypolicy.ErrCanceled) || body.times != 1 {
			t.Errorf("error %v, closed %d times", err, body.times)
		}
	})
}

func TestACallerWhoGoesOnUsingItsRequestChangesNoAttempt(t *testing.T) {
	wire := statuses(503, 201)
	req := keyed(t, "body")
	client := retrypolicy.Client{Transport: wire, Policy: impatient()}
	client.Hooks.Wait = func(context.Context, retrypolicy.Wait) {
		req.Header.Set("Idempotency-Key", "another")
		req.URL.Path = "/elsewhere"
		req.Method = http.MethodPut
	}
	resp, err := client.Do(req)
	wantStatus(t, resp, err, 201, 2)
	if got := wire.sent[1]; got.key != theKey || got.url != wire.sent[0].url || got.method != http.MethodPost {
		t.Errorf("second attempt %+v", got)
	}
}

func TestWhatIsWrongBeforeTheFirstAttemptSendsNothing(t *testing.T) {
	change := func(edit func(*http.Request)) *http.Request {
		req := keyed(t, "body")
		edit(req)
		return req
	}
	cases := map[string]struct {
		req  *http.Request
		want error
	}{
		"no URL":         {change(func(r *http.Request) { r.URL = nil }), retrypolicy.ErrBadRequest},
		"no host":        {change(func(r *http.Request) { r.URL.Host = "" }), retrypolicy.ErrBadRequest},
		"another scheme": {change(func(r *http.Request) { r.URL.Scheme = "ftp" }), retrypolicy.ErrBadRequest},
		"empty key":      {change(func(r *http.Request) { r.Header.Set("Idempotency-Key", "") }), retrypolicy.ErrBadKey},
		"two keys":       {change(func(r *http.Request) { r.Header.Add("Idempotency-Key", "b") }), retrypolicy.ErrBadKey},
		"blank key":      {change(func(r *http.Request) { r.Header.Set("Idempotency-Key", " \t") }), retrypolicy.ErrBadKey},
		"key of 2 lines": {change(func(r *http.Request) { r.Header.Set("Idempotency-Key", theKey+"\n") }), retrypolicy.ErrBadKey},
		"bad method":     {change(func(r *http.Request) { r.Method = "PO ST" }), retrypolicy.ErrBadRequest},
		"bad name":       {change(func(r *http.Request) { r.Header["No Token"] = []string{"x"} }), retrypolicy.ErrBadRequest},
		"empty name":     {change(func(r *http.Request) { r.Header[""] = []string{"x"} }), retrypolicy.ErrBadRequest},
		"bad value":      {change(func(r *http.Request) { r.Header.Set("X-Order", theKey+"\r\nX-Two: 2") }), retrypolicy.ErrBadRequest},
		"bad trailer":    {change(func(r *http.Request) { r.Trailer = http.Header{"X-Sum": {"\x7f"}} }), retrypolicy.ErrBadRequest},
		"no body at all": {change(func(r *http.Request) { r.Body, r.ContentLength = nil, 4 }), retrypolicy.ErrBodyLength},
		"short body":     {change(func(r *http.Request) { r.ContentLength = 5 }), retrypolicy.ErrBodyLength},
		"long body":      {change(func(r *http.Request) { r.ContentLength = 3 }), retrypolicy.ErrBodyLength},
		"broken body":    {change(func(r *http.Request) { r.Body = io.NopCloser(broken{}) }), io.ErrUnexpectedEOF},
		"endless body": {
			change(func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(zeros{}), -1 }), retrypolicy.ErrBodyTooLarge,
		},
	}
	for name, c := range cases {
		wire := statuses(201)
		_, err := (&retrypolicy.Client{Transport: wire}).Do(c.req)
		if !errors.Is(err, c.want) || len(wire.sent) != 0 {
			t.Errorf("%s: error %v after %d sends, want %v", name, err, len(wire.sent), c.want)
		}
		// Case B12: a key can be somebody's e-mail address.
		if err != nil && strings.Contains(err.Error(), theKey) {
			t.Errorf("%s: the error repeats the key", name)
		}
	}
}

// What net/http would refuse is refused before, and nothing else is.
func TestAnUnusualRequestThatNetHTTPSendsIsSent(t *testing.T) {
	server, transport, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201) })
	server.Start()
	req := request(t, "M-SEARCH", server.URL, theKey, "body")
	req.Header["x_odd!#$%&'*+-.^`|~name"] = []string{"", "tab\tand caf\u00e9 \xff"}
	req.Trailer = http.Header{"X-Sum": nil}
	resp, err := (&retrypolicy.Client{Transport: transport}).Do(req)
	wantStatus(t, resp, err, 201, 1)
}

func TestABodyOfKnownLengthIsNotSentInChunks(t *testing.T) {
	wire := &fake{answer: func(_ int, req *http.Request) (*http.Response, error) {
		if req.TransferEncoding != nil || req.ContentLength != 4 {
			t.Errorf("sent as %v, length %d", req.TransferEncoding, req.ContentLength)
		}
		return answer(201, ""), nil
	}}
	req := keyed(t, "body")
	req.TransferEncoding, req.ContentLength = []string{"chunked"}, -1
	resp, err := (&retrypolicy.Client{Transport: wire}).Do(req)
	wantStatus(t, resp, err, 201, 1)
}

func TestABodyOfExactlyTheLimitIsSent(t *testing.T) {
	wire := statuses(201)
	resp, err := (&retrypolicy.Client{Transport: wire}).Do(keyed(t, strings.Repeat("x", retrypolicy.MaxRequestBody)))
	wantStatus(t, resp, err, 201, 1)
	if got := len(wire.sent[0].body); got != retrypolicy.MaxRequestBody {
		t.Errorf("%d bytes sent", got)
	}
}

func TestCredentialsInTheURLAreSentAsABasicHeader(t *testing.T) {
	for name, c := range map[string]struct{ url, header, want string }{
		"in the URL":      {"http://sk_test_shop:@api.test/", "", "Basic c2tfdGVzdF9zaG9wOg=="},
		"header wins":     {"http://other:@api.test/", "Bearer sk_test_shop", "Bearer sk_test_shop"},
		"nothing to send": {"http://api.test/", "", ""},
	} {
		wire := statuses(200)
		req := request(t, http.MethodGet, c.url, "", "")
		if c.header != "" {
			req.Header.Set("Authorization", c.header)
		}
		resp, err := (&retrypolicy.Client{Transport: wire}).Do(req)
		wantStatus(t, resp, err, 200, 1)
		if got := wire.sent[0].header.Get("Authorization"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestARequestWithoutHeaderOrBodyIsSent(t *testing.T) {
	wire := statuses(200)
	req := request(t, http.MethodGet, "http://api.test/", "", "")
	req.Header, req.Body, req.GetBody = nil, nil, nil
	resp, err := (&retrypolicy.Client{Transport: wire}).Do(req)
	wantStatus(t, resp, err, 200, 1)
}
