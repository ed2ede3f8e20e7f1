package components_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestATourGoesOnByPageDownAndBackByPageUp(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a?tour=5", 1280, 720)
	press(t, ctx, kb.PageDown, kb.PageDown, kb.PageDown)
	until(t, ctx, at(4))
	press(t, ctx, kb.PageDown)
	arrive(t, ctx, at(1)+of("b"))
	press(t, ctx, kb.PageUp)
	arrive(t, ctx, at(4)+of("a"))
	if n := len(f.posted()); n != 2 {
		t.Errorf("%d runs for two lessons", n)
	}
	press(t, ctx, kb.PageDown)
	arrive(t, ctx, at(1)+of("b"))
	press(t, ctx, kb.PageDown, kb.PageDown, kb.PageDown, kb.PageDown, kb.PageDown)
	arrive(t, ctx, at(4)+of("b"))
}

func TestTheEndOfATourSaysSoAndWhatNext(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/b?tour=5", 1280, 720)
	end := `document.querySelector("[data-end]")?.offsetParent != null`
	press(t, ctx, kb.PageDown, kb.PageDown, kb.PageDown)
	until(t, ctx, at(4)+` && !(`+end+`)`)
	press(t, ctx, kb.PageDown)
	until(t, ctx, end+` && !document.querySelector(".sides").offsetParent && !document.querySelector("[data-sentence]").offsetParent`)
	if got := eval[string](t, ctx, text("[data-status]")); got != "End of the tour" {
		t.Errorf("spoken %q", got)
	}
	if got := eval[string](t, ctx, `document.querySelector("[data-end] a").href`); got != f.URL+"/lessons" {
		t.Errorf("it leads to %s", got)
	}
	press(t, ctx, kb.PageDown, kb.PageUp)
	until(t, ctx, at(4)+` && !(`+end+`)`)
}

func TestATourThatGoesOnHasNoEnd(t *testing.T) {
	f := newFakeLessons(t)
	for _, path := range []string{"/lessons/a", "/lessons/a?tour=5"} {
		ctx := openRecorded(t, f, path, 1280, 720)
		if eval[bool](t, ctx, `document.querySelector("[data-end]") !== null`) {
			t.Errorf("%s has an end", path)
		}
	}
}

func TestTheBoardIsRevealedSideBySideAndReplays(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	press(t, ctx, kb.PageDown, kb.PageDown, kb.PageDown)
	until(t, ctx, at(4))
	if got := eval[string](t, ctx, `[...document.querySelectorAll(".board-half")].map((half) => half.dataset.board + half.inert).join()`); got != "naivefalse,safetrue" {
		t.Errorf("boards that cannot be read yet: %s", got)
	}
	if !eval[bool](t, ctx, `!document.querySelector(".sides").offsetParent && !(`+seen+`)('[data-board="safe"] .times') && (`+seen+`)('[data-board="naive"] .times')`) {
		t.Error("the board gives the safe side's ending away, or does not show the naive side's")
	}
	eval[bool](t, ctx, `(document.querySelector('[data-board="naive"] [data-pick="run_r1_o06"]').focus(), true)`)
	press(t, ctx, kb.Enter)
	until(t, ctx, `document.querySelector("main").dataset.mode === "replay" && document.querySelectorAll('[data-side="naive"] g.mark.o-attempt').length === 2`)
	if n := eval[int](t, ctx, `document.querySelectorAll('[data-side="safe"] g.mark').length`); n != 0 {
		t.Errorf("%d marks of the safe side, which is not revealed", n)
	}
	press(t, ctx, kb.Enter)
	until(t, ctx, `document.querySelector("main").dataset.mode === "board"`)
}

func TestAMarkOfARecordingOpens(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	press(t, ctx, kb.PageDown, kb.PageDown)
	until(t, ctx, at(3))
	eval[bool](t, ctx, `(document.querySelector('[data-side="naive"] g.mark.o-started').focus(), true)`)
	press(t, ctx, kb.Enter)
	until(t, ctx, `/STARTED/.test(document.querySelector("[data-inspector]").textContent) && !document.querySelector("[data-inspector] a")`)
	eval[bool](t, ctx, `(document.querySelector("[data-inspector] [data-close]").click(), true)`)
	until(t, ctx, `document.querySelector("[data-inspector]").hidden`)
}

func TestAProjectorsScreenHoldsTheStep(t *testing.T) {
	for _, size := range []struct{ width, height int64 }{{1280, 720}, {3840, 2160}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			f := newFakeLessons(t)
			ctx := openRecorded(t, f, "/lessons/a?tour=5", size.width, size.height)
			for step := 1; step <= 4; step++ {
				until(t, ctx, at(step))
				if got := eval[float64](t, ctx, `document.querySelector(".screen").offsetHeight`); got > float64(size.height) {
					t.Errorf("step %d is %.0f pixels high", step, got)
				}
				if got := eval[float64](t, ctx, `parseFloat(getComputedStyle(document.querySelector("[data-sentence]")).fontSize)`); got < 32 {
					t.Errorf("step %d: the narration has %.0f pixels", step, got)
				}
				small := eval[[]string](t, ctx, `[...document.querySelectorAll(".screen *")].filter((e) => e.offsetParent && !e.closest(".hints, .player, .vh, .title") && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && parseFloat(getComputedStyle(e).fontSize) < 19.9).map((e) => e.textContent)`)
				if len(small) > 0 {
					t.Errorf("step %d: below 20 pixels: %q", step, small)
				}
				if step < 4 { // behind the last one is the next lesson
					press(t, ctx, kb.PageDown)
				}
			}
		})
	}
}

func TestALessonOnAPhoneIsOneColumnAndAList(t *testing.T) {
	for _, path := range []string{"/lessons/a", "/lessons/a?tour=5"} {
		f := newFakeLessons(t)
		ctx := openRecorded(t, f, path, 320, 900)
		for step := 1; step <= 4; step++ {
			until(t, ctx, at(step))
			if got := eval[int](t, ctx, `document.documentElement.scrollWidth`); got > 320 {
				t.Errorf("%s step %d is %d pixels wide", path, step, got)
			}
			if step < 4 {
				press(t, ctx, kb.PageDown)
			}
		}
		eval[bool](t, ctx, `(document.querySelector("[data-pick]").click(), true)`)
		if got := eval[int](t, ctx, `document.documentElement.scrollWidth`); got > 320 {
			t.Errorf("%s: an order that is replayed is %d pixels wide", path, got)
		}
		press(t, ctx, kb.PageUp)
		until(t, ctx, at(3))
		if !eval[bool](t, ctx, `!document.querySelector("[data-draw]").offsetParent && document.querySelectorAll("[data-log] .event").length > 3 && document.querySelector("[data-log]").offsetParent !== null`) {
			t.Errorf("%s: the events are no list", path)
		}
		order := eval[[]float64](t, ctx, `["[data-sentence]", ".question", ".money", ".hints", "[data-log]"].map((s) => document.querySelector(s).getBoundingClientRect().top)`)
		for i := 1; i < len(order); i++ {
			if order[i] <= order[i-1] {
				t.Errorf("%s: sentence, question, money, keys and list stand at %v", path, order)
			}
		}
	}
}

func TestCodeAndLogAreOnDemandOnAProjectorOnly(t *testing.T) {
	for path, visible := range map[string]bool{"/lessons/a": true, "/lessons/a?tour=5": false} {
		f := newFakeLessons(t)
		ctx := openRecorded(t, f, path, 1280, 720)
		shown := `document.querySelector('[data-drawer="code"]').getClientRects().length > 0`
		if got := eval[bool](t, ctx, shown); got != visible {
			t.Errorf("%s shows the code: %v", path, got)
		}
		do(t, ctx, chromedp.Click(`.hint[data-do="code"]`))
		if !eval[bool](t, ctx, shown) {
			t.Errorf("%s: the button does not show the code", path)
		}
	}
}
