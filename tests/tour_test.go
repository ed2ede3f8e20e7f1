package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"chargeonce/web/lesson"
)

// maxPresses bounds the presses of a tour: three lessons of a dozen steps.
const maxPresses = 80

// TestTheTourIsClickedThroughByPageDownAlone is what a presenter remote does.
func TestTheTourIsClickedThroughByPageDownAlone(t *testing.T) {
	for _, size := range []struct{ width, height int64 }{{1280, 720}, {3840, 2160}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			_, c := startStage(t, t.TempDir())
			tour := lesson.Tours()[0].Lessons
			b := openTab(t, c.base, "/lessons/"+tour[0]+"?tour=5", size.width, size.height)
			seen := map[string]int{}
			for press := 0; ; press++ {
				if press == maxPresses {
					t.Fatalf("the tour does not end; steps seen: %v", seen)
				}
				id, last := b.awaitStep()
				seen[id]++
				b.picture(fmt.Sprintf("tour-%d-%s-%02d", size.width, id, seen[id]))
				if width := eval[int](b, `document.documentElement.scrollWidth`); width > int(size.width) {
					t.Errorf("%s step %d is %d px wide", id, seen[id], width)
				}
				if last && id == tour[len(tour)-1] {
					break
				}
				b.do(chromedp.KeyEvent(kb.PageDown))
				b.awaitChange(id, seen[id])
			}
			b.do(chromedp.KeyEvent(kb.PageDown))
			b.awaitText("[data-end]", "End of the tour")
			b.awaitText("[data-end]", "25-minute tour")
			b.picture(fmt.Sprintf("tour-%d-end", size.width))
			for _, id := range tour {
				if seen[id] < 4 {
					t.Errorf("%s was told in %d steps", id, seen[id])
				}
			}
		})
	}
}

// where is the lesson and the step on the screen: "kill-lease 3 9", or "" while
// there is none.
func (b *tab) where() string {
	b.t.Helper()
	where, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`(() => {
		const root = document.querySelector("[data-lesson]");
		const step = root?.querySelector("[data-step]");
		if (!root?.hasAttribute("data-recorded") || !step) return "";
		return root.dataset.lesson + " " + step.textContent + " " + root.querySelectorAll("[data-steps] > li").length;
	})()`))
	if err != nil && !strings.Contains(err.Error(), "navigated") { // the tour goes on to its next page just now
		b.t.Fatal(err)
	}
	return where
}

// awaitStep waits until a recorded step is shown, and says whether it is the
// lesson's last.
func (b *tab) awaitStep() (id string, last bool) {
	b.t.Helper()
	var step, of string
	eventually(b.t, "a step is shown", func() (bool, any) {
		where := b.where()
		parts := strings.Fields(where)
		if len(parts) != 3 {
			return false, where
		}
		id, step, of = parts[0], parts[1], parts[2]
		return true, where
	})
	return id, step == of
}

// awaitChange waits until another step or another lesson is on the screen.
func (b *tab) awaitChange(id string, step int) {
	b.t.Helper()
	eventually(b.t, "the next step", func() (bool, any) {
		where := b.where()
		return where != "" && !strings.HasPrefix(where, fmt.Sprintf("%s %d ", id, step)), where
	})
}
