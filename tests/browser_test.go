package tests

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// One browser serves all tests of the package, each in a tab of its own.
var (
	browserOnce    sync.Once
	browserCtx     context.Context
	closeBrowser   = func() {}
	browserMissing error // no Chromium on this machine: its tests are skipped
	browserBroken  error // there is one, and it does not start: its tests fail
)

func openBrowser() {
	path, err := findChromium()
	if err != nil {
		browserMissing = err
		return
	}
	browserCtx, closeBrowser = chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(
		chromedp.ExecPath(path),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("force-color-profile", "srgb"),
	))
	browserBroken = chromedp.Do(browserCtx) // starts it
}

func findChromium() (path string, err error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

// tab is a browser tab on a stage. What a page must never do (break its
// content security policy, fail a script, ask another host) fails the test.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string

	// loose: the browser may complain, since the page is an error on purpose.
	loose bool
	// scriptless: the page's own scripts do not run.
	scriptless bool

	mu       sync.Mutex
	requests []*network.Request
}

// openTab opens a page in a window of the given size.
func openTab(t *testing.T, base, path string, width, height int64) *tab {
	t.Helper()
	browserOnce.Do(openBrowser)
	needs(t, "a Chromium", browserMissing)
	if browserBroken != nil {
		t.Fatalf("the browser does not start: %v", browserBroken)
	}
	ctx, end := chromedp.NewContext(browserCtx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: base}
	b.do(chromedp.EmulateViewport(width, height))
	b.watch()
	b.do(chromedp.Navigate(base + path))
	return b
}

// watch records requests and complains about faults of the page.
func (b *tab) watch() {
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		if _, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, target, log.Enable, cdp.Empty{})
		return err
	}))
	err := chromedp.Listen(b.ctx, func(event any) {
		switch event := event.(type) {
		case *network.EventRequestWillBeSent:
			b.requested(event.Request)
		case *log.EventEntryAdded:
			if !b.loose && event.Entry.Level == log.EntryLevelError && !strings.Contains(event.Entry.Text, "WebSocket") {
				b.t.Errorf("the browser complains: %s %s", event.Entry.Text, event.Entry.URL)
			}
		case *runtime.EventExceptionThrown:
			b.t.Errorf("a script failed: %+v", event.ExceptionDetails)
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) requested(r *network.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, r)
	if strings.HasPrefix(r.URL, "data:") { // it asks nobody
		return
	}
	if !strings.HasPrefix(r.URL, b.base) && !strings.HasPrefix(r.URL, "ws"+strings.TrimPrefix(b.base, "http")) {
		b.t.Errorf("the page asks elsewhere: %s", r.URL)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval evaluates a script's expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// text is what a person reads in an element.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, `(document.querySelector(`+quote(selector)+`)?.innerText ?? "")`)
}

// quote makes a script's string literal of a text.
func quote(s string) string { return strconv.Quote(s) }

// awaitText waits until an element's text contains a part.
func (b *tab) awaitText(selector, part string) {
	b.t.Helper()
	eventually(b.t, selector+" says "+part, func() (bool, any) {
		text := b.text(selector)
		return strings.Contains(text, part), text
	})
}

// awaitSafePaid waits until the safe shop tells the customer that it is paid.
func (b *tab) awaitSafePaid() {
	b.t.Helper()
	eventually(b.t, "the safe shop says Paid", func() (bool, any) {
		told := b.text("[data-checkout] .notice")
		return safePaid(told), told
	})
}

// press clicks the button with this label, as a person finds it.
func (b *tab) press(label string) {
	b.t.Helper()
	b.pressIn("body", label)
}

// pressIn clicks the button with this label inside an element.
func (b *tab) pressIn(selector, label string) {
	b.t.Helper()
	found := eval[bool](b, `(() => {
		const button = [...document.querySelectorAll(`+quote(selector+" button")+`)].find(b => b.innerText.includes(`+quote(label)+`));
		button?.click();
		return button !== undefined;
	})()`)
	if !found {
		b.t.Fatalf("there is no button %q", label)
	}
}

// posts counts the POST requests that the page has sent to a path.
func (b *tab) posts(path string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, r := range b.requests {
		if r.Method == "POST" && r.URL == b.base+path {
			n++
		}
	}
	return n
}

// picture takes a screenshot into CHARGEONCE_PICTURES, if that is set.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("CHARGEONCE_PICTURES")
	if dir == "" {
		return
	}
	b.save(filepath.Join(dir, name+".png"))
}

func (b *tab) save(file string) {
	b.t.Helper()
	if !b.scriptless {
		// One frame more than the last change, so that nothing is half drawn.
		_ = eval[bool](b, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	}
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, shot, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// theme switches between light and dark as the page's own switch stores it.
func (b *tab) theme(name string) {
	b.t.Helper()
	_ = eval[bool](b, `(document.documentElement.dataset.theme = `+quote(name)+`, true)`)
}

// settled waits until a page with a panel has connected and drawn.
func (b *tab) settled() {
	b.t.Helper()
	eventually(b.t, "the panel has caught up", func() (bool, any) {
		state := eval[string](b, `document.querySelector("[data-panel]") ? document.querySelector("[data-connection]")?.dataset.connection ?? "" : "none"`)
		return state == "none" || state == "live", state
	})
}

// disableScripts turns JavaScript off for the tab and loads its page again.
func (b *tab) disableScripts() {
	b.t.Helper()
	b.scriptless = true
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}), chromedp.Reload())
}
