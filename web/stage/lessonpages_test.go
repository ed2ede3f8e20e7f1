package stage

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
)

// lessonStage is a stage with nothing but its lessons' pages and some runs.
func lessonStage(kept ...*oneRun) http.Handler {
	s := &Stage{options: Options{Source: repository(), Log: io.Discard}, runs: &runs{all: make(map[string]*oneRun)}}
	for _, one := range kept {
		s.runs.keep(one.run.ID, one)
	}
	mux := http.NewServeMux()
	s.lessonPages(mux)
	return mux
}

func visit(t *testing.T, h http.Handler, url string) (status int, html string, header http.Header) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, url, nil))
	return w.Code, w.Body.String(), w.Header()
}

// raced is a finished run of the race in which the first order charged twice.
func raced() *oneRun {
	cell := func(owner string, captures int) lesson.Cell {
		side := lesson.CellSide{
			Books: control.OwnerBooks{Captures: captures, Overcharged: control.Sums{"eur": int64(captures-1) * 5000}},
			Marks: []lesson.Mark{{Click: "A", What: "look", At: 1, Seq: 3}}, Say: "A looks.",
		}
		return lesson.Cell{Order: lesson.Order{Name: owner[1:], Owner: owner, Steps: []string{"A.look", "B.look"}}, Naive: side, Safe: side}
	}
	return &oneRun{run: lesson.Run{
		ID: "abc", Lesson: "double-click", Seed: 41, State: lesson.Held,
		Checks: []lesson.Check{{Name: "captures", Side: control.Naive, Want: "2", Got: "2", Held: true}},
		Board:  []lesson.Cell{cell("o1", 2), cell("o2", 1)},
		Steps: []lesson.Step{
			{Say: "Set up.", Curtain: true},
			{Say: "*A* clicks.", Question: true, Owner: map[control.Side]string{control.Naive: "run_abc_o2"}, Upto: map[control.Side]uint64{control.Naive: 3}},
			{Say: "The board.", Question: true, Answered: true, Board: []control.Side{control.Naive}},
		},
	}}
}

func TestTheCatalogueOffersToursAndLessons(t *testing.T) {
	status, html, _ := visit(t, lessonStage(), "/lessons")
	if status != http.StatusOK || !strings.Contains(html, `href="/lessons/lost-response?tour=5"`) {
		t.Errorf("status %d, no tour", status)
	}
	for _, l := range lesson.All() {
		if !strings.Contains(html, `href="/lessons/`+l.ID+`"`) || !strings.Contains(html, l.Question) {
			t.Errorf("%s is not offered", l.ID)
		}
		if strings.Contains(html, l.Sentence) {
			t.Errorf("the catalogue gives away what %s teaches", l.ID)
		}
	}
}

func TestALessonWithoutARunAsksForOne(t *testing.T) {
	for _, url := range []string{"/lessons/lost-response", "/lessons/lost-response?run=gone", "/lessons/lost-response?run=abc"} {
		status, html, _ := visit(t, lessonStage(raced()), url)
		if status != http.StatusOK || strings.Contains(html, "data-recorded") {
			t.Errorf("%s: status %d, recorded", url, status)
		}
		// What is gone is asked for, so that the page can say so; a run of
		// another lesson is not this one's.
		if asks := strings.Contains(html, `data-run="gone"`); asks != strings.HasSuffix(url, "gone") {
			t.Errorf("%s asks for a run: %v", url, asks)
		}
		if !strings.Contains(html, "func chargeRequest(") {
			t.Errorf("%s: the code that decides is missing", url)
		}
	}
	if status, _, _ := visit(t, lessonStage(), "/lessons/nonsense"); status != http.StatusNotFound {
		t.Errorf("no such lesson: %d", status)
	}
}

func TestARecordedRunIsPrinted(t *testing.T) {
	for _, url := range []string{"/runs/abc", "/lessons/double-click?run=abc"} {
		status, html, _ := visit(t, lessonStage(raced()), url)
		if status != http.StatusOK {
			t.Fatalf("%s: %d", url, status)
		}
		for _, want := range []string{
			"data-recorded", `data-run="abc"`, "seed 41", `href="/runs/abc"`, "1 of 2", ", €50.00 overcharged",
			`data-pick="run_abc_o1"`, `class="order twice"`, `class="order first"`, `href="/lessons/double-click?seed=41"`,
			`data-ask="open"`, `data-ask="told"`, `data-board="naive"`, `data-mode="board"`, `data-curtain="true"`,
			`data-spoken="Naive: A clicks."`, "<b>A</b>", "captures",
		} {
			if !strings.Contains(html, want) {
				t.Errorf("%s: no %s", url, want)
			}
		}
	}
}

func TestARunHasAnAddressAsLongAsTheStageKeepsIt(t *testing.T) {
	broken := &oneRun{run: lesson.Run{ID: "bad", Lesson: "lost-response", State: lesson.Broken}, err: errChildDown}
	running := &oneRun{run: lesson.Run{ID: "now", Lesson: "lost-response", State: lesson.Running}}
	h := lessonStage(broken, running)
	for url, want := range map[string]int{"/runs/none": http.StatusNotFound, "/runs/bad": http.StatusInternalServerError, "/runs/now": http.StatusSeeOther} {
		status, html, header := visit(t, h, url)
		if status != want {
			t.Errorf("%s: %d, want %d\n%s", url, status, want, html)
		}
		if want == http.StatusSeeOther && header.Get("Location") != "/lessons/lost-response?run=now" {
			t.Errorf("%s leads to %q", url, header.Get("Location"))
		}
	}
}

func TestATourKnowsWhatComesBeforeAndAfter(t *testing.T) {
	ids := lesson.Tours()[0].Lessons
	address := func(n int) string {
		if n < 0 || n >= len(ids) {
			return ""
		}
		return "/lessons/" + ids[n] + "?tour=5"
	}
	for i := range ids {
		_, html, _ := visit(t, lessonStage(), address(i))
		for _, want := range []string{
			`class="telling projector"`, `data-previous="` + address(i-1) + `"`, `data-next="` + address(i+1) + `"`, `data-fresh="` + address(i) + `"`,
		} {
			if !strings.Contains(html, want) {
				t.Errorf("%s: no %s", address(i), want)
			}
		}
	}
	for _, url := range []string{"/lessons/" + ids[0], "/lessons/" + ids[0] + "?tour=7"} {
		if _, html, _ := visit(t, lessonStage(), url); strings.Contains(html, "projector") || strings.Contains(html, "data-next") {
			t.Errorf("%s is in a tour", url)
		}
	}
}

func TestTheFirstScreenLeadsToTourAndCatalogue(t *testing.T) {
	var got []string
	for _, link := range ways() {
		got = append(got, link.Label+" "+link.Href)
	}
	if want := "5-minute tour /lessons/lost-response?tour=5, 25-minute tour /lessons/lost-response?tour=25, " +
		"All lessons /lessons, Point your own client here /connect"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

func TestASpokenSentenceSaysWhoseItIs(t *testing.T) {
	step := func(say string, naive, safe uint64) lesson.Step {
		return lesson.Step{Say: say, Upto: map[control.Side]uint64{control.Naive: naive, control.Safe: safe}}
	}
	before := step("", 3, 4)
	for _, test := range []struct {
		step lesson.Step
		want string
	}{
		{step("Both *move*.", 5, 6), "Both move."},
		{step("Nothing moves.", 3, 4), "Nothing moves."},
		{step("It charges.", 5, 4), "Naive: It charges."},
		{step("It *replays*.", 3, 6), "Safe: It replays."},
		{step("NAIVE tries again.", 5, 4), "NAIVE tries again."},
	} {
		if got := spoken(test.step, before); got != test.want {
			t.Errorf("%q is spoken as %q, want %q", test.step.Say, got, test.want)
		}
	}
}

func TestTheQuestionIsPutOnceAndThenWaits(t *testing.T) {
	asked, told := lesson.Step{Question: true}, lesson.Step{Question: true, Answered: true}
	for _, test := range []struct {
		step, before lesson.Step
		want         string
	}{
		{lesson.Step{}, lesson.Step{}, ""},
		{asked, lesson.Step{}, "open"},
		{asked, asked, "asked"},
		{told, asked, "told"},
		{lesson.Step{Answered: true}, told, ""},
	} {
		if got := asking(test.step, test.before); got != test.want {
			t.Errorf("%+v after %+v: %q, want %q", test.step, test.before, got, test.want)
		}
	}
}
