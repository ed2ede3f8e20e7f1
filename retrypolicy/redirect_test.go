package retrypolicy_test

import (
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"chargeonce/retrypolicy"
)

// moved answers the first sends with the redirect, then with 201.
func moved(times, status int, location string) *fake {
	return &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
		if n <= times {
			return answer(status, "moved", "Location", location), nil
		}
		return answer(201, "charged"), nil
	}}
}

func TestARedirectThatKeepsTheMethodKeepsBodyAndKey(t *testing.T) {
	for _, status := range []int{307, 308} {
		wire := moved(1, status, "/v2/charges?b=1")
		resp, err := (&retrypolicy.Client{Transport: wire}).Do(keyed(t, "body"))
		wantStatus(t, resp, err, 201, 1)
		got := wire.sent[1]
		if got.method != "POST" || got.body != "body" || got.length != 4 || got.key != theKey {
			t.Errorf("%d: followed with %+v", status, got)
		}
		if got.url != "http://api.test/v2/charges?b=1" || got.attempt.Number != 1 {
			t.Errorf("%d: followed to %s as attempt %d", status, got.url, got.attempt.Number)
		}
	}
}

func TestARedirectThatWouldMakeAGetOfAPostIsAnError(t *testing.T) {
	for _, status := range []int{301, 302, 303} {
		for _, req := range []*http.Request{
			keyed(t, "body"), keyless(t, "body"),
			request(t, http.MethodPut, "http://api.test/", theKey, "body"),
		} {
			wire := moved(1, status, "/receipt?secret=1")
			_, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(req)
			redirect, ok := errors.AsType[*retrypolicy.RedirectError](err)
			if !ok || !errors.Is(err, retrypolicy.ErrRedirect) || !errors.Is(err, retrypolicy.ErrStopped) {
				t.Fatalf("%d %s: error %v", status, req.Method, err)
			}
			if redirect.Status != status || redirect.Location != "/receipt?secret=1" || len(wire.sent) != 1 {
				t.Errorf("%d: %+v after %d sends", status, redirect, len(wire.sent))
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v repeats the location", err)
			}
		}
	}
}

func TestAGetFollowsEveryRedirect(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			wire := moved(2, status, "http://other.test/there")
			resp, err := (&retrypolicy.Client{Transport: wire}).Do(request(t, method, "http://api.test/", "", ""))
			wantStatus(t, resp, err, 201, 1)
			if last := wire.sent[2]; last.method != method || last.url != "http://other.test/there" {
				t.Errorf("%d: %s %s", status, last.method, last.url)
			}
		}
	}
}

func TestARedirectWithoutALocationIsAnAnswer(t *testing.T) {
	for _, status := range []int{300, 303, 304, 307} {
		resp, err := (&retrypolicy.Client{Transport: statuses(status)}).Do(keyed(t, ""))
		wantStatus(t, resp, err, status, 1)
	}
}

func TestRedirectsThatLeadNowhereOrDownAreErrors(t *testing.T) {
	cases := map[string]struct {
		from, location string
		sends          int
	}{
		"circle":         {"http://api.test/", "/", 6},
		"leaves TLS":     {"https://api.test/", "http://api.test/", 1},
		"another scheme": {"http://api.test/", "file:///etc/passwd", 1},
		"no host":        {"http://api.test/", "http:///x", 1},
		"not a URL":      {"http://api.test/", "http://[::1", 1},
	}
	for name, c := range cases {
		wire := moved(100, 307, c.location)
		_, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(request(t, "POST", c.from, theKey, "body"))
		wantStopped(t, err)
		if !errors.Is(err, retrypolicy.ErrRedirect) || len(wire.sent) != c.sends {
			t.Errorf("%s: error %v after %d sends, want %d", name, err, len(wire.sent), c.sends)
		}
	}
}

func TestCredentialsStayWithTheOriginThatTheyAreMeantFor(t *testing.T) {
	hops := []string{"http://api.test/two", "http://evil.test/", "http://evil.test/again", "http://api.test/five"}
	wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
		if n <= len(hops) {
			return answer(307, "", "Location", hops[n-1]), nil
		}
		return answer(201, ""), nil
	}}
	req := keyed(t, "body")
	req.Host = "virtual.test"
	req.Header.Set("Authorization", "Bearer sk_test_shop")
	req.Header.Set("Cookie", "session=1")
	resp, err := (&retrypolicy.Client{Transport: wire}).Do(req)
	wantStatus(t, resp, err, 201, 1)
	for i, want := range []bool{true, true, false, false, false} {
		header := wire.sent[i].header
		if got := header.Get("Authorization") != "" && header.Get("Cookie") != ""; got != want {
			t.Errorf("send %d to %s: credentials there: %v, want %v", i+1, wire.sent[i].url, got, want)
		}
		if got := wire.sent[i].host == "virtual.test"; got != want {
			t.Errorf("send %d to %s: Host %q", i+1, wire.sent[i].url, wire.sent[i].host)
		}
	}
}

func TestEachAttemptStartsAtTheFirstURLWithItsCredentials(t *testing.T) {
	wire := &fake{answer: func(n int, req *http.Request) (*http.Response, error) {
		switch {
		case req.URL.Path != "/v2":
			return answer(307, "", "Location", "http://new.test/v2"), nil
		case n == 2:
			return answer(503, ""), nil
		}
		return answer(201, ""), nil
	}}
	req := keyed(t, "body")
	req.Header.Set("Authorization", "Bearer sk_test_shop")
	resp, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(req)
	wantStatus(t, resp, err, 201, 2)
	if third := wire.sent[2]; third.url != "http://api.test/v1/charges" || third.header.Get("Authorization") == "" {
		t.Errorf("second attempt begins with %+v", third)
	}
}

func TestAFailedConnectAfterARedirectIsNotAnUnsentRequest(t *testing.T) {
	wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
		if n == 1 {
			return answer(307, "", "Location", "http://down.test/"), nil
		}
		return nil, dialing(syscall.ECONNREFUSED)
	}}
	_, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(keyless(t, "body"))
	wantStopped(t, err)
	if len(wire.sent) != 2 {
		t.Errorf("%d sends: the first server had the whole request", len(wire.sent))
	}
}
