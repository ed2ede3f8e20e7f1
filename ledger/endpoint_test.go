package ledger_test

import (
	"strings"
	"testing"

	"chargeonce/ledger"
)

func TestEventsAreSentToLoopbackAlone(t *testing.T) {
	for text, want := range map[string]bool{
		"http://127.0.0.1:8080/hooks": true, "https://localhost/": true, "http://[::1]:1/x?y=1": true, "http://127.9.9.9": true,
		"http://example.com/": false, "http://10.0.0.1/": false, "http://localhost.example/": false, "http://0.0.0.0/": false,
		"ftp://localhost/": false, "localhost:80": false, "/hooks": false, "": false, "http://a@localhost/": false,
		"http://localhost/#x": false, "http://localhost:99999/": false, "http://localhost:65536": false, "http://localhost:0/": false, "http://localhost:65535/": true,
		"http://localhost/a b": false, " http://localhost/": false, "http://localhost/ ": false, "http://localhost/\u00a0": false, "http://localhost:8 0/": false,
		"http://localhost:-1/": false, "http://localhost/%20": true,
		"http://localhost/" + strings.Repeat("x", ledger.MaxEndpointURL): false, "http://%": false,
	} {
		if got := ledger.ValidEndpointURL(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestAnEndpointWantsWhatItNames(t *testing.T) {
	some, all := ledger.Endpoint{Events: []string{ledger.ChargeFailed}}, ledger.Endpoint{Events: []string{"*"}}
	if !some.Wants(ledger.ChargeFailed) || some.Wants(ledger.ChargeSucceeded) || !all.Wants(ledger.RefundCreated) {
		t.Error("an endpoint is told what it did not ask for, or not told what it did")
	}
}
