package components_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func press(t *testing.T, ctx context.Context, keys ...string) {
	t.Helper()
	for _, key := range keys {
		do(t, ctx, chromedp.KeyEvent(key))
	}
}

// at says that a recorded step is on the screen, from 1.
func at(step int) string {
	return fmt.Sprintf(`(location.hash === "#step=%d" && document.querySelector("[data-step]")?.textContent === "%d")`, step, step)
}

// of says which lesson is on the screen.
func of(lesson string) string {
	return ` && document.querySelector("main").dataset.lesson === "` + lesson + `"`
}

// arrive is until for a page that may be on its way to another one.
func arrive(t *testing.T, ctx context.Context, condition string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if there, err := chromedp.Run(ctx, chromedp.Evaluate[bool](condition)); err == nil && there {
			return
		}
	}
	t.Fatalf("never true: %s\n%s", condition, eval[string](t, ctx, `document.body.innerText`))
}

func openRecorded(t *testing.T, f *fakeLessons, path string, width, height int64) context.Context {
	t.Helper()
	ctx := open(t, f.URL+path, width, height)
	arrive(t, ctx, at(1))
	return ctx
}

func text(selector string) string {
	return `document.querySelector('` + selector + `').textContent.trim()`
}

func TestALessonMakesOneRunAndRevealsIt(t *testing.T) {
	f := newFakeLessons(t)
	f.running = 3
	ctx := openRecorded(t, f, "/lessons/a?seed=7", 1280, 720)
	if posts := f.posted(); len(posts) != 1 || posts[0] != `{"seed":7}` {
		t.Errorf("posted %q", posts)
	}
	press(t, ctx, kb.PageDown, kb.PageDown)
	until(t, ctx, at(3))
	if got := eval[string](t, ctx, `location.pathname + location.search`); got != "/lessons/a?run=r1" {
		t.Errorf("the address is %s", got)
	}
	do(t, ctx, chromedp.Reload())
	arrive(t, ctx, at(3))
	press(t, ctx, kb.PageUp, " ")
	until(t, ctx, at(3))
	if posts := f.posted(); len(posts) != 1 {
		t.Errorf("a reload made another run: %q", posts)
	}
}

func TestPageDownBeforeTheRunHasEndedIsNotLost(t *testing.T) {
	f := newFakeLessons(t)
	f.running = 5
	ctx := open(t, f.URL+"/lessons/a", 1280, 720)
	until(t, ctx, `/RUNNING/.test(document.querySelector("[data-badge]")?.textContent)`)
	press(t, ctx, kb.PageDown)
	arrive(t, ctx, at(2))
}

func TestAnotherRunIsWaitedForAndARefusalIsTold(t *testing.T) {
	f := newFakeLessons(t)
	f.answers = []int{409, 401}
	ctx := open(t, f.URL+"/lessons/a", 1280, 720)
	until(t, ctx, `/Another lesson is running/.test(document.querySelector("[data-status]").textContent)`)
	until(t, ctx, `/Refused with 401/.test(document.querySelector("[data-sentence]").textContent)`)
	press(t, ctx, kb.PageDown)
	arrive(t, ctx, at(1))
	if posts := f.posted(); len(posts) != 3 {
		t.Errorf("%d POSTs, want one that waits, one refused, one that starts", len(posts))
	}
}

func TestARecordingThatIsGoneIsSaid(t *testing.T) {
	f := newFakeLessons(t)
	f.existing = false
	ctx := open(t, f.URL+"/lessons/a?run=r1#step=3", 1280, 720)
	until(t, ctx, `/There is no such run/.test(document.querySelector("[data-sentence]").textContent)`)
	if len(f.posted()) != 0 {
		t.Error("a run was made unasked")
	}
}

const seen = `(s) => getComputedStyle(document.querySelector(s)).visibility === "visible"`

func TestEverythingIsAsOfTheStep(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	captured := `[data-side="naive"] [data-money="captured"] .sum`
	for step, want := range []string{"—", "€50.00", "€100.00"} {
		until(t, ctx, at(step+1))
		if got := eval[string](t, ctx, text(captured)); got != want {
			t.Errorf("step %d: charged %s, want %s", step+1, got, want)
		}
		if open := eval[bool](t, ctx, `(`+seen+`)('`+captured+`')`); open != (step == 2) {
			t.Errorf("step %d: the curtain hides the money: %v", step+1, !open)
		}
		press(t, ctx, kb.PageDown)
	}
	press(t, ctx, kb.PageUp, kb.PageUp, "v")
	until(t, ctx, at(2))
	if !eval[bool](t, ctx, `(`+seen+`)('`+captured+`') && !document.querySelector(".curtain")`) {
		t.Error("the curtain does not lift")
	}
	press(t, ctx, "v")
	if eval[bool](t, ctx, `(`+seen+`)('`+captured+`') || !document.querySelector(".curtain")`) {
		t.Error("the curtain does not close again")
	}
}

func TestEachStepIsOneSentenceForTheEars(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	if n := eval[int](t, ctx, `document.querySelectorAll('[aria-live], [role="status"], [role="alert"], [role="log"]').length`); n != 1 {
		t.Errorf("%d live regions", n)
	}
	for _, want := range []string{"Set up.", "Silence.", "Naive: It charges again.", "The board."} {
		if got := eval[string](t, ctx, text("[data-status]")); got != want {
			t.Errorf("spoken %q, want %q", got, want)
		}
		press(t, ctx, kb.PageDown)
	}
}

func TestAGuessIsKeptAndTheAnswerComesWithItsStep(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	press(t, ctx, "3", kb.PageDown) // too early: nobody has asked
	shown := `[...document.querySelectorAll(".answers li")].filter((li) => li.offsetParent).length`
	if n, guess := eval[int](t, ctx, shown), eval[string](t, ctx, text("[data-guess]")); n != 3 || guess != "" {
		t.Errorf("%d answers, guess %q", n, guess)
	}
	press(t, ctx, "2", "3")
	do(t, ctx, chromedp.Reload())
	arrive(t, ctx, at(2)+` && `+text("[data-guess]")+` === "3"`)
	press(t, ctx, kb.PageDown, "1") // too late
	until(t, ctx, at(3))
	if got := eval[string](t, ctx, `[...document.querySelectorAll(".answers li")].filter((li) => li.offsetParent).map((li) => li.innerText.trim()).join()`); !strings.Contains(got, "Three") || strings.Contains(got, "One") {
		t.Errorf("told: %q", got)
	}
	if got := eval[string](t, ctx, text("[data-guess]")); got != "3" {
		t.Errorf("the guess is now %q", got)
	}
}

func TestADarkScreenComesBackFirst(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	covered := `document.elementFromPoint(640, 360).matches(".cover")`
	for _, key := range []string{".", "b"} {
		press(t, ctx, key)
		until(t, ctx, covered)
		press(t, ctx, kb.PageDown)
		until(t, ctx, `!`+covered+` && `+at(1))
	}
	press(t, ctx, kb.Escape)
	until(t, ctx, at(1))
}

func TestShortcutsCanBeSwitchedOff(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	eval[bool](t, ctx, `(document.querySelector('[data-switch="keys"]').click(), document.activeElement.blur(), true)`)
	press(t, ctx, "u", ".", " ")
	if !eval[bool](t, ctx, `document.querySelector("main").dataset.view === "both" && `+at(1)) {
		t.Error("a key still works")
	}
	do(t, ctx, chromedp.Reload())
	arrive(t, ctx, at(1))
	press(t, ctx, "u", kb.PageDown)
	until(t, ctx, at(2)+` && document.querySelector("main").dataset.view === "both"`)
}

func TestOneSideCanStandAlone(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	for _, want := range []string{"naive", "safe", "naive safe"} {
		press(t, ctx, "u")
		if got := eval[string](t, ctx, `[...document.querySelectorAll("[data-side]")].filter((s) => s.offsetParent).map((s) => s.dataset.side).join(" ")`); got != want {
			t.Errorf("shown: %s, want %s", got, want)
		}
	}
}
