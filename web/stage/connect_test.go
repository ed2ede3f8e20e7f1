package stage

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chargeonce/web/control"
)

// What stands in the address is pasted into a shell, so nobody else may
// choose it.
func TestOnlyAMintedKeyStandsInTheLinesToCopy(t *testing.T) {
	s := &Stage{}
	for _, key := range []string{"", "try-", "try-abcdefgh", "try-AAAAAAAA';reboot'", "x\ntry-AAAAAAAA", "try-AAAAAAA1"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/connect", nil)
		q := r.URL.Query()
		q.Set("key", key)
		r.URL.RawQuery = q.Encode()
		s.getConnectPage(w, r)
		to := strings.TrimPrefix(w.Header().Get("Location"), "/connect?key=")
		if w.Code != http.StatusSeeOther || !tryKey.MatchString(to) {
			t.Errorf("%q: status %d, sent to %q", key, w.Code, w.Header().Get("Location"))
		}
		if w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%q: two visitors may get one key", key)
		}
	}
}

func TestEveryAddressIsTheOneByWhichTheBrowserCame(t *testing.T) {
	for _, test := range []struct{ base, host, port string }{
		{"http://127.0.0.1:8080", "127.0.0.1", "8080"},
		{"http://[::1]:8080", "::1", "8080"},
		{"http://demo.example", "demo.example", "80"},
		{"http://[::1]", "::1", "80"},
	} {
		view := connectView(test.base, "try-AAAAAAAA", false)
		if view.Naive != test.base+"/naive" || !strings.Contains(view.Lose, test.base+"/v1/charges") || !strings.Contains(view.Twice, test.base+"/naive/v1/charges") || !strings.Contains(view.Arm, test.base+"/stage/faults") {
			t.Errorf("%s: %+v", test.base, view)
		}
		if host, port := hostAndPort(test.base); host != test.host || port != test.port {
			t.Errorf("%s: %q %q", test.base, host, port)
		}
		for _, sdk := range view.SDKs {
			if strings.ContainsAny(sdk.Name, "{}") || strings.Contains(sdk.Code, "{base}") || strings.Contains(sdk.Code, "{host}") || strings.Contains(sdk.Code, "{secret}") {
				t.Errorf("%s: a blank is left: %s", test.base, sdk.Code)
			}
		}
	}
}

func TestTheLineThatArmsAFaultCarriesATokenWhereOneIsNeeded(t *testing.T) {
	for _, byToken := range []bool{true, false} {
		arm := connectView("http://a:1", "try-AAAAAAAA", byToken).Arm
		if got := strings.Contains(arm, "Bearer TOKEN"); got != byToken {
			t.Errorf("by token %v: %s", byToken, arm)
		}
	}
}

func TestSumsAreListedByCurrency(t *testing.T) {
	if got := sums(control.Sums{"kwd": 12345, "eur": 5000}); got != "€50.00, KWD 12.345" {
		t.Error(got)
	}
	if got := sums(nil); got != "" {
		t.Errorf("%q for nothing", got)
	}
}
