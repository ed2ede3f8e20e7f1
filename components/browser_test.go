package components_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience bounds the wait for what a page should do; it is only used up when
// a test fails.
const patience = 30 * time.Second

var browser struct {
	once sync.Once
	ctx  context.Context
	end  context.CancelFunc
	none error // there is no Chromium here
	err  error // there is one, and it does not start
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.end != nil {
		browser.end()
	}
	os.Exit(code)
}

func startBrowser() {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, browser.none = exec.LookPath(name); browser.none == nil {
			break
		}
	}
	if browser.none != nil {
		return
	}
	browser.ctx, browser.end = chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(
		chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-background-networking", true),
	))
	browser.err = chromedp.Do(browser.ctx)
}

// open shows a page in a window of its own. A script that fails and a policy
// that is broken fail the test.
func open(t *testing.T, url string, width, height int64) context.Context {
	t.Helper()
	browser.once.Do(startBrowser)
	if browser.none != nil && os.Getenv("CHARGEONCE_REQUIRE_ALL") != "1" {
		t.Skip("the pages' tests need Chromium, which is not on the PATH")
	}
	if browser.none != nil || browser.err != nil {
		t.Fatal(browser.none, browser.err)
	}
	ctx, end := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	t.Cleanup(cancel)
	do(t, ctx, chromedp.EmulateViewport(width, height))
	if err := chromedp.Listen(ctx, func(event any) { complain(t, event) }); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Navigate(url))
	return ctx
}

func complain(t *testing.T, event any) {
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		t.Errorf("a script failed: %+v", event.ExceptionDetails)
	case *log.EventEntryAdded:
		if strings.Contains(event.Entry.Text, "Content Security Policy") {
			t.Errorf("the policy is broken: %s", event.Entry.Text)
		}
	}
}

func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func eval[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until polls a condition of the page.
func until(t *testing.T, ctx context.Context, condition string) {
	t.Helper()
	for end := time.Now().Add(patience); !eval[bool](t, ctx, condition); {
		if time.Now().After(end) {
			t.Fatalf("never true: %s\n%s", condition, eval[string](t, ctx, `document.body.innerText`))
		}
		_ = eval[bool](t, ctx, `new Promise((done) => requestAnimationFrame(() => done(true)))`)
	}
}

const live = `document.querySelector("[data-connection]").dataset.connection === "live"`

func TestFiveClicksAreFivePosts(t *testing.T) {
	stage := newFakeStage(t, "safe")
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, live)
	eval[bool](t, ctx, `(() => { for (let i = 0; i < 5; i++) document.querySelector('button[value="normal"]').click(); return true; })()`)
	until(t, ctx, `document.querySelector(".notice b")?.textContent === "POST 5"`)
	stage.mu.Lock()
	defer stage.mu.Unlock()
	if len(stage.posts) != 5 {
		t.Fatalf("%d POSTs", len(stage.posts))
	}
	for _, post := range stage.posts {
		if post.Get("key") != "0f8e-7F3A" || post.Get("how") != "normal" || post.Get("amount") != "5000" || post.Get("card") != "pm_card_visa" {
			t.Errorf("posted %v", post)
		}
	}
}

func TestTheCheckoutKeepsFocusAndChoice(t *testing.T) {
	stage := newFakeStage(t, "safe")
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, live)
	eval[bool](t, ctx, `(() => {
		document.querySelector("#card").value = "pm_other";
		window.button = document.querySelector('button[value="lose"]');
		button.focus(); button.click(); return true;
	})()`)
	until(t, ctx, `document.querySelector(".notice b")?.textContent === "POST 1"`)
	if !eval[bool](t, ctx, `document.activeElement === window.button && window.button.isConnected`) {
		t.Error("the button lost the focus, or was replaced under the pointer")
	}
	if got := eval[string](t, ctx, `document.querySelector("#card").value`); got != "pm_other" {
		t.Errorf("the chosen card is now %s", got)
	}
}

func TestNoAnswerIsNotRepeatedByThePage(t *testing.T) {
	stage := newFakeStage(t, "safe")
	stage.silent = true
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, live)
	eval[bool](t, ctx, `(document.querySelector('button[value="normal"]').click(), true)`)
	until(t, ctx, `/outcome is unknown/.test(document.querySelector(".notice")?.textContent)`)
	stage.mu.Lock()
	defer stage.mu.Unlock()
	if len(stage.posts) != 1 {
		t.Errorf("%d POSTs for one click", len(stage.posts))
	}
}

func TestThePanelFollowsAndResumes(t *testing.T) {
	stage := newFakeStage(t, "safe")
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, `document.querySelector(".lanes.ghost .o-replay") !== null`) // the example
	story := lostAnswer()
	stage.tell(story[:7]...)
	figure := func(outcome string) string {
		return `document.querySelector('[data-outcome="` + outcome + `"] [data-n="safe"]').textContent`
	}
	until(t, ctx, figure("silence")+` === "1" && !document.querySelector(".ghost")`)
	stage.drop()
	stage.tell(story[7:]...)
	until(t, ctx, figure("replay")+` === "1"`)
	until(t, ctx, `document.querySelector('g.mark.o-replay[role="button"]') !== null`)
	for outcome, want := range map[string]string{"attempt": "2", "started": "1", "silence": "1", "busy": "0"} {
		if got := eval[string](t, ctx, figure(outcome)); got != want {
			t.Errorf("%s: %s, want %s", outcome, got, want)
		}
	}
	stage.mu.Lock()
	defer stage.mu.Unlock()
	if len(stage.after) < 2 || stage.after[0] != "0" || stage.after[len(stage.after)-1] != "7" {
		t.Errorf("the websockets asked after %v", stage.after)
	}
}

func TestTheBooksFillTheMoneyAndWrongMoneyIsInverse(t *testing.T) {
	stage := newFakeStage(t, "safe")
	stage.tell(lostAnswer()...)
	ctx := open(t, stage.URL+"/panel", 1280, 720)
	until(t, ctx, `document.querySelector('[data-money="captured"].wrong .sum')?.textContent === "€100.00"`)
	until(t, ctx, `document.querySelector("[data-verdict]").textContent === "charged twice"`)
	until(t, ctx, `document.querySelector("[data-sentence] b")?.textContent === "SAFE replayed it."`)
	until(t, ctx, `document.querySelector("[data-status]").textContent === "The answer was lost: SAFE replayed it."`)
}

func TestAMarkOpensByKeyboardAndGivesTheFocusBack(t *testing.T) {
	stage := newFakeStage(t, "safe")
	stage.tell(lostAnswer()...)
	ctx := open(t, stage.URL+"/panel", 1280, 720)
	until(t, ctx, `document.querySelector('g.mark.o-replay[role="button"]') !== null`) // not the example's
	eval[bool](t, ctx, `(document.querySelector("g.mark.o-replay").focus(), true)`)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `!document.querySelector("[data-inspector]").hidden && /REPLAY/.test(document.querySelector("[data-inspector] h2").textContent)`)
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	until(t, ctx, `document.querySelector("[data-inspector]").hidden && document.activeElement === document.querySelector("g.mark.o-replay")`)
}

func TestACounterFiltersMarksAndLog(t *testing.T) {
	stage := newFakeStage(t, "safe")
	stage.tell(lostAnswer()...)
	ctx := open(t, stage.URL+"/panel", 1280, 720)
	until(t, ctx, `document.querySelectorAll("[data-log] .event").length === 12`)
	eval[bool](t, ctx, `(document.querySelector('[data-outcome="silence"]').click(), true)`)
	until(t, ctx, `document.querySelectorAll("[data-log] .event").length === 1 && document.querySelector("g.mark.o-replay.dim") !== null`)
	eval[bool](t, ctx, `(document.querySelector('[data-outcome="silence"]').click(), true)`)
	until(t, ctx, `document.querySelectorAll("[data-log] .event").length === 12 && !document.querySelector(".dim")`)
}

func TestKillAndDisarmAreCommands(t *testing.T) {
	stage := newFakeStage(t, "safe")
	stage.faults = []map[string]any{{"id": "f 1", "side": "safe", "kind": "lose-response", "attempts": 1}}
	ctx := open(t, stage.URL+"/", 1280, 720)
	until(t, ctx, `/API ready, pid 4242/.test(document.querySelector("[data-child]").textContent)`)
	until(t, ctx, `document.querySelector("[data-disarm]") !== null`)
	eval[bool](t, ctx, `(document.querySelector("[data-disarm]").click(), true)`)
	until(t, ctx, `document.querySelector("[data-armed]").hidden`)
	eval[bool](t, ctx, `(document.querySelector('[data-form="kill"] button').click(), true)`)
	stage.commanded(t, ctx, "DELETE /stage/faults/f 1", `POST /stage/kill {"side":"safe"}`)
}

func TestTheThemeIsRemembered(t *testing.T) {
	stage := newFakeStage(t, "safe")
	ctx := open(t, stage.URL+"/", 1280, 720)
	before := eval[string](t, ctx, `getComputedStyle(document.body).backgroundColor`)
	eval[bool](t, ctx, `(document.querySelector('[data-switch="theme"]').click(), document.querySelector('[data-switch="big"]').click(), true)`)
	do(t, ctx, chromedp.Navigate(stage.URL+"/panel"))
	if after := eval[string](t, ctx, `getComputedStyle(document.body).backgroundColor`); after == before {
		t.Errorf("the page is still %s", before)
	}
	if got := eval[string](t, ctx, `document.documentElement.dataset.big`); got != "on" {
		t.Errorf("big is %q", got)
	}
}
