package lesson

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"chargeonce/web/control"
)

// maxSay keeps a sentence within two lines of the projector, in characters.
const maxSay = 90

func TestTheCatalogueIsSane(t *testing.T) {
	ids := make(map[string]bool)
	for _, l := range All() {
		if ids[l.ID] || l.ID == "" {
			t.Errorf("id %q is not its own", l.ID)
		}
		ids[l.ID] = true
		if len(l.Answers) < 2 || len(l.Answers) > 4 || l.Right < 1 || l.Right > len(l.Answers) {
			t.Errorf("%s: answer %d of %d", l.ID, l.Right, len(l.Answers))
		}
		if l.Script == nil || l.Promises == nil || len(l.Beats) == 0 || len(l.Lanes) == 0 || len(l.Counters) == 0 {
			t.Errorf("%s is not whole", l.ID)
		}
		if !strings.HasPrefix(l.NaiveLabel, "NAIVE: ") || !strings.HasPrefix(l.SafeLabel, "SAFE: ") {
			t.Errorf("%s: labels %q and %q", l.ID, l.NaiveLabel, l.SafeLabel)
		}
		texts := append([]string{l.Title, l.Mistake, l.Question, l.Sentence, l.NotFixed}, l.Answers...)
		if slices.Contains(texts, "") || !strings.HasSuffix(l.Question, "?") {
			t.Errorf("%s lacks words: %q", l.ID, texts)
		}
	}
}

func TestEveryBeatIsWorthReadingAloud(t *testing.T) {
	for _, l := range All() {
		said := make(map[string]bool)
		for i, beat := range l.told() {
			plain := strings.ReplaceAll(beat.Say, "*", "")
			if n := utf8.RuneCountInString(plain); n == 0 || n > maxSay {
				t.Errorf("%s, step %d: %d characters: %q", l.ID, i+1, n, plain)
			}
			if strings.Count(beat.Say, "*")%2 != 0 || said[plain] {
				t.Errorf("%s, step %d is badly marked or said twice: %q", l.ID, i+1, beat.Say)
			}
			if !strings.HasSuffix(plain, ".") {
				t.Errorf("%s, step %d is not a sentence: %q", l.ID, i+1, plain)
			}
			said[plain] = true
		}
	}
}

func TestALessonAsksOnceAndAnswersAfterwards(t *testing.T) {
	for _, l := range All() {
		var asked, answered []int
		for i, beat := range l.Beats {
			if beat.Question {
				asked = append(asked, i)
			}
			if beat.Answer {
				answered = append(answered, i)
			}
			if beat.Curtain && len(answered) > 0 {
				t.Errorf("%s closes the curtain after the answer", l.ID)
			}
		}
		if len(asked) != 1 || len(answered) != 1 || asked[0] >= answered[0] {
			t.Errorf("%s asks at %v and answers at %v", l.ID, asked, answered)
		}
	}
}

func TestToursNameLessonsThatThereAre(t *testing.T) {
	for _, tour := range Tours() {
		if tour.Minutes <= 0 || len(tour.Lessons) == 0 {
			t.Errorf("%+v", tour)
		}
		for _, id := range tour.Lessons {
			if l, err := ByID(id); err != nil || l.ID != id {
				t.Errorf("%d minutes: %v", tour.Minutes, err)
			}
		}
	}
	want := []string{"lost-response", "double-click", "kill-lease"}
	if first := Tours()[0]; first.Minutes != 5 || !slices.Equal(first.Lessons, want) {
		t.Errorf("the 5-minute tour is %+v", first)
	}
}

func TestAnUnknownLessonIsAnError(t *testing.T) {
	if _, err := ByID("no-such"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), `"no-such"`) {
		t.Errorf("%v", err)
	}
}

func TestEachSideShowsTheCodeThatDecides(t *testing.T) {
	for _, l := range All() {
		shown := make(map[control.Side]int)
		for _, ref := range l.Code {
			shown[ref.Side]++
			if ref.Side == control.Naive != (ref.Package == "web/naive") {
				t.Errorf("%s shows %s of %s as %s", l.ID, ref.Func, ref.Package, ref.Side)
			}
		}
		if shown[control.Naive] == 0 || shown[control.Safe] == 0 {
			t.Errorf("%s shows %v", l.ID, shown)
		}
	}
}
