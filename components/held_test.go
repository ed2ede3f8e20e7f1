package components_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// held opens a page on which the safe side's request stands at "committed".
func held(t *testing.T, path string, width, height int64) (*fakeStage, context.Context) {
	t.Helper()
	stage := newFakeStage(t, "naive", "safe")
	stage.hold("h1", "safe", "committed", "t1")
	stage.tell(lostAnswer()[:5]...)
	ctx := open(t, stage.URL+path, width, height)
	until(t, ctx, live)
	until(t, ctx, box+`.hidden === false`)
	return stage, ctx
}

const box = `document.querySelector('[data-side="safe"] [data-held]')`

// hold lets a request stand at a gate.
func (f *fakeStage) hold(id, side, gate, trace string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.holds = append(f.holds, map[string]any{"hold": id, "side": side, "gate": gate, "owner": "shop", "key": "0f8e-7F3A", "trace": trace})
}

func TestTheBoxSaysWhoIsHeldWhere(t *testing.T) {
	_, ctx := held(t, "/", 1280, 720)
	until(t, ctx, `/HELD at committed/.test(`+box+`.textContent)`)
	until(t, ctx, `/SAFE, attempt 1 of 10, key …7F3A; the shop’s clock stands still/.test(`+box+`.textContent)`)
	if !eval[bool](t, ctx, `document.querySelector('[data-side="naive"] [data-held]').hidden`) {
		t.Error("the naive side has a box too")
	}
}

func TestEachFateIsOneCommand(t *testing.T) {
	for fate, want := range map[string]string{
		"deliver": `{"action":"deliver"}`, "drop": `{"action":"drop"}`,
		"delay": `{"action":"delay","ms":10000}`, "kill": `{"action":"kill"}`,
	} {
		stage, ctx := held(t, "/", 1280, 720)
		eval[bool](t, ctx, `(`+box+`.querySelector("select").value = "10000", `+box+`.querySelector('[data-fate="`+fate+`"]').click(), true)`)
		stage.commanded(t, ctx, "POST /stage/holds/h1 "+want)
		until(t, ctx, box+`.hidden`)
	}
}

func TestAStepArmsTheNextGateBeforeItDelivers(t *testing.T) {
	stage, ctx := held(t, "/", 1280, 720)
	do(t, ctx, chromedp.KeyEvent("s"))
	stage.commanded(t, ctx,
		`POST /stage/gates {"side":"safe","gate":"answered","owner":"shop","count":1}`, `POST /stage/holds/h1 {"action":"deliver"}`)
}

func TestTheNextRequestIsHeldWhereOneChooses(t *testing.T) {
	stage := newFakeStage(t, "naive", "safe")
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, live)
	until(t, ctx, `!document.querySelector('[data-side="naive"] [data-arm]').hidden`)
	eval[bool](t, ctx, `(() => { const form = document.querySelector('[data-side="naive"] [data-arm]'); form.gate.value = "provider-called"; form.querySelector("button").click(); return true; })()`)
	stage.commanded(t, ctx, `POST /stage/gates {"side":"naive","gate":"provider-called","owner":"shop","count":1}`)
}

func TestKeysDecideTooAndTheUpperOneFirst(t *testing.T) {
	stage, ctx := held(t, "/", 1280, 720)
	stage.hold("h0", "naive", "inserted", "t9")
	until(t, ctx, `!document.querySelector('[data-side="naive"] [data-held]').hidden`)
	do(t, ctx, chromedp.KeyEvent("g"))
	stage.commanded(t, ctx, `POST /stage/holds/h0 {"action":"deliver"}`)
	until(t, ctx, `document.querySelector('[data-side="naive"] [data-held]').hidden`)
	do(t, ctx, chromedp.KeyEvent("d"))
	stage.commanded(t, ctx, `POST /stage/holds/h0 {"action":"deliver"}`, `POST /stage/holds/h1 {"action":"drop"}`)
}

func TestKMustBeHeldDown(t *testing.T) {
	stage, ctx := held(t, "/", 1280, 720)
	press := func(kind string) {
		eval[bool](t, ctx, `(document.body.dispatchEvent(new KeyboardEvent("`+kind+`", { key: "k", bubbles: true, cancelable: true })), true)`)
	}
	filling := box + `.querySelector('[data-fate="kill"]').classList.contains("sure")`
	press("keydown")
	until(t, ctx, filling)
	press("keyup")
	until(t, ctx, `!(`+filling+`)`) // let go: nothing was killed, and nothing will be
	do(t, ctx, chromedp.KeyEvent("d"))
	stage.commanded(t, ctx, `POST /stage/holds/h1 {"action":"drop"}`)

	stage.hold("h2", "safe", "claimed", "t2")
	until(t, ctx, `/claimed/.test(`+box+`.textContent) && !`+box+`.hidden`)
	press("keydown")
	stage.commanded(t, ctx, `POST /stage/holds/h1 {"action":"drop"}`, `POST /stage/holds/h2 {"action":"kill"}`)
}

func TestEscapeClosesASheetFirstAndDisarmsEverythingNext(t *testing.T) {
	stage, ctx := held(t, "/", 1280, 720)
	eval[bool](t, ctx, `(document.querySelector('g.mark.o-started[role="button"]').focus(), true)`)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `!document.querySelector("[data-inspector]").hidden`)
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	until(t, ctx, `document.querySelector("[data-inspector]").hidden`)
	stage.commanded(t, ctx)
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	stage.commanded(t, ctx, "DELETE /stage/faults", "DELETE /stage/gates")
}

func TestKeysAreIgnoredInFieldsAndCanBeSwitchedOff(t *testing.T) {
	stage, ctx := held(t, "/", 1280, 720)
	eval[bool](t, ctx, `(document.querySelector("#card").focus(), true)`)
	do(t, ctx, chromedp.KeyEvent("d"))
	eval[bool](t, ctx, `(document.activeElement.blur(), document.querySelector('[data-switch="keys"]').click(), true)`)
	do(t, ctx, chromedp.KeyEvent("d"), chromedp.Reload())
	until(t, ctx, box+`.hidden === false`)
	if eval[string](t, ctx, `document.documentElement.dataset.keys`) != "off" {
		t.Error("the choice is forgotten")
	}
	do(t, ctx, chromedp.KeyEvent("d"))
	eval[bool](t, ctx, `(`+box+`.querySelector('[data-fate="deliver"]').click(), true)`)
	stage.commanded(t, ctx, `POST /stage/holds/h1 {"action":"deliver"}`)
}

func TestTheMistakeIsChosenAndNamedEverywhere(t *testing.T) {
	stage := newFakeStage(t, "naive", "safe")
	stage.mistake = "no-key"
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, live)
	const gate = `document.querySelector('[data-side="naive"] option[value="looked"]').disabled`
	until(t, ctx, gate)
	eval[bool](t, ctx, `(() => { const s = document.querySelector('[data-form="mistake"] select'); s.value = "look-then-insert"; s.dispatchEvent(new Event("change", { bubbles: true })); return true; })()`)
	stage.commanded(t, ctx, `POST /stage/mistake {"id":"look-then-insert"}`)
	until(t, ctx, `document.querySelector('[data-side="naive"] h2').textContent === "NAIVE: looks, then inserts"`)
	until(t, ctx, `!(`+gate+`)`)
}

func TestOnAPhoneWhoIsHeldComesBeforeTheMoney(t *testing.T) {
	for _, path := range []string{"/", "/stage", "/panel"} {
		_, ctx := held(t, path, 320, 900)
		order := eval[[]float64](t, ctx, `["[data-sentence]", "[data-held]:not([hidden])", ".money", "[data-arm]", "form.pay", "[data-log]"].map((s) => document.querySelector(s)?.getBoundingClientRect().top).filter((top) => top !== undefined)`)
		for i := 1; i < len(order); i++ {
			if order[i] <= order[i-1] {
				t.Errorf("%s: narration, fates, money, gates, checkout and list stand at %v", path, order)
			}
		}
		if got := eval[int](t, ctx, `document.documentElement.scrollWidth`); got > 320 {
			t.Errorf("%s is %d pixels wide", path, got)
		}
	}
}

// The box must not push anything off the screen, nor hide the name of its side.
func TestWithARequestHeldTheScreensFit(t *testing.T) {
	for _, path := range []string{"/", "/stage"} {
		for _, size := range [][2]int64{{1280, 720}, {3840, 2160}} {
			t.Run(fmt.Sprint(path, size), func(t *testing.T) {
				_, ctx := held(t, path, size[0], size[1])
				for _, part := range []string{".side:last-child [data-draw]", "[data-axis]", "[data-counters]"} {
					if bottom := eval[float64](t, ctx, `document.querySelector("`+part+`").getBoundingClientRect().bottom`); bottom > float64(size[1]) {
						t.Errorf("%s ends at %.0f", part, bottom)
					}
				}
				if !eval[bool](t, ctx, `document.querySelector('[data-side="safe"] h2').getBoundingClientRect().right <= `+box+`.getBoundingClientRect().left`) {
					t.Error("the box covers the side's name")
				}
			})
		}
	}
}
