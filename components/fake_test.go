package components_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"chargeonce/components"
	"chargeonce/static"
)

// fakeStage serves the real pages and plays events that a test gives it, so
// that the page can be tested without the rest of the product.
type fakeStage struct {
	*httptest.Server
	sides []components.Side

	mu       sync.Mutex // guards what follows
	events   []map[string]any
	grown    chan struct{} // closed and replaced when an event is added
	posts    []url.Values
	commands []string
	after    []string // of each websocket, in the order of their start
	sockets  []*websocket.Conn
	silent   bool // POST /pay is not answered
	faults   []map[string]any
	holds    []map[string]any
	mistake  string
}

const stagePolicy = "default-src 'self'; frame-ancestors 'none'"

func newFakeStage(t *testing.T, sides ...string) *fakeStage {
	t.Helper()
	f := &fakeStage{grown: make(chan struct{})}
	for _, side := range sides {
		f.sides = append(f.sides, components.Side{ID: side, Name: map[string]string{"safe": "SAFE", "naive": "NAIVE"}[side], Means: "a system"})
	}
	mux := http.NewServeMux()
	mux.Handle("/static/", static.Handler())
	mux.HandleFunc("GET /{$}", f.page)
	mux.HandleFunc("GET /stage", f.page)
	mux.HandleFunc("GET /panel", f.page)
	mux.HandleFunc("GET /books", f.page)
	mux.HandleFunc("GET /keys", f.page)
	mux.HandleFunc("POST /pay", f.pay)
	mux.HandleFunc("GET /stage/live", f.live)
	mux.HandleFunc("GET /stage/state", f.state)
	mux.HandleFunc("GET /stage/books", f.books)
	mux.HandleFunc("GET /stage/exchange", exchange)
	mux.HandleFunc("POST /stage/{command...}", f.command)
	mux.HandleFunc("DELETE /stage/{command...}", f.command)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", stagePolicy)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.close)
	return f
}

func (f *fakeStage) close() {
	f.drop()
	f.Server.Close()
}

func (f *fakeStage) page(w http.ResponseWriter, r *http.Request) {
	page := components.Page{Title: "Test", Asset: static.Path, Nav: []components.Link{{Label: "The books", Href: "/books"}}}
	mistakes := []components.Option{{ID: "no-key", Label: "no key"}, {ID: "look-then-insert", Label: "looks, then inserts"}}
	screen := components.Screen{Page: page, Panel: components.Panel{Sides: f.sides, Mistakes: mistakes}, Checkout: f.checkout()}
	var err error
	switch r.URL.Path {
	case "/stage":
		err = components.StageScreen(screen).Render(r.Context(), w)
	case "/panel":
		err = components.PanelScreen(screen).Render(r.Context(), w)
	case "/books":
		long := "a_very_long_name_that_has_no_place_to_break_at_all"
		err = components.BooksPage(components.Books{Page: page, Sides: []components.BookSide{{
			Side: f.sides[0], Captures: []components.CaptureRow{{Key: long, Reference: long, Amount: "€50.00"}},
		}}}).Render(r.Context(), w)
	case "/keys":
		err = components.KeysPage(components.Keys{Page: page, Record: &components.Record{Key: "k", Fingerprint: "v1:" + long64}}).Render(r.Context(), w)
	default:
		err = components.FirstScreen(screen).Render(r.Context(), w)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

const long64 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// checkout says how many POSTs have come, so that a test sees which answer the
// page shows.
func (f *fakeStage) checkout() *components.Checkout {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &components.Checkout{
		OrderID: "ord_1", Key: "0f8e-7F3A", Amount: "€50.00", AmountMinor: 5000, Settled: true,
		Cards: []components.Card{{Value: "pm_card_visa", Label: "Visa, pays"}, {Value: "pm_other", Label: "Other card"}},
	}
	if len(f.posts) > 0 {
		c.Notice = "POST " + strconv.Itoa(len(f.posts))
	}
	return c
}

func (f *fakeStage) pay(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	f.mu.Lock()
	f.posts = append(f.posts, r.PostForm)
	silent := f.silent
	f.mu.Unlock()
	if silent {
		// The answer begins and never ends: of a request that got no byte at
		// all the browser itself may send a second one.
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("<!doctype html>"))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// command writes down what was asked for. A fault is disarmed by any command,
// a hold ends by a decision.
func (f *fakeStage) command(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.commands = append(f.commands, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+string(body)))
	f.faults = nil
	if hold, ok := strings.CutPrefix(r.URL.Path, "/stage/holds/"); ok {
		f.holds = slices.DeleteFunc(f.holds, func(h map[string]any) bool { return h["hold"] == hold })
	}
	if r.URL.Path == "/stage/mistake" {
		f.mistake = "look-then-insert"
	}
	if r.URL.Path == "/stage/reset" {
		_, _ = io.WriteString(w, `{"undo_ms":600000}`)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// exchange knows one request: the naive side's is forgotten.
func exchange(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("side") != "safe" || strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, "forgotten", http.StatusNotFound)
		return
	}
	_ = components.ExchangeFragment(components.Exchange{Trace: r.URL.Query().Get("trace"), Owner: "run " + r.URL.Query().Get("run")}).Render(r.Context(), w)
}

// commanded waits until these commands, and no others, have been given.
func (f *fakeStage) commanded(t *testing.T, ctx context.Context, want ...string) {
	t.Helper()
	given := func() []string {
		f.mu.Lock()
		defer f.mu.Unlock()
		return slices.Clone(f.commands)
	}
	for end := time.Now().Add(patience); len(given()) < len(want) && time.Now().Before(end); {
		_ = eval[bool](t, ctx, `new Promise((done) => requestAnimationFrame(() => done(true)))`)
	}
	if got := given(); !slices.Equal(got, want) {
		t.Fatalf("commands %q, want %q", got, want)
	}
}

func (f *fakeStage) state(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]any{
		"seq": len(f.events), "faults": append([]map[string]any{}, f.faults...), "gates": []any{}, "holds": append([]map[string]any{}, f.holds...), "mistake": f.mistake,
		"children": map[string]any{"safe": map[string]any{"state": "ready", "pid": 4242}}, "counters": f.counters(),
	})
}

// counters are the stage's, as far as these tests tell anything. It needs f.mu.
func (f *fakeStage) counters() map[string]map[string]int {
	all := map[string]map[string]int{"naive": {}, "safe": {}}
	for _, e := range f.events {
		outcome, _ := e["outcome"].(string)
		if e["kind"] == "request" || e["kind"] == "decision" || outcome == "silence" {
			all[e["side"].(string)][outcome]++
		}
	}
	return all
}

func (f *fakeStage) books(w http.ResponseWriter, _ *http.Request) {
	eur := func(n int) map[string]int { return map[string]int{"eur": n} }
	owner := map[string]any{"wanted": eur(5000), "ledger": eur(5000), "captured": eur(10000), "overcharged": eur(5000), "unpaid": eur(0)}
	_ = json.NewEncoder(w).Encode(map[string]any{"sides": map[string]any{"safe": map[string]any{"owners": map[string]any{"shop": owner}}}})
}

// live replays from the event after which the client asks, and then follows.
func (f *fakeStage) live(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{}
	c, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	after, _ := strconv.Atoi(r.URL.Query().Get("after"))
	f.mu.Lock()
	f.after = append(f.after, r.URL.Query().Get("after"))
	f.sockets = append(f.sockets, c)
	f.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _, _ = c.ReadMessage() // returns when the connection ends
	}()
	for next := after; ; next++ {
		event, grown := f.event(next)
		if event == nil {
			select {
			case <-grown:
				next--
				continue
			case <-gone:
				return
			}
		}
		if c.WriteJSON(event) != nil {
			return
		}
	}
}

func (f *fakeStage) event(i int) (map[string]any, chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i < len(f.events) {
		return f.events[i], nil
	}
	return nil, f.grown
}

// tell adds events of one order; each is given its number and, unless it has
// one, the time of now.
func (f *fakeStage) tell(events ...map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, event := range events {
		e := map[string]any{"side": "safe", "owner": "shop", "key": "0f8e-7F3A", "scene": "ord_1", "text": "text", "at_ms": time.Now().UnixMilli()}
		for name, value := range event {
			e[name] = value
		}
		e["seq"] = len(f.events) + 1
		f.events = append(f.events, e)
	}
	close(f.grown)
	f.grown = make(chan struct{})
}

// drop closes every websocket as a lost network would.
func (f *fakeStage) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.sockets {
		_ = c.NetConn().Close()
	}
	f.sockets = nil
}

// lostAnswer is the story of the first button, long past.
func lostAnswer() []map[string]any {
	start := time.Now().Add(-time.Minute).UnixMilli()
	at := func(ms int64, lane, kind string, rest map[string]any) map[string]any {
		e := map[string]any{"at_ms": start + ms, "lane": lane, "kind": kind, "trace": "t1", "attempt": 1, "of": 10}
		for name, value := range rest {
			e[name] = value
		}
		return e
	}
	second := map[string]any{"trace": "t2", "attempt": 2}
	with := func(more map[string]any) map[string]any {
		e := map[string]any{}
		for _, m := range []map[string]any{second, more} {
			for name, value := range m {
				e[name] = value
			}
		}
		return e
	}
	return []map[string]any{
		at(0, "shop", "request", map[string]any{"outcome": "attempt"}),
		at(2, "api", "decision", map[string]any{"outcome": "started"}),
		at(4, "api", "provider", map[string]any{"provider_key": "cap_ch_0001"}),
		at(204, "provider", "provider", map[string]any{"outcome": "captured", "amount": 5000, "currency": "eur"}),
		at(208, "api", "response", map[string]any{"status": 201}),
		at(210, "network", "fault", map[string]any{"outcome": "lost"}),
		at(2000, "shop", "response", map[string]any{"outcome": "silence", "ms": 2000}),
		at(2186, "shop", "request", with(map[string]any{"outcome": "attempt"})),
		at(2188, "api", "decision", with(map[string]any{"outcome": "replay"})),
		at(2189, "api", "response", with(map[string]any{"status": 201})),
		at(2191, "shop", "response", with(map[string]any{"status": 201, "outcome": "replay"})),
		at(2191, "shop", "note", map[string]any{"text": "The answer was lost: *SAFE replayed it.*"}),
	}
}
