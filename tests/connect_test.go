package tests

import (
	"context"
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chargeonce/web/control"
)

// connectPage reads /connect as a browser without JavaScript does.
func (c *stageClient) connectPage() string {
	c.t.Helper()
	response, err := c.http.Get(c.base + "/connect")
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		c.t.Fatalf("/connect: status %d, %v", response.StatusCode, err)
	}
	return string(text)
}

// snippet is one of the texts to copy, by its name.
func snippet(t *testing.T, page, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?s)aria-label="` + regexp.QuoteMeta(name) + `"[^>]*>(.*?)</pre>`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("there is no %q to copy", name)
	}
	return html.UnescapeString(found[1])
}

// paste runs a text as a shell would. A curl that gives up is no fault here.
func paste(t *testing.T, text string) string {
	t.Helper()
	_, err := exec.LookPath("curl")
	needs(t, "curl", err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "sh", "-c", text).CombinedOutput()
	return string(out)
}

func TestThePastedLinesChargeOnceAtTheSafeSideAndTwiceAtTheNaive(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	page := c.connectPage()
	if !strings.Contains(page, "Waiting for your first request…") {
		t.Error("the page does not wait")
	}
	if out := paste(t, snippet(t, page, "First, with a fault of its own")); !strings.Contains(out, "timed out") {
		t.Errorf("the answer was not lost: %s", out)
	}
	if out := paste(t, snippet(t, page, "Then the same again")); !strings.Contains(out, "Idempotent-Replayed: true") {
		t.Errorf("no replay: %s", out)
	}
	if books := c.books("you"); books.Captures != 1 || books.Wire.API != 2 {
		t.Errorf("two requests at the safe side: %+v", books)
	}
	paste(t, snippet(t, page, "Both, at the NAIVE side"))
	var books control.Books
	c.get("/stage/books", &books)
	if naive := books.Sides[control.Naive].Owners["you"]; naive.Captures != 2 || naive.Wire.API != 2 {
		t.Errorf("two requests at the naive side: %+v", naive)
	}
	page = c.connectPage()
	if !strings.Contains(page, "you has sent its first request.") || !strings.Contains(page, "€100.00") {
		t.Error("the page does not say who came, and what it cost")
	}
}

func TestARequestWithoutACredentialIsNotMissed(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	response, err := http.Post(c.base+"/v1/charges", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if page := c.connectPage(); response.StatusCode != http.StatusUnauthorized || !strings.Contains(page, "names nobody: 1") {
		t.Errorf("status %d, and the page does not say why nothing happened", response.StatusCode)
	}
}

func TestTheAddressesFollowTheHostOfTheBrowser(t *testing.T) {
	p := start(t, "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--host", "demo.example")
	request, err := http.NewRequest(http.MethodGet, p.URL+"/connect?key=try-AAAAAAAA", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "demo.example"
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"First, with a fault of its own", "Lose the next answer", "stripe-go"} {
		if text := snippet(t, string(page), name); !strings.Contains(text, "http://demo.example") || strings.Contains(text, "127.0.0.1") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if arm := snippet(t, string(page), "Lose the next answer"); !strings.Contains(arm, "Bearer TOKEN") {
		t.Errorf("the token is not asked for: %s", arm)
	}
}

// runsSnippet loses the SDK's next answer, runs its program as it stands on the
// page, and finds one charge, made by two attempts.
func runsSnippet(t *testing.T, name, file string, command func(path string) *exec.Cmd) {
	t.Helper()
	_, c := startStage(t, t.TempDir())
	page := c.connectPage()
	if out := paste(t, snippet(t, page, "Lose the next answer")); !strings.Contains(out, `"id"`) {
		t.Fatalf("the fault was not armed: %s", out)
	}
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(snippet(t, page, name)), 0o600); err != nil {
		t.Fatal(err)
	}
	program, log := command(path), &lockedBuffer{}
	program.Stderr = log // where an SDK tells of the answer that it has lost
	out, err := program.Output()
	if err != nil || !strings.HasPrefix(string(out), "ch_") || !strings.Contains(strings.ToLower(string(out)), "replayed: true") {
		t.Fatalf("%s: %v\n%s\n%s", name, err, out, log)
	}
	c.chargedOnce("you")
	if wire := c.books("you").Wire.API; wire != 2 {
		t.Errorf("%s: %d requests crossed the wire, want 2", name, wire)
	}
}

func TestTheStripeGoSnippetRuns(t *testing.T) {
	runsSnippet(t, "stripe-go", "main.go", func(path string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "go", "run", path) // in our module, whose stripe-go it is
	})
}

func TestTheStripeNodeSnippetRuns(t *testing.T) {
	node := needsStripeNode(t)
	runsSnippet(t, "stripe-node", "charge.mjs", func(path string) *exec.Cmd {
		if err := os.Symlink(os.Getenv(nodeModules), filepath.Join(filepath.Dir(path), "node_modules")); err != nil {
			t.Fatal(err)
		}
		return exec.CommandContext(t.Context(), node, path)
	})
}

func TestConnectChangesByItselfWhenTheFirstRequestArrives(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/", 1280, 720)
	_ = eval[bool](b, `([...document.querySelectorAll("a")].find(a => a.innerText === "Point your own client here").click(), true)`)
	b.awaitText("#arrived", "Waiting for your first request…")
	shown := b.text(".codes pre")
	c.charge("ann", "order-1", 5000)
	b.awaitText("#arrived", "ann has sent its first request.")
	b.awaitText("#callers", "€50.00")
	if again := b.text(".codes pre"); again != shown || !strings.Contains(shown, "try-") {
		t.Errorf("the lines to copy have changed from %q to %q", shown, again)
	}
}

func TestConnectWithoutJavaScriptIsReloaded(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/connect", 320, 720)
	b.disableScripts()
	c.charge("ann", "order-1", 5000)
	// Reads without a script of the page's own; the browser reloads by itself.
	b.awaitText("#arrived", "ann has sent its first request.")
	if wide := eval[float64](b, `document.documentElement.scrollWidth`); wide > 320 {
		t.Errorf("the page is %v px wide", wide)
	}
}
