package components_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// calm asks for reduced motion, as a system's setting does.
func calm(t *testing.T, ctx context.Context) {
	t.Helper()
	do(t, ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	}))
}

// Nothing travels: no animation runs, and the present moves by the second
// rather than by the frame.
func TestReducedMotionMeansThatNothingTravels(t *testing.T) {
	stage := newFakeStage(t, "naive", "safe")
	stage.hold("h1", "safe", "committed", "t1")
	for _, e := range []map[string]any{
		{"lane": "shop", "kind": "request", "outcome": "attempt"},
		{"lane": "api", "kind": "decision", "outcome": "started"},
		{"lane": "api", "kind": "gate", "outcome": "held", "gate": "committed"},
	} {
		e["trace"], e["attempt"], e["of"] = "t1", 1, 10
		stage.tell(e)
	}
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, `document.querySelector(".lanes .glow") !== null`)
	moving := `document.getAnimations().filter((a) => a.playState === "running").length`
	until(t, ctx, moving+` > 0`)
	calm(t, ctx)
	until(t, ctx, moving+` === 0`)
	draws := eval[float64](t, ctx, `new Promise((done) => {
		let draws = 0;
		const line = new MutationObserver(() => draws++);
		line.observe(document.querySelector('[data-side="safe"] [data-draw]'), { subtree: true, attributes: true });
		const begun = performance.now();
		const look = () => (performance.now() - begun > 3000 ? done(draws) : requestAnimationFrame(look));
		look();
	})`)
	if draws > 6 { // some for what is fetched meanwhile; ten a second would be thirty
		t.Errorf("the picture moved %.0f times in three seconds", draws)
	}
}
