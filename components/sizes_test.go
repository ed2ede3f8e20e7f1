package components_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// follows waits until the whole story is on the page.
func follows(t *testing.T, ctx context.Context) {
	t.Helper()
	until(t, ctx, `document.querySelectorAll("[data-log] .event").length === 12`)
}

func TestNothingScrollsSidewaysOnAPhone(t *testing.T) {
	for _, sides := range [][]string{{"safe"}, {"naive", "safe"}} {
		stage := newFakeStage(t, sides...)
		stage.tell(lostAnswer()...)
		ctx := open(t, stage.URL+"/", 320, 900)
		for _, path := range []string{"/", "/stage", "/panel", "/books", "/keys"} {
			do(t, ctx, chromedp.Navigate(stage.URL+path))
			if path == "/" || path == "/stage" || path == "/panel" {
				follows(t, ctx)
			}
			if got := eval[int](t, ctx, `document.documentElement.scrollWidth`); got > 320 {
				t.Errorf("%s with %d sides is %d pixels wide", path, len(sides), got)
			}
		}
	}
}

func TestOnAPhoneTheEventsAreAList(t *testing.T) {
	stage := newFakeStage(t, "safe")
	stage.tell(lostAnswer()...)
	ctx := open(t, stage.URL+"/", 320, 900)
	follows(t, ctx)
	if !eval[bool](t, ctx, `document.querySelector("[data-draw]").offsetParent === null`) {
		t.Error("the lanes are drawn")
	}
	order := eval[[]float64](t, ctx, `["[data-sentence]", ".money", "form.pay", "[data-log]"].map((s) => document.querySelector(s).getBoundingClientRect().top)`)
	for i := 1; i < len(order); i++ {
		if order[i] <= order[i-1] {
			t.Errorf("narration, money, checkout and list stand at %v", order)
		}
	}
}

// What a presenter shows must be on one screen, with two sides too.
func TestTheFirstScreenFits(t *testing.T) {
	for _, size := range []struct{ width, height int64 }{{1280, 720}, {1920, 1080}, {3840, 2160}} {
		for _, sides := range [][]string{{"safe"}, {"naive", "safe"}} {
			t.Run(fmt.Sprintf("%dx%d with %d sides", size.width, size.height, len(sides)), func(t *testing.T) {
				stage := newFakeStage(t, sides...)
				stage.tell(lostAnswer()...)
				ctx := open(t, stage.URL+"/", size.width, size.height)
				follows(t, ctx)
				for _, part := range []string{".checkout", "[data-sentence]", ".side:last-child [data-draw]", ".side:last-child .money", "[data-axis]", "[data-counters]"} {
					bottom := eval[float64](t, ctx, `document.querySelector("`+part+`").getBoundingClientRect().bottom`)
					if bottom > float64(size.height) {
						t.Errorf("%s ends at %.0f of %d", part, bottom, size.height)
					}
				}
				if got := eval[int64](t, ctx, `document.documentElement.scrollWidth`); got > size.width {
					t.Errorf("the page is %d pixels wide", got)
				}
			})
		}
	}
}

// clicks is one order, paid by that many clicks at the same time: one works,
// the others wait for its answer.
func clicks(side string, n int) (all []map[string]any) {
	start := time.Now().Add(-time.Minute).UnixMilli()
	at := func(ms, i int, lane, kind, outcome string, status int) {
		all = append(all, map[string]any{
			"side": side, "at_ms": start + int64(ms), "lane": lane, "kind": kind, "outcome": outcome, "status": status,
			"trace": fmt.Sprintf("%s%d", side, i), "attempt": 1, "of": 10, "amount": 5000, "currency": "eur", "lease_ms": 3000, "fence": 1,
		})
	}
	for i := range n {
		at(i*4, i, "shop", "request", "attempt", 0)
		at(i*4+2, i, "api", "decision", map[bool]string{true: "started", false: "busy"}[i == 0], 0)
	}
	at(30, 0, "api", "provider", "", 0)
	at(230, 0, "provider", "provider", "captured", 0)
	for i := range n {
		at(234+i*3, i, "api", "response", map[bool]string{true: "started", false: "replay"}[i == 0], 201)
		at(236+i*3, i, "shop", "response", "", 201)
	}
	return all
}

// killed is a lost process: its claim is busy until its lease ends.
func killed(side string) []map[string]any {
	start := time.Now().Add(-time.Second).UnixMilli()
	e := func(ms int64, trace, lane, kind, outcome string, attempt int) map[string]any {
		return map[string]any{
			"side": side, "at_ms": start + ms, "lane": lane, "kind": kind, "outcome": outcome, "trace": trace, "attempt": attempt, "of": 10,
			"amount": 5000, "currency": "eur", "lease_ms": 20_000 - ms, "fence": 1,
		}
	}
	return []map[string]any{
		e(0, "k1", "shop", "request", "attempt", 1), e(2, "k1", "api", "decision", "started", 1), e(4, "k1", "api", "provider", "", 1),
		e(200, "k1", "provider", "provider", "captured", 1), e(300, "", "api", "process", "killed", 0), e(310, "k1", "shop", "response", "reset", 1),
		e(500, "k2", "shop", "request", "attempt", 2), e(510, "k2", "shop", "response", "reset", 2),
		e(700, "", "api", "process", "ready", 0), e(800, "k3", "shop", "request", "attempt", 3), e(802, "k3", "api", "decision", "busy", 3),
	}
}

// The screens that a class sees most: five clicks at once, and a process that
// was killed. Nothing of them may lie below the picture.
func TestFiveClicksAndAKillFitOnTheProjector(t *testing.T) {
	for name, story := range map[string]func(side string) []map[string]any{
		"five clicks": func(side string) []map[string]any { return clicks(side, 5) },
		"a kill":      killed,
	} {
		for _, size := range []struct{ width, height int64 }{{1280, 720}, {3840, 2160}} {
			t.Run(fmt.Sprint(name, " ", size.width), func(t *testing.T) {
				stage := newFakeStage(t, "naive", "safe")
				for _, side := range []string{"naive", "safe"} {
					stage.tell(story(side)...)
				}
				ctx := open(t, stage.URL+"/stage", size.width, size.height)
				until(t, ctx, fmt.Sprintf(`document.querySelectorAll("[data-log] .event").length === %d`, 2*len(story("safe"))))
				until(t, ctx, `document.querySelector('g.mark[role="button"]') !== null`)
				for _, part := range []string{".side:last-child [data-draw]", "[data-axis]", "[data-counters]", ".foot"} {
					if bottom := eval[float64](t, ctx, `document.querySelector("`+part+`").getBoundingClientRect().bottom`); bottom > float64(size.height)+1 {
						t.Errorf("%s ends at %.0f", part, bottom)
					}
				}
			})
		}
	}
}

func TestTheProjectorsLabelsAreLarge(t *testing.T) {
	stage := newFakeStage(t, "safe")
	stage.tell(lostAnswer()...)
	ctx := open(t, stage.URL+"/stage", 1280, 720)
	follows(t, ctx)
	small := eval[[]string](t, ctx, `[...document.querySelectorAll(".lanes text, .axis text")].filter((text) => {
		const svg = text.ownerSVGElement;
		const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
		return !text.closest(".mark") && parseFloat(getComputedStyle(text).fontSize) * scale < 19.9;
	}).map((text) => text.textContent)`)
	if len(small) > 0 {
		t.Errorf("below 20 pixels: %q", small)
	}
	if got := eval[float64](t, ctx, `parseFloat(getComputedStyle(document.querySelector("[data-sentence]")).fontSize)`); got < 32 {
		t.Errorf("the narration has %.0f pixels", got)
	}
}

// The placer estimates widths; here the browser measures them.
func TestNoWordCoversAnotherOnTheScreen(t *testing.T) {
	for _, path := range []string{"/", "/stage"} {
		stage := newFakeStage(t, "naive", "safe")
		stage.tell(lostAnswer()...)
		ctx := open(t, stage.URL+path, 1280, 720)
		follows(t, ctx)
		covered := eval[[]string](t, ctx, `[...document.querySelectorAll(".lanes")].flatMap((svg) => {
			const boxes = [...svg.querySelectorAll("text.halo")].map((text) => ({ says: text.textContent, box: text.getBBox() }));
			const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y + 3 < b.y + b.height - 3 && b.y + 3 < a.y + a.height - 3;
			return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => meet(a.box, b.box)).map((b) => a.says + " / " + b.says));
		})`)
		if len(covered) > 0 {
			t.Errorf("%s: %q", path, covered)
		}
	}
}
