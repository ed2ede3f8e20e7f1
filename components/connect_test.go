package components

import (
	"strings"
	"testing"
)

func sampleConnect(text string) Connect {
	return Connect{
		Page: onePage(text), Base: "http://127.0.0.1:1", Naive: "http://127.0.0.1:1/naive", Secret: text,
		Lose: text, Repeat: text, Twice: text, Arm: text, ByToken: true,
		SDKs:    []Snippet{{Name: text, Means: text, Code: text}},
		Callers: []Caller{{Owner: text, KeysHref: "javascript:alert(1)", Safe: Called{Requests: 2, Captured: "€50.00"}}},
		More:    3, Nameless: 4,
	}
}

func TestThePageWaitsUntilSomebodyHasCome(t *testing.T) {
	for _, test := range []struct {
		name  string
		view  Connect
		says  string
		waits bool
	}{
		{"nobody", Connect{}, "Waiting for your first request…", true},
		{"one", Connect{Callers: []Caller{{Owner: "ann"}}}, "ann has sent its first request.", false},
		{"more than are listed", Connect{Callers: []Caller{{Owner: "ann"}, {Owner: "bob"}}, More: 5}, "7 owners have sent requests.", false},
		{"no credential", Connect{Nameless: 1}, "nobody knows whose", false},
	} {
		html := render(t, ConnectPage(test.view))
		if !strings.Contains(html, test.says) {
			t.Errorf("%s: the page does not say %q", test.name, test.says)
		}
		// A page that reloads by itself is for those without a script.
		if got := strings.Contains(html, `<noscript><meta http-equiv="refresh"`); got != test.waits {
			t.Errorf("%s: looks again by reloading: %v", test.name, got)
		}
		// A live region speaks when its text changes, so it is always there.
		if !strings.Contains(html, `id="arrived" role="status"`) {
			t.Errorf("%s: nobody would hear it", test.name)
		}
	}
}

func TestControlCallsThatNeedATokenSaySo(t *testing.T) {
	for _, byToken := range []bool{true, false} {
		if got := strings.Contains(render(t, ConnectPage(Connect{ByToken: byToken})), "in place of TOKEN"); got != byToken {
			t.Errorf("by token %v: told %v", byToken, got)
		}
	}
}
