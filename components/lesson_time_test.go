package components_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// moment says that so many events of the recording are shown.
func moment(step, event int) string {
	return fmt.Sprintf(`(location.hash === "#step=%d&event=%d" && document.querySelector("[data-time]").value === "%d")`, step, event, event)
}

const pictures = `[...document.querySelectorAll("[data-draw], .money, [data-counters], [data-sentence]")].map((e) => e.innerHTML).join("")`

func scrub(t *testing.T, ctx context.Context, event int) {
	t.Helper()
	eval[bool](t, ctx, fmt.Sprintf(`(() => { const s = document.querySelector("[data-time]"); s.value = %d; s.dispatchEvent(new Event("input", { bubbles: true })); return true; })()`, event))
}

func TestEveryMomentHasAnAddressThatAReloadRestores(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	press(t, ctx, kb.PageDown)
	until(t, ctx, at(2))
	scrub(t, ctx, 8)
	until(t, ctx, moment(2, 8))
	// Both sides stand at the same time, whatever the telling shows of them.
	until(t, ctx, `[...document.querySelectorAll("[data-side]")].every((s) => s.querySelector('[data-money="captured"] .sum').textContent === "€50.00")`)
	if got := eval[string](t, ctx, text("[data-status]")); !strings.HasPrefix(got, "Safe: ") && !strings.HasPrefix(got, "Naive: ") {
		t.Errorf("spoken %q", got)
	}
	want := eval[string](t, ctx, pictures)
	do(t, ctx, chromedp.Reload())
	arrive(t, ctx, moment(2, 8)+` && `+pictures+` === `+fmt.Sprintf("%q", want))
	if link := eval[string](t, ctx, `document.querySelector("[data-badge]").href`); link != f.URL+"/runs/r1#step=2&event=8" {
		t.Errorf("the permanent address is %s", link)
	}
	press(t, ctx, kb.PageUp)
	until(t, ctx, at(2))
}

func TestOneEventOnAndOneBack(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	press(t, ctx, "s", kb.ArrowRight, kb.ArrowRight)
	until(t, ctx, moment(1, 3))
	press(t, ctx, kb.ArrowLeft)
	until(t, ctx, moment(1, 2))
	eval[bool](t, ctx, `(document.querySelector("[data-time]").focus(), true)`)
	press(t, ctx, kb.ArrowRight)
	until(t, ctx, moment(1, 3)) // once, though slider and shortcut both know the key
	press(t, ctx, kb.PageDown)
	until(t, ctx, at(2))
}

func TestWhatIsShownDoesNotDependOnHowOneCameThere(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	last := eval[int](t, ctx, `Number(document.querySelector("[data-time]").max)`)
	scrub(t, ctx, last)
	until(t, ctx, moment(1, last)+` && document.querySelector('[data-side="safe"] [data-money="captured"] .sum').textContent === "€50.00"`)
	want := eval[string](t, ctx, pictures)
	scrub(t, ctx, 0)
	press(t, ctx, "p")
	until(t, ctx, `document.querySelector('[data-do="play"]').getAttribute("aria-pressed") === "true"`)
	until(t, ctx, moment(1, last)+` && document.querySelector('[data-do="play"]').getAttribute("aria-pressed") === "false"`)
	if got := eval[string](t, ctx, pictures); got != want {
		t.Errorf("played and scrubbed differ:\n%s\n%s", got, want)
	}
}

func TestThePlayedRunPausesWithTheSameKey(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	press(t, ctx, "p")
	until(t, ctx, `Number(document.querySelector("[data-time]").value) > 1`)
	press(t, ctx, "p")
	until(t, ctx, `document.querySelector('[data-do="play"]').getAttribute("aria-pressed") === "false"`)
	stopped := eval[string](t, ctx, `location.hash`)
	press(t, ctx, "u", "u", "u")
	if now := eval[string](t, ctx, `location.hash`); now != stopped {
		t.Errorf("it goes on: %s, then %s", stopped, now)
	}
}

// Nothing but keys, as somebody without a pointer has it: the question, the
// curtain, the sides, a mark and its sheet, a moment, and the end of the tour.
func TestAWholeLessonByKeyboardAlone(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/b?tour=5", 1280, 720)
	press(t, ctx, kb.PageDown, "2")
	until(t, ctx, at(2)+` && `+text("[data-guess]")+` === "2"`)
	press(t, ctx, "v")
	until(t, ctx, `document.querySelector("main").dataset.curtain === "false"`)
	press(t, ctx, "v", "u")
	until(t, ctx, `document.querySelector("main").dataset.view === "naive"`)
	press(t, ctx, "u", "u", " ")
	until(t, ctx, at(3)+` && document.querySelector("main").dataset.view === "both"`)
	for tabs := 0; !eval[bool](t, ctx, `document.activeElement.matches('[data-side="safe"] g.mark')`); tabs++ {
		if tabs == 60 {
			t.Fatal("Tab does not reach the marks")
		}
		press(t, ctx, kb.Tab)
	}
	press(t, ctx, kb.Enter)
	until(t, ctx, `!document.querySelector("[data-inspector]").hidden && document.activeElement.matches("[data-inspector]")`)
	press(t, ctx, kb.Escape)
	until(t, ctx, `document.querySelector("[data-inspector]").hidden`)
	press(t, ctx, "s")
	until(t, ctx, `location.hash.startsWith("#step=3&event=")`)
	press(t, ctx, kb.PageUp)
	until(t, ctx, at(3))
	press(t, ctx, kb.PageDown, kb.PageDown)
	until(t, ctx, `document.querySelector("[data-end]").offsetParent !== null`)
	for tabs := 0; !eval[bool](t, ctx, `document.activeElement.matches("[data-end] a")`); tabs++ {
		if tabs == 60 {
			t.Fatal("Tab does not reach the way on")
		}
		press(t, ctx, kb.Tab)
	}
}

func TestTheSheetShowsTheExchangeWhereItIsKnown(t *testing.T) {
	f := newFakeLessons(t)
	ctx := openRecorded(t, f, "/lessons/a", 1280, 720)
	press(t, ctx, kb.PageDown, kb.PageDown)
	until(t, ctx, at(3))
	open := func(side string) {
		eval[bool](t, ctx, `(document.querySelector('[data-side="`+side+`"] g.mark.o-started').dispatchEvent(new MouseEvent("click", { bubbles: true })), true)`)
	}
	open("safe")
	until(t, ctx, `/run r1/.test(document.querySelector("[data-inspector] [data-exchange]")?.textContent) && /STARTED/.test(document.querySelector("[data-inspector] h2").textContent)`)
	open("naive")
	until(t, ctx, `!document.querySelector("[data-inspector] [data-exchange]") && /naive/.test(document.querySelector("[data-inspector] dl").textContent)`)
}
