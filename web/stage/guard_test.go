package stage

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func guarded(host, token string) http.Handler {
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	return newGuard(addr, host, token).wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
	}))
}

func TestOnlyOurOwnHostNamesAreAnswered(t *testing.T) {
	for _, test := range []struct {
		host string
		want int
	}{
		{"127.0.0.1:8080", 200},
		{"localhost:8080", 200},
		{"LOCALHOST:8080", 200},
		{"[::1]:8080", 200},
		{"demo.example", 200},
		{"demo.example:8080", 200},
		{"127.0.0.1", 421},
		{"127.0.0.1:9999", 421},
		{"evil.example:8080", 421},
		{"", 421},
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Host = test.host
		recorder := httptest.NewRecorder()
		guarded("Demo.example", "").ServeHTTP(recorder, request)
		if recorder.Code != test.want {
			t.Errorf("Host %q: %d, want %d", test.host, recorder.Code, test.want)
		}
	}
}

func TestCommandsOfForeignPagesAreRefused(t *testing.T) {
	for _, test := range []struct {
		method, header, value string
		want                  int
	}{
		{http.MethodPost, "", "", 200}, // curl
		{http.MethodPost, "Origin", "http://127.0.0.1:8080", 200},
		{http.MethodPost, "Origin", "http://evil.example", 403},
		{http.MethodPost, "Origin", "null", 403},
		{http.MethodPost, "Sec-Fetch-Site", "cross-site", 403},
		{http.MethodPost, "Sec-Fetch-Site", "same-origin", 200},
		{http.MethodDelete, "Sec-Fetch-Site", "same-site", 403},
		{http.MethodGet, "Sec-Fetch-Site", "cross-site", 200},
	} {
		request := httptest.NewRequest(test.method, "http://127.0.0.1:8080/stage/faults", nil)
		if test.header != "" {
			request.Header.Set(test.header, test.value)
		}
		recorder := httptest.NewRecorder()
		guarded("", "").ServeHTTP(recorder, request)
		if recorder.Code != test.want {
			t.Errorf("%s with %s %q: %d, want %d", test.method, test.header, test.value, recorder.Code, test.want)
		}
	}
}

func TestControlCallsNeedTheTokenWhereOthersCanReachThem(t *testing.T) {
	for _, test := range []struct {
		method, path, bearer, cookie string
		want                         int
	}{
		{http.MethodPost, "/stage/kill", "", "", 401},
		{http.MethodPost, "/stage/kill", "wrong", "", 401},
		{http.MethodPost, "/stage/kill", "secret", "", 200},
		{http.MethodPost, "/stage/kill", "", "secret", 200},
		{http.MethodDelete, "/stage/faults", "", "", 401},
		{http.MethodPost, "/kill", "", "", 401},
		{http.MethodPost, "/mistake", "", "", 401},
		{http.MethodPost, "/reset", "", "", 401},
		{http.MethodPost, "/undo", "", "", 401},
		{http.MethodPost, "/reset", "", "secret", 200},
		{http.MethodPost, "/pay", "", "", 200}, // others can pay
		{http.MethodGet, "/stage/state", "", "", 200},
	} {
		request := httptest.NewRequest(test.method, "http://demo.example"+test.path, nil)
		if test.bearer != "" {
			request.Header.Set("Authorization", "Bearer "+test.bearer)
		}
		if test.cookie != "" {
			request.AddCookie(&http.Cookie{Name: tokenCookie, Value: test.cookie})
		}
		recorder := httptest.NewRecorder()
		guarded("demo.example", "secret").ServeHTTP(recorder, request)
		if recorder.Code != test.want {
			t.Errorf("%s %s (%q, %q): %d, want %d", test.method, test.path, test.bearer, test.cookie, recorder.Code, test.want)
		}
	}
}

func TestPagesForbidWhatIsNotOurs(t *testing.T) {
	request := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080/", nil)
	recorder := httptest.NewRecorder()
	guarded("", "").ServeHTTP(recorder, request)
	if got := recorder.Header().Get("Content-Security-Policy"); got != policy {
		t.Errorf("Content-Security-Policy %q", got)
	}
}
