package idem_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"chargeonce/idem"
)

func TestNobodyGetsAnothersAnswer(t *testing.T) {
	front := newShopFront(nil)
	as := func(owner string) func(*http.Request) { return func(r *http.Request) { r.SetBasicAuth(owner, "") } }
	alice, bob := front.post("1", "a", as("alice")), front.post("1", "a", as("bob"))
	if alice.Body.String() == bob.Body.String() || bob.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("alice got %s, bob got %s", alice.Body, bob.Body)
	}
	revoked := front.post("1", "a", func(r *http.Request) { r.Header.Del("Authorization") })
	wantProblem(t, revoked, 401, "credential_invalid")
}

func TestOnlyUnsafeMethodsNeedAKey(t *testing.T) {
	for method, row := range map[string]struct {
		keyless int // status without a key
		guarded bool
	}{
		"GET": {200, false}, "HEAD": {200, false}, "OPTIONS": {200, false}, "TRACE": {200, false},
		"PUT": {200, true}, "DELETE": {200, true}, "POST": {400, true}, "PATCH": {400, true}, "CHARGE": {400, true},
	} {
		front := newShopFront(func(http.ResponseWriter, *http.Request) {})
		use := func(r *http.Request) { r.Method = method }
		bare := func(r *http.Request) { r.Method = method; r.Header.Del("Idempotency-Key") }
		if got := front.post("", "a", bare).Code; got != row.keyless {
			t.Errorf("%s without a key: %d, want %d", method, got, row.keyless)
		}
		front.runs.Store(0)
		front.post("k", "a", use)
		front.post("k", "a", use)
		if got := front.runs.Load() == 1; got != row.guarded {
			t.Errorf("%s with a key ran %d times", method, front.runs.Load())
		}
	}
}

func TestTheSameKeyElsewhereIsAConflict(t *testing.T) {
	front := newShopFront(nil)
	front.post("k", "a")
	for name, change := range map[string]func(*http.Request){
		"another path":   func(r *http.Request) { r.URL.Path = "/v1/refunds" },
		"another query":  func(r *http.Request) { r.URL.RawQuery = "x=1" },
		"another method": func(r *http.Request) { r.Method = "PATCH" },
		"another body":   func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("b")) },
	} {
		t.Run(name, func(t *testing.T) { wantProblem(t, front.post("k", "a", change), 409, "idempotency_key_reused") })
	}
}

func TestParamsDecideWhatIsTheSameRequest(t *testing.T) {
	front := newShopFront(nil)
	front.Params = func(_ *http.Request, body []byte) (idem.Params, error) {
		form, err := url.ParseQuery(string(body))
		params := make(idem.Params)
		for name := range form {
			params[name] = form.Get(name)
		}
		return params, err
	}
	first, reordered := front.post("k", "a=1&b=2"), front.post("k", "b=2&a=1")
	if first.Body.String() != reordered.Body.String() || reordered.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("the same form in another order got %d %s", reordered.Code, reordered.Body)
	}
	if conflict := front.post("k", "b=3&a=1"); !strings.Contains(conflict.Body.String(), "differs in b\"") {
		t.Errorf("the conflict does not name b: %s", conflict.Body)
	}
	wantProblem(t, front.post("k", "a=%zz"), 400, "body_invalid")
}

func TestTheHeadersNameMayBeInAnyCase(t *testing.T) {
	front := newShopFront(nil)
	server := httptest.NewServer(front)
	defer server.Close()
	for _, name := range []string{"Idempotency-Key", "idempotency-key", "IDEMPOTENCY-KEY"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatalf("dial: %v", err)
		}
		_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Basic c2hvcDo=\r\n"+
			name+": k\r\nContent-Length: 1\r\n\r\na")
		if err != nil {
			t.Fatalf("send: %v", err)
		}
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 201") {
			t.Errorf("%s: %v, %s", name, err, answer)
		}
		if err := conn.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if front.runs.Load() != 1 {
		t.Errorf("%d runs, want 1", front.runs.Load())
	}
}
