package stage

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"chargeonce/components"
	"chargeonce/static"
	"chargeonce/web/control"
)

// What an exported page has beside the page's own files: a script in the place
// of the server, and a style that hides what only a server can do.
var (
	//go:embed exported.js
	exportedScript string
	//go:embed exported.css
	exportedStyle string
)

// exportedPolicy is the page's own: it loads nothing from anywhere, and a
// browser holds it to that.
const exportedPolicy = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline' data:; img-src data:; base-uri 'none'; form-action 'none'"

// recording is what the script in the place of the server answers from.
type recording struct {
	Date      string            `json:"date"`      // when it was made, as an answer's header: the page's clock stands still there
	Answers   map[string]any    `json:"answers"`   // by path
	Frames    []any             `json:"frames"`    // of the websocket
	Exchanges map[string]string `json:"exchanges"` // "side/trace" → HTML
}

// exportedPage has no way to other pages.
func exportedPage(title string) components.Page {
	return components.Page{Title: title, Asset: static.Path}
}

// selfContained renders a page that needs nothing but a browser.
func selfContained(ctx context.Context, page templ.Component, r recording) ([]byte, error) {
	r.Date = time.Now().UTC().Format(http.TimeFormat)
	if r.Frames == nil {
		r.Frames = []any{}
	}
	kept, err := json.Marshal(r) // with HTML escaping: "</script" cannot occur in it
	if err != nil {
		return nil, fmt.Errorf("encode the recording: %w", err)
	}
	var body bytes.Buffer
	if err := page.Render(ctx, &body); err != nil {
		return nil, fmt.Errorf("render the page: %w", err)
	}
	head := fmt.Sprintf(`<meta http-equiv="Content-Security-Policy" content="%s"><style>%s</style>`+
		`<script type="application/json" id="exported">%s</script><script>%s</script>`,
		html.EscapeString(exportedPolicy), exportedStyle, kept, exportedScript)
	return []byte(static.Inline(body.String(), head)), nil
}

// maxFragments bounds the exchanges in an exported page, in bytes: a storm of
// hundreds would make a file that nobody wants to send. The first ones stay.
const maxFragments = 3 << 20

// fragments are the exchanges of the requests that events are about, as the
// stage would answer for each.
func fragments(ctx context.Context, log *runLog, events []control.Event) map[string]string {
	all, total := make(map[string]string), 0
	for _, e := range events {
		name := string(e.Side) + "/" + e.Trace
		if _, done := all[name]; done || e.Trace == "" || total > maxFragments {
			continue
		}
		view, known := exchangeView(log, e.Side, e.Trace)
		if !known {
			continue
		}
		view.KeyHref = "" // it would lead to the stage
		var part bytes.Buffer
		if components.ExchangeFragment(view).Render(ctx, &part) == nil { // only a client that left ends it
			all[name] = part.String()
			total += part.Len()
		}
	}
	return all
}
