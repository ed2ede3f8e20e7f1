package network

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestALocationGetsThePrefixBackThatWasCutOff: what a target calls its path is
// another system's, seen from before the wire.
func TestALocationGetsThePrefixBackThatWasCutOff(t *testing.T) {
	for said, want := range map[string]map[string]string{
		"/v1/charges/ch_1":  {"": "/v1/charges/ch_1", "/naive": "/naive/v1/charges/ch_1"},
		"":                  {"": "", "/naive": ""},
		"http://x/v1":       {"": "http://x/v1", "/naive": "http://x/v1"},
		"//x/v1":            {"": "//x/v1", "/naive": "//x/v1"},
		"https://x/naive/a": {"/naive": "https://x/naive/a"},
	} {
		for prefix, seen := range want {
			g := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
				if said != "" {
					w.Header().Set("Location", said)
				}
				w.WriteHeader(http.StatusCreated)
			}, func(o *Options) { o.StripPrefix = prefix })
			raw, err := io.ReadAll(g.raw(t, "POST "+prefix+"/v1/charges HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(raw), "\r\nLocation: "+seen+"\r\n"); got != (seen != "") || seen == "" && strings.Contains(string(raw), "Location") {
				t.Errorf("%q behind %q: %q", said, prefix, raw)
			}
		}
	}
}
