package stage

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chargeonce/web/control"
	"chargeonce/web/network"
)

// exchangeStage has free play and one run, each with a request named tr.
func exchangeStage() http.Handler {
	one := raced()
	one.log = newRunLog()
	s := &Stage{options: Options{Log: io.Discard}, log: newRunLog(), runs: &runs{all: map[string]*oneRun{"abc": one}}}
	lost := word("1", "tr", network.LostResponse, "amount=5000")
	lost.Owner, lost.Attempt, lost.Of, lost.Status = "shop", 1, 10, 201
	lost.Method, lost.Path, lost.Fault, lost.How = "POST", "/v1/charges", network.LoseResponse, network.Silent
	lost.Response = &network.Message{Body: []byte(`{"id":"ch_1"}`), Size: 13}
	s.log.exchanges.add(control.Safe, lost)
	asked := word("2", "tr", network.Answered, `{"amount":5000}`)
	asked.Boundary, asked.Method, asked.Path = "provider", "POST", "/captures"
	s.log.exchanges.add(control.Safe, asked)
	event := func(kind control.Kind, text, reason string) control.Event {
		return control.Event{Side: control.Safe, Lane: control.LaneAPI, Kind: kind, Trace: "tr", Key: "k", Owner: "shop", Text: text, Reason: reason, Fence: 7}
	}
	s.log.add(event(control.KindDecision, "STARTED: absent.", "no record holds it"))
	s.log.add(event(control.KindCommit, "Commit 1.", "k/shop/k c/ch_1"))
	one.log.add(event(control.KindRequest, "In the run.", ""))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /stage/exchange", s.getExchange)
	return mux
}

func ask(h http.Handler, query, accept string) (status int, body string) {
	r := httptest.NewRequest(http.MethodGet, "/stage/exchange?"+query, nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestAnExchangeShowsWireDecisionAndRows(t *testing.T) {
	status, html := ask(exchangeStage(), "side=safe&trace=tr", "*/*")
	if status != http.StatusOK || strings.Contains(html, "<html") {
		t.Fatalf("status %d, not a part of a page: %s", status, html)
	}
	for _, want := range []string{
		"POST /v1/charges", "amount=5000", "201 Created", "{&#34;id&#34;:&#34;ch_1&#34;}", "Idempotency-Key",
		"This answer was sent but never arrived", "attempt 1 of 10", "lose-response (silent)",
		"payments API → card provider", "STARTED: absent.", "Because: no record holds it.", "fence 7",
		"k/shop/k", "the idempotency record", "c/ch_1", "the charge", `href="/keys?key=k&amp;owner=shop&amp;side=safe"`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in %s", want, html)
		}
	}
	if api, provider := strings.Index(html, "/v1/charges"), strings.Index(html, "/captures"); api > provider {
		t.Error("the wires are not in their order")
	}
}

func TestABrowserWithoutAScriptGetsAPage(t *testing.T) {
	status, html := ask(exchangeStage(), "trace=tr", "text/html,application/xhtml+xml")
	if status != http.StatusOK || !strings.Contains(html, "<html") || !strings.Contains(html, "never arrived") {
		t.Errorf("status %d: %s", status, html)
	}
}

func TestARunsExchangeIsNotFreePlays(t *testing.T) {
	status, html := ask(exchangeStage(), "side=safe&trace=tr&run=abc", "*/*")
	if status != http.StatusOK || !strings.Contains(html, "In the run.") || strings.Contains(html, "amount=5000") {
		t.Errorf("status %d: %s", status, html)
	}
	if !strings.Contains(html, "not kept any more") || strings.Contains(html, "/keys?") {
		t.Errorf("it must say what is missing, and not lead to free play's records: %s", html)
	}
}

func TestWhatNobodyKnowsIsNotFound(t *testing.T) {
	for query, want := range map[string]int{
		"":                           http.StatusNotFound,
		"side=safe":                  http.StatusNotFound,
		"side=safe&trace=other":      http.StatusNotFound,
		"side=naive&trace=tr":        http.StatusNotFound,
		"side=both&trace=tr":         http.StatusBadRequest,
		"side=safe&trace=tr&run=xyz": http.StatusNotFound,
	} {
		status, body := ask(exchangeStage(), query, "*/*")
		if status != want || !strings.Contains(body, `"error"`) {
			t.Errorf("%q: %d, want %d: %s", query, status, want, body)
		}
		if status, body = ask(exchangeStage(), query, "text/html"); status != want || !strings.Contains(body, "<html") {
			t.Errorf("%q as a page: %d: %s", query, status, body)
		}
	}
}

func TestEveryFateHasItsSentence(t *testing.T) {
	seen := map[string]network.What{}
	for _, what := range []network.What{
		network.Passed, network.Delayed, network.LostRequest, network.LostResponse, network.Truncated,
		network.Refused, network.Dead, network.Gone, network.Answered,
	} {
		text := wireFate(word("1", "tr", what, ""), "the payments API")
		if other, twice := seen[text]; twice {
			t.Errorf("%s and %s read alike: %s", what, other, text)
		}
		seen[text] = what
		if strings.Contains(text, "fail") {
			t.Errorf("%s: an unknown outcome is no failure: %s", what, text)
		}
	}
	if text := wireFate(word("1", "tr", network.LostRequest, ""), "the payments API"); !strings.Contains(text, "never reached the API") {
		t.Error(text)
	}
}

func TestABodyThatIsNoTextIsNotShownAsText(t *testing.T) {
	view := messageView("POST /", network.Message{Body: []byte("\xff\xfe\xfd\xfc\xfb\xfa"), Size: 6})
	if view.Body != "" || view.Rest == "" {
		t.Errorf("%+v", view)
	}
	cut := strings.Repeat("x", network.MaxShown-1) + "€"[:1] // cut within a letter
	view = messageView("POST /", network.Message{Body: []byte(cut), Size: 9000})
	if len(view.Body) != network.MaxShown-1 || !strings.Contains(view.Rest, "9000") {
		t.Errorf("%d bytes, %q", len(view.Body), view.Rest)
	}
}
