package components_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// told opens a page with both sides and the whole story of a lost answer.
func told(t *testing.T, path string) (*fakeStage, func(condition string), func(keys ...string)) {
	t.Helper()
	stage := newFakeStage(t, "naive", "safe")
	stage.tell(lostAnswer()...)
	ctx := open(t, stage.URL+path, 1280, 720)
	until(t, ctx, live)
	follows(t, ctx)
	return stage, func(condition string) { t.Helper(); until(t, ctx, condition) }, func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			do(t, ctx, chromedp.KeyEvent(key))
		}
	}
}

func TestTheCurtainHidesWhatTheClientCannotSee(t *testing.T) {
	_, is, keys := told(t, "/stage")
	is(`document.querySelector("g.mark.o-replay") !== null`)
	keys("v")
	is(`document.querySelector(".curtain") !== null && !document.querySelector("g.mark.o-replay") && document.querySelector("g.mark.o-silence") !== null`)
	is(`(` + seen + `)('[data-side="safe"] [data-money="wanted"] .sum') && !(` + seen + `)('[data-side="safe"] [data-money="captured"] .sum')`)
	is(`![...document.querySelectorAll("[data-log] .event")].some((e) => /STARTED|SAFE replayed/.test(e.textContent))`)
	is(`!/SAFE replayed/.test(document.querySelector("[data-sentence]").textContent)`)
	is(`document.querySelector('.hint[data-do="curtain"]').getAttribute("aria-pressed") === "true"`)
	keys("v")
	is(`document.querySelector("g.mark.o-replay") !== null && document.querySelector(".curtain") === null`)
}

func TestOneSideOfThePanelCanStandAlone(t *testing.T) {
	_, is, keys := told(t, "/")
	for _, want := range []string{"naive", "safe", "naive,safe"} {
		keys("u")
		is(`[...document.querySelectorAll(".panel [data-side]")].filter((s) => s.offsetParent).map((s) => s.dataset.side).join() === "` + want + `"`)
	}
}

func TestAPausedPanelShowsAfterwardsWhatHappened(t *testing.T) {
	stage, is, keys := told(t, "/panel")
	keys("p")
	is(`document.querySelector("[data-connection]").textContent === "PAUSED"`)
	story := lostAnswer()
	stage.tell(story[0])
	stage.hold("h1", "safe", "committed", "t1") // what can be decided stays live
	is(`!document.querySelector('[data-side="safe"] [data-held]').hidden && document.querySelectorAll("[data-log] .event").length === 12`)
	keys("p")
	is(`document.querySelectorAll("[data-log] .event").length === 13 && document.querySelector("[data-connection]").textContent === "LIVE"`)
}

func TestABlankPanelComesBackBeforeAnythingElse(t *testing.T) {
	stage, is, keys := told(t, "/stage")
	stage.hold("h1", "safe", "committed", "t1")
	is(box + `.hidden === false`)
	covered := `document.elementFromPoint(640, 360).matches(".cover")`
	keys("b")
	is(covered)
	keys("g")
	is(`!` + covered + ` && ` + box + `.hidden === false`)
}

func TestResetCanBeTakenBack(t *testing.T) {
	stage := newFakeStage(t, "safe")
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, live)
	undo := `document.querySelector('[data-form="undo"]')`
	until(t, ctx, undo+`.hidden`)
	do(t, ctx, chromedp.KeyEvent("r"))
	until(t, ctx, `!`+undo+`.hidden`)
	eval[bool](t, ctx, `(`+undo+`.querySelector("button").click(), true)`)
	until(t, ctx, undo+`.hidden`)
	stage.commanded(t, ctx, "POST /stage/reset {}", "POST /stage/undo {}")
}

func TestAFrozenHoldIsArmedOnTheSafeSideAlone(t *testing.T) {
	stage := newFakeStage(t, "naive", "safe")
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, live)
	until(t, ctx, `!document.querySelector('[data-side="safe"] [data-arm]').hidden`)
	if !eval[bool](t, ctx, `(() => { const form = document.querySelector('[data-side="safe"] [data-arm]'); form.freeze.click(); form.querySelector("button").click(); return !document.querySelector('[data-side="naive"] [name="freeze"]'); })()`) {
		t.Error("the naive side has no lease to freeze")
	}
	stage.commanded(t, ctx, `POST /stage/gates {"side":"safe","gate":"committed","owner":"shop","count":1,"freeze":true}`)
}

func TestThePanelsSheetShowsTheExchange(t *testing.T) {
	_, is, keys := told(t, "/panel")
	is(`(document.querySelector("g.mark.o-started")?.dispatchEvent(new MouseEvent("click", { bubbles: true })), true)`)
	is(`document.querySelector("[data-inspector] [data-exchange]") !== null`)
	keys("\x1b")
	is(`document.querySelector("[data-inspector]").hidden`)
}
