package components

import (
	"strings"
	"testing"
)

func sampleExchange(text string) Exchange {
	return Exchange{
		Page: onePage(text), Side: safe, Trace: text, Owner: text, Key: text, KeyHref: "/keys?key=1", Attempt: text,
		Hops: []Hop{{
			Name: text, Fate: text, Lost: true, Took: text, Notes: []string{text},
			Request:  HTTPMessage{First: text, Headers: []HeaderLine{{Name: text, Value: text}}, Body: text, Rest: text},
			Response: &HTTPMessage{First: text},
		}},
		Beyond:  []Hop{{Name: text, Fate: text, Request: HTTPMessage{First: text}}},
		Decided: []Decided{{Outcome: "replay", Text: text, Why: text, Fence: text, Lease: text}},
		Written: []Written{{Text: text, Fence: text, Rows: []RowName{{Key: text, Means: text}}}},
		Told:    []Step{{At: text, What: text}},
	}
}

func TestAnExchangeEscapesWhatASenderSent(t *testing.T) {
	for name, html := range map[string]string{
		"part": render(t, ExchangeFragment(sampleExchange(evil))),
		"page": render(t, ExchangePage(sampleExchange(evil))),
	} {
		if strings.Contains(html, "<script>alert") || strings.Contains(html, `onclick='y'`) || strings.Contains(html, `style="x"`) {
			t.Errorf("%s: a value got out of its place: %s", name, html)
		}
		if n := strings.Count(html, "alert(1)"); n < 20 {
			t.Errorf("%s: the values are printed %d times", name, n)
		}
	}
}

func TestAnExchangeWithoutAnAnswerShowsNone(t *testing.T) {
	x := sampleExchange("t")
	x.Hops[0].Response, x.Key, x.Hops[0].Took = nil, "", ""
	html := render(t, ExchangeFragment(x))
	if strings.Contains(html, "Response") || !strings.Contains(html, "no key") {
		t.Error(html)
	}
}
