package components_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"chargeonce/components"
	"chargeonce/static"
)

// fakeLessons serves the lesson's real page and a recording that a test can
// hold back, so that the page can be tested without processes.
type fakeLessons struct {
	*httptest.Server

	mu       sync.Mutex // guards what follows
	answers  []int      // of the next POSTs; empty: 202
	posts    []string   // their bodies
	running  int        // looks at the run until it has ended
	existing bool       // the run is kept
}

func newFakeLessons(t *testing.T) *fakeLessons {
	t.Helper()
	f := &fakeLessons{existing: true}
	mux := http.NewServeMux()
	mux.Handle("/static/", static.Handler())
	mux.HandleFunc("GET /lessons/{id}", f.page)
	mux.HandleFunc("POST /stage/lessons/{id}/runs", f.start)
	mux.HandleFunc("GET /stage/runs/{id}", f.run)
	mux.HandleFunc("GET /stage/runs/{id}/moments", moments)
	mux.HandleFunc("GET /stage/runs/{id}/moments/{naive}/{safe}", moments)
	mux.HandleFunc("GET /stage/exchange", exchange)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", stagePolicy)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Server.Close)
	return f
}

func (f *fakeLessons) start(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var body json.RawMessage
	_ = json.NewDecoder(r.Body).Decode(&body)
	f.posts = append(f.posts, string(body))
	status := http.StatusAccepted
	if len(f.answers) > 0 {
		status, f.answers = f.answers[0], f.answers[1:]
	}
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"id":"r1","detail":"Refused with %d."}`, status)
}

func (f *fakeLessons) run(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	state := "held"
	if f.running > 0 {
		f.running--
		state = "running"
	}
	if !f.existing {
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, `{"detail":"There is no such run."}`)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "r1", "seed": 41, "state": state, "events": recordedEvents(), "steps": recordedSteps()})
}

// moments are the figures that the two captures of each side made.
func moments(w http.ResponseWriter, _ *http.Request) {
	all := map[string]any{}
	for _, side := range []string{"naive", "safe"} {
		var mine []map[string]any
		captured, attempts := 0, 0
		for _, e := range recordedEvents() {
			if e["side"] != side {
				continue
			}
			if e["outcome"] == "captured" {
				captured += 5000
			}
			if e["outcome"] == "attempt" && e["lane"] == "shop" {
				attempts++
			}
			money := map[string]any{"wanted": eur(5000), "ledger": eur(captured), "captured": eur(captured), "overcharged": eur(max(0, captured-5000)), "unpaid": eur(0)}
			mine = append(mine, map[string]any{"seq": e["seq"], "at_ms": e["at_ms"], "money": money, "counters": map[string]int{"attempt": attempts, "captured": captured / 5000}})
		}
		all[side] = mine
	}
	_ = json.NewEncoder(w).Encode(all)
}

func (f *fakeLessons) posted() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.posts...)
}

// recordedEvents is a lost answer on both sides, numbered: the naive side has
// 1 to 12, the safe side 13 to 24. Their owner is the one of cell 6.
func recordedEvents() (all []map[string]any) {
	for i, side := range []string{"naive", "safe"} {
		story := lostAnswer()
		start, _ := story[0]["at_ms"].(int64)
		for j, e := range story {
			at, _ := e["at_ms"].(int64)
			e["at_ms"] = at - start + 50 // a run's clock begins with the run
			e["side"], e["owner"], e["run"], e["seq"], e["text"] = side, "run_r1_o06", "r1", i*12+j+1, "something"
			all = append(all, e)
		}
	}
	return all
}

// recordedSteps is what the script reads of the steps; recordedItems is what
// the server prints.
func recordedSteps() []map[string]any {
	step := func(naive, safe int, captured int, rest map[string]any) map[string]any {
		money := map[string]any{"wanted": eur(5000), "ledger": eur(captured), "captured": eur(captured), "overcharged": eur(max(0, captured-5000)), "unpaid": eur(0)}
		s := map[string]any{
			"upto": map[string]int{"naive": naive, "safe": safe}, "money": map[string]any{"naive": money, "safe": money},
			"counters": map[string]any{"naive": map[string]int{"attempt": 1, "captured": captured / 5000}, "safe": map[string]int{"attempt": 1}},
		}
		for name, value := range rest {
			s[name] = value
		}
		return s
	}
	owner := map[string]any{"naive": "run_r1_o06", "safe": "run_r1_o06"}
	return []map[string]any{
		step(0, 0, 0, map[string]any{"curtain": true}),
		step(7, 19, 5000, map[string]any{"curtain": true, "question": true, "owner": owner}),
		step(12, 19, 10000, map[string]any{"question": true, "answered": true, "owner": owner}),
		step(12, 24, 10000, map[string]any{"board": []string{"naive"}}),
	}
}

func eur(amount int) map[string]int { return map[string]int{"eur": amount} }

func (f *fakeLessons) page(w http.ResponseWriter, r *http.Request) {
	id, query := r.PathValue("id"), r.URL.Query()
	sides := []components.Side{{ID: "naive", Name: "NAIVE", Means: "no key"}, {ID: "safe", Name: "SAFE", Means: "one key per purchase"}}
	l := components.Lesson{
		Page: components.Page{Title: id, Asset: static.Path, Nav: []components.Link{{Label: "Lessons", Href: "/lessons"}}},
		ID:   id, Title: id, Setup: "What will be done.", Question: "What do you know now?", Answers: []string{"One", "Two", "Three"}, Right: 3,
		Sides: sides, Lanes: []string{"shop", "network", "api", "provider"}, Counters: []string{"attempt", "captured"},
		Fresh: "/lessons/" + id, Run: query.Get("run"), Code: []components.Code{{Side: "safe", Name: "f", File: "a.go", Line: 1, Text: "func f() {}"}},
	}
	if query.Get("tour") != "" {
		l.Fresh += "?tour=5"
		l.Tour = &components.TourStop{Minutes: 5, Stop: 1, Of: 2, Next: "/lessons/b?tour=5"}
		if id == "b" {
			l.Tour = &components.TourStop{Minutes: 5, Stop: 2, Of: 2, Previous: "/lessons/a?tour=5", Ways: []components.Link{{Label: "All lessons", Href: "/lessons"}}}
		}
	}
	if f.existing && l.Run != "" {
		l.Recording = &components.Recording{Seed: 41, Held: true, Permalink: "/runs/r1", Again: "/lessons/" + id + "?seed=41", Steps: []components.LessonStep{
			{Say: "Set up.", Spoken: "Set up.", Curtain: true},
			{Say: "*Silence.*", Spoken: "Silence.", Curtain: true, Ask: "open"},
			{Say: "It charges again.", Spoken: "Naive: It charges again.", Ask: "told"},
			{Say: "The board.", Spoken: "The board.", Boards: []string{"naive"}},
		}}
		for _, side := range sides {
			board := components.Board{Side: side}
			for i := 1; i <= 20; i++ {
				board.Cells = append(board.Cells, components.Cell{Name: fmt.Sprint(i), Owner: fmt.Sprintf("run_r1_o%02d", i), Captures: 2, Say: "A looks: 2 charges.", Told: i == 6})
			}
			l.Recording.Boards = append(l.Recording.Boards, board)
		}
	}
	if err := components.LessonPage(l).Render(r.Context(), w); err != nil {
		panic(err)
	}
}
