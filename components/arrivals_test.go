package components

import (
	"strings"
	"testing"
)

func TestBothHistogramsHaveOneScale(t *testing.T) {
	r := &Recording{Arrivals: map[string][]int{"naive": {200, 0, 0, 0}, "safe": {0, 20, 10, 0}}}
	if got := r.bars("naive"); got != "M0.0 60v-60.0h225.0V60" {
		t.Errorf("the highest slice of all is drawn as %q", got)
	}
	if got := r.bars("safe"); got != "M225.0 60v-6.0h225.0V60M450.0 60v-3.0h225.0V60" {
		t.Errorf("a tenth of it is drawn as %q", got)
	}
	wants(t, r.atMost("safe"), "at most 20 in 20 ms")
}

func TestOnlyALessonWithArrivalsHasAHistogram(t *testing.T) {
	l := sampleLesson("x")
	lacks(t, render(t, LessonPage(l)), "storm")
	l.Recording.Arrivals = map[string][]int{"naive": {3}, "safe": {0}}
	l.Recording.Steps[1].Whole = []string{"naive", "safe"}
	html := render(t, LessonPage(l))
	if n := strings.Count(html, `class="storm"`); n != 2 {
		t.Errorf("%d histograms", n)
	}
	wants(t, html, `data-whole="naive safe"`)
}

func TestTheExampleIsWhatTheModulesRead(t *testing.T) {
	html := render(t, PanelScreen(Screen{Panel: Panel{Sides: []Side{naive, safe}}}))
	if n := strings.Count(html, "data-ghost="); n != 1 {
		t.Errorf("%d examples", n)
	}
}
