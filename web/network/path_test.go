package network

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAPathIsForwardedLetterByLetter(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	for _, uri := range []string{
		"/", "/v1/charges", "//x", "//x//y", "/../", "/a/../b", "/./a", "/a%2Fb", "/%2F", "/a%2fb", "//a%2Fb", "/%41",
		"/a;b=c", "/a?", "/a?b=%2F&c;d", "/a??b", "/a+b%20c", "/|\"<>", "/é", "/a#b", "/v1/-/x", "/-x", "/%252d/x",
	} {
		before := len(g.hits())
		answer, err := io.ReadAll(g.raw(t, "GET "+uri+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
		if !strings.HasPrefix(string(answer), "HTTP/1.1 201") || err != nil {
			t.Errorf("%s: %q %v", uri, answer, err)
			continue
		}
		if got := g.hits()[before].uri; got != uri {
			t.Errorf("%s arrived as %s", uri, got)
		}
	}
}

func TestTheAbsoluteFormIsForwardedAsAPath(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	for sent, want := range map[string]string{"http://x/a%2Fb?c": "/a%2Fb?c", "http://x": "/"} {
		before := len(g.hits())
		if _, err := io.ReadAll(g.raw(t, "GET "+sent+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if got := g.hits()[before].uri; got != want {
			t.Errorf("%s arrived as %s, want %s", sent, got, want)
		}
	}
}

func TestTheControlCallsAreNeverForwardedHoweverSpelled(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	for _, uri := range []string{
		"/-", "/-/", "/-/books", "//-/books", "/./-/books", "/x/../-/books", "/%2d/books", "/%2D%2Fbooks", "/-%2fbooks",
		"/%2e%2e/-/books", "/..%2f-/books", "/-//books", "/-/../-/books", "/-/?a", "http://x/-/books", "http://x/%2d/books",
	} {
		answer, err := io.ReadAll(g.raw(t, "GET "+uri+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
		if !strings.HasPrefix(string(answer), "HTTP/1.1 404") || !strings.Contains(string(answer), "problem+json") || err != nil {
			t.Errorf("%s: got %q %v, want 404", uri, answer, err)
		}
	}
	if len(g.hits()) != 0 || len(g.Wire()) != 0 {
		t.Errorf("%v were forwarded, %v counted", g.hits(), g.Wire())
	}
}

func TestAPrefixIsStrippedWhereASegmentEnds(t *testing.T) {
	n := New(Options{StripPrefix: "/naive"})
	defer n.Close()
	for uri, want := range map[string]string{
		"/naive/v1/charges?a=b": "/v1/charges?a=b",
		"/naive/a%2Fb":          "/a%2Fb",
		"/naive//x":             "//x",
		"/naive":                "/",
		"/naive?a":              "/?a",
		"/naively":              "",
		"/v1/charges":           "",
		"/naive/-/books":        "",
		"/naive/../-/books":     "",
		"/naive/%2d/books":      "",
	} {
		to, err := n.destination(httptest.NewRequest(http.MethodGet, uri, nil))
		if got := to.path + to.query; got != want || (err != nil) != (want == "") {
			t.Errorf("%s: got %q %v, want %q", uri, got, err, want)
		}
	}
}

func TestNoTunnelIsOpened(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	answer, _ := io.ReadAll(g.raw(t, "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\nConnection: close\r\n\r\n"))
	if !strings.HasPrefix(string(answer), "HTTP/1.1 404") || len(g.hits()) != 0 {
		t.Errorf("got %q, forwarded %v", answer, g.hits())
	}
}

func TestATargetMayLiveUnderAPathOfItsOwn(t *testing.T) {
	for path, want := range map[string]string{"/v1": "http://far/base/v1", "//x": "http://far/base//x"} {
		u, err := destination{path: path}.on("http://far/base/")
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Scheme + "://" + u.Host + u.RequestURI(); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func FuzzNoSpellingOfAControlCallPasses(f *testing.F) {
	for _, seed := range []string{"-/books", "%2d/x", "../-/", "a/%2e%2e/-/b", "-", "--/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		r := &http.Request{Method: http.MethodGet, RequestURI: "/" + rest}
		n := &Network{}
		to, err := n.destination(r)
		if err != nil {
			return
		}
		// What a target would do with it: decode, clean, route.
		reached := false
		mux := http.NewServeMux()
		mux.HandleFunc("/-/", func(http.ResponseWriter, *http.Request) { reached = true })
		arriving, err := http.NewRequest(http.MethodGet, "http://far", nil)
		if err != nil {
			t.Fatal(err)
		}
		if arriving.URL, err = arriving.URL.Parse("http://far" + to.path); err != nil {
			return
		}
		mux.ServeHTTP(httptest.NewRecorder(), arriving)
		if reached {
			t.Errorf("%q reached the control calls as %q", rest, to.path)
		}
	})
}
