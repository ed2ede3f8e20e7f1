package components

import (
	"regexp"
	"strconv"
	"strings"
)

// longKey is the length up to which a key is printed whole: beyond it, a pill
// on an arrow would cover its neighbours.
const longKey = 8

// handle matches a minted key that begins with four characters to call it by.
var handle = regexp.MustCompile(`^[0-9A-Z]{4}-[0-9A-Z]{12,}$`)

// ShortKey is what a pill has room for: a key of up to 8 characters whole; of
// a minted key the four characters before its dash, "7F3A-K2…" is "7F3A"; of
// any other its end, with its kind where it has one: "cap_ch_01J5M2" is
// "cap_…5M2", "order-2026-0001" is "…0001", since ends differ where beginnings
// are equal. The page's script has a twin (words.js).
func ShortKey(key string) string {
	runes := []rune(key)
	if len(runes) <= longKey {
		return key
	}
	if handle.MatchString(key) {
		return key[:4]
	}
	kind, _, found := strings.Cut(key, "_")
	if found && len(kind) > 0 && len([]rune(kind)) <= 4 {
		return kind + "_…" + string(runes[len(runes)-3:])
	}
	return "…" + string(runes[len(runes)-4:])
}

// Segment is a stretch of narration in one weight.
type Segment struct {
	Text string
	Bold bool
}

// Segments splits narration at its asterisks: what stands between a pair is
// bold. An asterisk without a partner is printed as it is. Nothing else in
// the text has a meaning.
func Segments(text string) []Segment {
	var out []Segment
	for text != "" {
		before, rest, opened := strings.Cut(text, "*")
		bold, after, closed := strings.Cut(rest, "*")
		if !opened || !closed {
			return append(out, Segment{Text: text})
		}
		out = appendText(out, before, false)
		out = appendText(out, bold, true)
		text = after
	}
	return out
}

func appendText(out []Segment, text string, bold bool) []Segment {
	if text == "" {
		return out
	}
	return append(out, Segment{Text: text, Bold: bold})
}

// short is the key as the checkout prints it.
func (c Checkout) short() string {
	if c.KeyShort != "" {
		return c.KeyShort
	}
	return ShortKey(c.Key)
}

// asset is the URL of an embedded file.
func (p Page) asset(name string) string {
	if p.Asset == nil {
		return "/static/" + name
	}
	return p.Asset(name)
}

// live is the websocket's path.
func (p Panel) live() string {
	if p.LivePath == "" {
		return "/stage/live"
	}
	return p.LivePath
}

// dash stands for a figure that nobody knows.
func dash(figure string) string {
	if figure == "" {
		return "—"
	}
	return figure
}

// seconds prints milliseconds as "1.39 s": two digits, as long as somebody
// waits for them.
func seconds(ms int64) string {
	return strconv.FormatFloat(float64(ms)/1000, 'f', 2, 64) + " s"
}

// stock prints a count that may be below zero, with a minus as wide as a digit.
func stock(n int) string {
	return strings.Replace(strconv.Itoa(n), "-", minus, 1)
}
