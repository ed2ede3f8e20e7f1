package tests

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"chargeonce/web/control"
)

// download takes a file from a stage home.
func (c *stageClient) download(path string) (file string) {
	c.t.Helper()
	response, err := c.http.Get(c.base + path)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		c.t.Fatalf("%s: %d %v %s", path, response.StatusCode, err, body)
	}
	file = filepath.Join(c.t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(file, body, 0o600); err != nil {
		c.t.Fatal(err)
	}
	return file
}

// repeat runs an exported script, and returns what it printed.
func repeat(t *testing.T, file, base string) string {
	t.Helper()
	for _, tool := range []string{"sh", "curl"} {
		_, err := exec.LookPath(tool)
		needs(t, tool, err)
	}
	out, err := exec.Command("sh", file, base).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestAnExportedScriptRepeatsARunAndCanBeRunAgain(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	run := c.run("lost-response")
	owner := "run_" + run.ID
	file := c.download("/runs/" + run.ID + "/requests.sh")
	for times := 1; times <= 2; times++ {
		out := repeat(t, file, c.base)
		if strings.Count(out, "the outcome is unknown") != 2 || strings.Count(out, ": 201") != 2 {
			t.Errorf("want one answer lost and one that arrived on each side:\n%s", out)
		}
		var books control.Books
		c.get("/stage/books", &books)
		safe, naive := books.Sides[control.Safe].Owners[owner], books.Sides[control.Naive].Owners[owner]
		if safe.Captures != times || naive.Captures != 2*times {
			t.Errorf("after %d times: safe charged the card %d times, naive %d times", times, safe.Captures, naive.Captures)
		}
	}
}

func TestAnExportedScriptSaysWhenNobodyAnswers(t *testing.T) {
	p, c := startStage(t, t.TempDir())
	c.charge("you", "k1", 5000)
	file := c.download("/export/requests.sh")
	p.stop()
	if out, err := exec.Command("sh", file).CombinedOutput(); err == nil || !strings.Contains(string(out), c.base+" has answered nothing") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestEventsAreExportedAsLines(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.awaitPaid()
	seq := c.state().Seq
	file, err := os.Open(c.download("/export/events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var last control.Event
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var e control.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Text == "" || last.Seq != 0 && e.Seq != last.Seq+1 {
			t.Fatalf("%v, after no. %d: %s", err, last.Seq, lines.Bytes())
		}
		last = e
	}
	if last.Seq < seq {
		t.Errorf("the last line is event %d, there were %d", last.Seq, seq)
	}
}

// emulateNetwork takes the same parameters as its successor, which not every
// browser knows yet.
var emulateNetwork = cdp.Command[network.OverrideNetworkStateParams, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// openFile opens an exported page from disk in a browser without a network.
func openFile(t *testing.T, file string) *tab {
	t.Helper()
	b := openTab(t, "file://"+filepath.Dir(file), "/"+filepath.Base(file), 1280, 900)
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulateNetwork, network.OverrideNetworkStateParams{Offline: true})
		return err
	}))
	b.do(chromedp.Navigate("file://" + file))
	if eval[bool](b, "navigator.onLine") {
		t.Fatal("the browser is online; the test proves nothing")
	}
	return b
}

func TestAnExportedRunPlaysFromDiskWithoutANetwork(t *testing.T) {
	p, c := startStage(t, t.TempDir())
	run := c.run("lost-response")
	file := c.download("/runs/" + run.ID + "/export.html")
	p.stop()
	b := openFile(t, file)
	b.awaitText("[data-badge]", "RECORDED")
	b.awaitText("[data-step]", "1")
	for step := range run.Steps[1:] {
		b.do(chromedp.KeyEvent(kb.PageDown))
		b.awaitText("[data-step]", strconv.Itoa(step+2))
	}
	b.awaitText(`[data-side="naive"] [data-money="captured"]`, "€100.00")
	b.awaitText(`[data-side="safe"] [data-money="captured"]`, "€50.00")
	if links := eval[int](b, `document.querySelectorAll('a[href^="/"]').length`); links != 0 {
		t.Errorf("%d links lead to a server", links)
	}
	trace := attempt(t, run.Events, control.Safe, 1).Trace
	html := eval[string](b, `fetch("/stage/exchange?side=safe&run=`+run.ID+`&trace=`+trace+`").then(r => r.text())`)
	demand(t, "the exchange in the file", html, "never arrived")
	b.picture("export-run")
}

func TestExportedFreePlayShowsWhatHappened(t *testing.T) {
	p, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "lose", "pm_card_visa")
	c.awaitPaid()
	eventually(t, "the naive side has charged twice", func() (bool, any) {
		var books control.Books
		c.get("/stage/books", &books)
		n := books.Sides[control.Naive].Owners["shop"].Captures
		return n == 2, n
	})
	file := c.download("/export/stage.html")
	p.stop()
	b := openFile(t, file)
	b.awaitText(`[data-side="safe"] [data-money="captured"]`, "€50.00")
	b.awaitText(`[data-side="naive"] [data-money="captured"]`, "€100.00")
	b.awaitText("[data-sentence]", "An answer was lost")
	b.picture("export-stage")
}
