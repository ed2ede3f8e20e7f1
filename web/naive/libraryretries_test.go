package naive

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"chargeonce/idem"
)

// dying is a server that answers its first request, and closes the connection
// of the second one without a word.
func dying(t *testing.T) (url string, seen *atomic.Int64) {
	t.Helper()
	seen = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != "amount=5000" {
			t.Errorf("request %d holds %q: %v", seen.Load()+1, body, err)
		}
		if seen.Add(1) != 2 {
			return // 200
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	}))
	t.Cleanup(server.Close)
	return server.URL, seen
}

// post sends one request and reports whether it was answered.
func post(t *testing.T, wire http.RoundTripper, url, key string) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, io.NopCloser(strings.NewReader("amount=5000")))
	if err != nil {
		t.Fatal(err)
	}
	request.ContentLength = int64(len("amount=5000"))
	if key != "" {
		request.Header.Set(idem.HeaderKey, key)
	}
	response, err := wire.RoundTrip(request)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	return true
}

func TestTheTrustedLibrarySendsAKeyedPostAgainByItself(t *testing.T) {
	url, seen := dying(t)
	wire := libraryRetries().Wire(fresh())
	if !post(t, wire, url, "order-1") || !post(t, wire, url, "order-2") {
		t.Error("a request was not answered")
	}
	if n := seen.Load(); n != 3 {
		t.Errorf("two requests were made, %d came over the wire; want 3", n)
	}
}

func TestTheTrustedLibraryLeavesAKeylessPostAlone(t *testing.T) {
	url, seen := dying(t)
	wire := libraryRetries().Wire(fresh())
	if !post(t, wire, url, "") || post(t, wire, url, "") {
		t.Error("the second request was answered, or the first was not")
	}
	if n := seen.Load(); n != 2 {
		t.Errorf("%d requests came over the wire; want 2", n)
	}
}

func TestOnFreshConnectionsNothingIsSentAgain(t *testing.T) {
	url, seen := dying(t)
	wire := fresh()
	if !post(t, wire, url, "order-1") || post(t, wire, url, "order-2") {
		t.Error("the second request was answered, or the first was not")
	}
	if n := seen.Load(); n != 2 {
		t.Errorf("%d requests came over the wire; want 2", n)
	}
}
