package components_test

import (
	"context"
	"fmt"
	"testing"
	"time"
)

const (
	stormRate  = 1000 // events a second
	stormTime  = 5 * time.Second
	stormSlice = 20 * time.Millisecond
)

// storm tells a thousand events a second, of many orders on both sides, each
// with what makes the page work: attempts, decisions, captures, narration.
func (f *fakeStage) storm(ctx context.Context) {
	kinds := []map[string]any{
		{"lane": "shop", "kind": "request", "outcome": "attempt", "attempt": 1, "of": 10},
		{"lane": "api", "kind": "decision", "outcome": "started"},
		{"lane": "provider", "kind": "provider", "outcome": "captured", "amount": 5000, "currency": "eur"},
		{"lane": "shop", "kind": "response", "status": 201},
		{"lane": "customer", "kind": "note", "text": "Paid, €50.00."},
	}
	tick := time.NewTicker(stormSlice)
	defer tick.Stop()
	n := 0
	for range int(stormTime / stormSlice) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var batch []map[string]any
		for range int(stormRate * stormSlice / time.Second) {
			order := fmt.Sprintf("ord_%d", n/len(kinds)%40)
			e := map[string]any{"scene": order, "key": order, "trace": fmt.Sprintf("t%d", n/len(kinds)), "side": []string{"naive", "safe"}[n/len(kinds)%2]}
			for name, value := range kinds[n%len(kinds)] {
				e[name] = value
			}
			batch = append(batch, e)
			n++
		}
		f.tell(batch...)
	}
}

// TestAStormLeavesThePageResponsive clicks and counts while a thousand events a
// second come in. It asks for shares of the storm, not for milliseconds: the
// machine may be slow.
func TestAStormLeavesThePageResponsive(t *testing.T) {
	stage := newFakeStage(t, "naive", "safe")
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, live)
	eval[bool](t, ctx, `(() => {
		const seen = window.seen = { draws: 0, clicks: 0, answers: 0, spoken: 0, tasks: 0, begun: performance.now() };
		new MutationObserver(() => seen.draws++).observe(document.querySelector("[data-log]"), { childList: true });
		new MutationObserver(() => seen.spoken++).observe(document.querySelector("[data-status]"), { childList: true });
		new PerformanceObserver((list) => { for (const task of list.getEntries()) seen.tasks += task.duration; }).observe({ type: "longtask" });
		const counter = document.querySelector('[data-outcome="conflict"]');
		const click = () => {
			const before = counter.getAttribute("aria-pressed");
			seen.clicks++;
			counter.click();
			const look = () => { if (counter.getAttribute("aria-pressed") !== before) { seen.answers++; setTimeout(click, 50); } else requestAnimationFrame(look); };
			requestAnimationFrame(look);
		};
		click();
		return true;
	})()`)
	stage.storm(ctx)
	got := eval[map[string]float64](t, ctx, `({ ...window.seen, lasted: performance.now() - window.seen.begun })`)
	t.Logf("%+v", got)
	if most := got["lasted"]/100 + 2; got["draws"] > most {
		t.Errorf("%.0f drawings in %.0f ms are more than ten a second", got["draws"], got["lasted"])
	}
	if most := got["lasted"]/1000 + 2; got["spoken"] > most {
		t.Errorf("%.0f sentences in %.0f ms are more than one a second", got["spoken"], got["lasted"])
	}
	if got["tasks"] > got["lasted"]*0.8 {
		t.Errorf("the page was busy for %.0f of %.0f ms", got["tasks"], got["lasted"])
	}
	if got["answers"] < 5 {
		t.Errorf("%.0f of %.0f clicks were answered during the storm", got["answers"], got["clicks"])
	}
	until(t, ctx, fmt.Sprintf(`document.querySelector('[data-outcome="attempt"] [data-n="safe"]').textContent === "%d"`, stormRate*int(stormTime/time.Second)/5/2))
}

// wholePage is all that the panel says, without what only a moment has.
const wholePage = `["[data-log]", "[data-sentence]", "[data-counters]", ".sides", "[data-scene]"].map((part) => document.querySelector(part).innerText).join("\n")`

func TestAfterCutsInAStormThePageIsThatOfAFreshLoad(t *testing.T) {
	stage := newFakeStage(t, "naive", "safe")
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, live)
	done := make(chan struct{})
	go func() { defer close(done); stage.storm(ctx) }()
	for cuts := 0; cuts < 20; {
		select {
		case <-done:
			cuts = 20
		case <-time.After(stormTime / 25):
			stage.drop()
			cuts++
		}
	}
	<-done
	stage.tell(lostAnswer()...)
	until(t, ctx, live)
	until(t, ctx, `/SAFE replayed it/.test(document.querySelector("[data-sentence]").textContent)`)
	fresh := open(t, stage.URL+"/", 1280, 720)
	until(t, fresh, `/SAFE replayed it/.test(document.querySelector("[data-sentence]").textContent)`)
	for _, page := range []context.Context{ctx, fresh} {
		until(t, page, `document.querySelector('[data-outcome="replay"] [data-n="safe"]').textContent === "1" && document.querySelector('[data-side="safe"] [data-verdict]').textContent !== ""`)
	}
	want := eval[string](t, fresh, wholePage)
	until(t, ctx, wholePage+` === `+fmt.Sprintf("%q", want))
}
