package components

import (
	"regexp"
	"strings"
	"testing"
)

func sampleLesson(text string) Lesson {
	cell := func(name string, captures int, told bool) Cell {
		return Cell{
			Name: name, Owner: "run_" + text, Letters: "AB", Captures: captures, Say: text, Told: told,
			Marks: []Mark{{"A", "claim", 1}, {"A", "charge", 3}, {"B", "busy", 2}, {"B", "replay", 5}, {"A", "look", 4}},
		}
	}
	return Lesson{
		Page: onePage(text), ID: "race", Title: text, Setup: text, Question: text, Answers: []string{text, "Other"}, Right: 2,
		Sides: []Side{naive, safe}, Lanes: []string{"shop", "api"}, Counters: []string{"attempt", "captured", "killed"},
		Code:  []Code{{Side: "safe", Name: "f", File: "a/b.go", Line: 7, Text: "func f() {" + text + "}"}},
		Fresh: "/lessons/race", Run: "r1",
		Recording: &Recording{
			Seed: 41, Held: true, Permalink: "/runs/r1", Again: "/lessons/race?seed=41",
			Checks: []Check{{Side: "SAFE", Name: text, Want: "1", Got: "2"}},
			Steps:  []LessonStep{{Say: text, Spoken: text, Ask: "open", Curtain: true}, {Say: "*" + text + "*", Boards: []string{"naive"}}},
			Boards: []Board{
				{Side: naive, Overcharged: "€50.00", Cells: []Cell{cell("1", 2, true), cell("2", 2, false), cell("3", 1, false)}},
				{Side: safe, Cells: []Cell{cell("1", 1, true), cell("2", 0, false), cell("3", 1, false)}},
			},
		},
	}
}

func lessonPages(t *testing.T, text string) map[string]string {
	t.Helper()
	fresh := sampleLesson(text)
	fresh.Recording, fresh.Tour = nil, &TourStop{Minutes: 5, Stop: 2, Of: 3, Previous: "/lessons/a?tour=5", Next: "/lessons/b?tour=5"}
	return map[string]string{
		"recorded": render(t, LessonPage(sampleLesson(text))),
		"fresh":    render(t, LessonPage(fresh)),
		"catalogue": render(t, LessonsPage(Lessons{
			Page: onePage(text), Tours: []TourCard{{Minutes: 5, Start: "/lessons/a?tour=5", Titles: []string{text}}},
			Lessons: []LessonCard{{ID: "a", Title: text, Question: text, Href: "/lessons/a", Sides: []Side{naive, safe}}},
		})),
	}
}

func TestLessonPagesEscapeAndHoldNothingInline(t *testing.T) {
	for name, html := range lessonPages(t, evil) {
		// U11: nothing that a user says becomes a style.
		if strings.Contains(html, "<script>alert") || strings.Contains(html, "onclick='y'") || strings.Contains(html, `style="x"`) || strings.Contains(html, "javascript:") {
			t.Errorf("%s prints markup that came from outside", name)
		}
		if !strings.Contains(html, "&lt;script&gt;") {
			t.Errorf("%s does not print the text at all", name)
		}
	}
	for name, html := range lessonPages(t, "Some text") {
		for _, inline := range []*regexp.Regexp{styled, handler} {
			if found := inline.FindString(html); found != "" {
				t.Errorf("%s: %s", name, found)
			}
		}
		for _, tag := range []string{"<h1", "<main"} {
			if n := strings.Count(html, tag); n != 1 {
				t.Errorf("%s: %d × %s", name, n, tag)
			}
		}
		if strings.Contains(html, "<nil>") || strings.Contains(html, "%!") {
			t.Errorf("%s prints a fault of ours", name)
		}
	}
}

func TestTheBoardCountsItsOwnCells(t *testing.T) {
	r := sampleLesson("x").Recording
	if got := r.Boards[0].twice(); got != "2 of 3" {
		t.Errorf("naive: %s", got)
	}
	if got := r.Boards[1].twice(); got != "0 of 3" {
		t.Errorf("safe: %s", got)
	}
	html := lessonPages(t, "x")["recorded"]
	if n := strings.Count(html, `class="order twice`); n != 2 {
		t.Errorf("%d cells are inverse", n)
	}
	for _, name := range []string{"NAIVE, order 1, AB: 2 charges", "SAFE, order 1, AB: 1 charge", "SAFE, order 2, AB: 0 charges"} {
		if !strings.Contains(html, `<span class="vh">`+name+`</span>`) {
			t.Errorf("no cell is called %q", name)
		}
	}
}

func TestMarksStandAtTheirStepInTheRowOfTheirClick(t *testing.T) {
	cell := Cell{Marks: []Mark{{"B", "busy", 2}, {"A", "charge", 3}, {"B", "replay", 5}}}
	if x, y := cell.Marks[0].x(), cell.Marks[0].y(); x != cellFirst+cellStep || y != cellLower {
		t.Errorf("B at step 2 stands at %v, %v", x, y)
	}
	if y := cell.Marks[1].y(); y != cellUpper {
		t.Errorf("A stands at %v", y)
	}
	if got := cell.until(cell.Marks[0]); got != cell.Marks[2].x() {
		t.Errorf("the wait ends at %v, want where B reads", got)
	}
	alone := Cell{Marks: []Mark{{"B", "busy", 2}}}
	if got := alone.until(alone.Marks[0]); got != alone.Marks[0].x() {
		t.Errorf("a wait without an end is drawn up to %v", got)
	}
}

func TestEachKeyOfTheLegendIsAButton(t *testing.T) {
	html := lessonPages(t, "x")["recorded"]
	for _, keys := range []string{"pagedown space", "pageup", "v", "u", ". b", "r", "p", "s arrowright", "arrowleft", "e", "?", "1", "2"} {
		if n := strings.Count(html, ` data-keys="`+keys+`"`); n != 1 {
			t.Errorf("%d buttons for %q", n, keys)
		}
	}
}

func TestCountersOfALessonHaveShapesAndWords(t *testing.T) {
	html := lessonPages(t, "x")["recorded"]
	for outcome, name := range map[string]string{"attempt": "ATTEMPT", "captured": "CAPTURED", "killed": "PROCESS KILLED"} {
		if !strings.Contains(html, `data-outcome="`+outcome+`"`) || !strings.Contains(html, ">"+name+"<") {
			t.Errorf("no counter %s", name)
		}
	}
	// What a client cannot notice is behind the curtain.
	if n := strings.Count(html, `class="n veil"`); n != 2 {
		t.Errorf("%d counters are behind the curtain", n)
	}
}

func TestALongSentenceIsSetSmaller(t *testing.T) {
	if (LessonStep{Say: strings.Repeat("x", 78)}).long() || !(LessonStep{Say: strings.Repeat("x", 79)}).long() {
		t.Error("the limit is not where one line ends")
	}
}
