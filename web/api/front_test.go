package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestAPathThatIsNotCleanIsRefusedAndNeverRedirected: behind a wire that cuts a
// prefix off, a redirect would lead to another system.
func TestAPathThatIsNotCleanIsRefusedAndNeverRedirected(t *testing.T) {
	b := newBench(t, benchOptions{})
	for _, path := range []string{
		"//v1/charges", "/v1//charges", "/v1/./charges", "/v1/x/../charges", "/v1/charges//", "/./v1/charges", "/../v1/charges",
		"/v1/%2e/charges", "/v1/%2E%2e/v1/charges", "/v1/charges/..", "/v1/charges/.", "/v1/x%2f..%2fcharges", "/v1/charges/",
	} {
		for _, method := range []string{"GET", "POST"} {
			got := b.raw(method + " " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test_shop\r\nIdempotency-Key: k\r\n" +
				"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 38\r\n\r\namount=50&currency=eur&source=tok_visa")
			if got.status != http.StatusNotFound || got.header.Get("Location") != "" {
				t.Errorf("%s %s: %d, Location %q", method, path, got.status, got.header.Get("Location"))
				continue
			}
			checkDocument(t, got)
		}
	}
	b.want(http.StatusCreated, ask{key: "k"}) // which nothing has claimed
}

func TestWhatNamesNoPathIsAnsweredWithTheDocument(t *testing.T) {
	b := newBench(t, benchOptions{})
	for _, line := range []string{"CONNECT x:1", "CONNECT /v1/charges", "GET *", "POST *"} {
		got := b.raw(line + " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
		if got.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", line, got.status, got.body)
			continue
		}
		checkDocument(t, got)
	}
}

// TestAnAbsurdlyLongKeyIsRefusedAsAKey: up to the bound on all headers, which is
// the process's own; see [asWritten] for what lies beyond.
func TestAnAbsurdlyLongKeyIsRefusedAsAKey(t *testing.T) {
	b := newBench(t, benchOptions{})
	for _, length := range []int{256, 300, 4 << 10, 100 << 10} {
		for _, method := range []string{"POST " + pathCharges, "PUT " + socks, "DELETE " + pathEndpoints + "/we_1"} {
			got := b.raw(fmt.Sprintf("%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test_shop\r\nIdempotency-Key: %s\r\nContent-Length: 0\r\n\r\n", method, strings.Repeat("k", length)))
			if got.status != http.StatusBadRequest || got.doc(t).Error.Code != CodeKeyInvalid {
				t.Errorf("%s, %d characters: %d %s", method, length, got.status, got.body)
				continue
			}
			checkDocument(t, got)
		}
	}
}
