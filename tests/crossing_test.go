package tests

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"chargeonce/web/control"
)

// TestNoSpellingOfAPathLeadsToTheOtherSide: whoever follows redirects, as
// net/http does with body and headers at 307, must not charge on the safe side
// what was sent to the naive one.
func TestNoSpellingOfAPathLeadsToTheOtherSide(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	host := strings.TrimPrefix(c.base, "http://")
	for _, path := range []string{
		"/naive/v1//charges", "/naive/v1/./charges", "/naive/v1/x/../charges", "/naive//v1/charges", "/naive/../v1/charges",
		"/naive/v1/../../v1/charges", "/naive/./v1/charges", "/naive/%2e%2e/v1/charges", "/v1/../naive/v1/charges",
	} {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		const body = "amount=5000&currency=eur&source=tok_visa"
		_, err = io.WriteString(conn, "POST "+path+" HTTP/1.1\r\nHost: "+host+"\r\nAuthorization: Bearer sk_test_crossing\r\n"+
			"Idempotency-Key: k\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 40\r\nConnection: close\r\n\r\n"+body)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != http.StatusNotFound || answer.Header.Get("Location") != "" || answer.Header.Get("Stripe-Should-Retry") != "false" {
			t.Errorf("%s: %d %v", path, answer.StatusCode, answer.Header)
		}
		_ = answer.Body.Close()
		_ = conn.Close()
	}
	for _, side := range []control.Side{control.Safe, control.Naive} {
		if books := c.side(side, "crossing"); books.Captures != 0 || books.Charges != 0 {
			t.Errorf("%s: %+v", side, books)
		}
	}
}

func TestALocationLeadsBackToTheSideThatWasAsked(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	for _, prefix := range []string{"", "/naive"} {
		request, err := http.NewRequest(http.MethodPost, c.base+prefix+"/v1/charges", strings.NewReader("amount=5000&currency=eur&source=tok_visa"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer sk_test_back")
		request.Header.Set("Idempotency-Key", "k")
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		made, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = made.Body.Close()
		at := made.Header.Get("Location")
		if made.StatusCode != http.StatusCreated || !strings.HasPrefix(at, prefix+"/v1/charges/ch_") {
			t.Fatalf("%d, at %q", made.StatusCode, at)
		}
		read, err := http.NewRequest(http.MethodGet, c.base+at, nil)
		if err != nil {
			t.Fatal(err)
		}
		read.Header.Set("Authorization", "Bearer sk_test_back")
		found, err := http.DefaultClient.Do(read)
		if err != nil {
			t.Fatal(err)
		}
		_ = found.Body.Close()
		if found.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", at, found.StatusCode)
		}
	}
}
