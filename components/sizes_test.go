package components_test

import (
	"context"
	"fmt"
	"testing"

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
