package tests

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// axeSource reads axe-core, which npm has put beside the SDK, or skips the test.
func axeSource(t *testing.T) string {
	t.Helper()
	folder := os.Getenv(nodeModules)
	if folder == "" {
		needs(t, "the npm package axe-core", errors.New(nodeModules+" is not set"))
	}
	source, err := os.ReadFile(filepath.Join(folder, "axe-core", "axe.min.js"))
	needs(t, "the npm package axe-core", err)
	return string(source)
}

// axeGrave runs axe and gives what it finds serious or critical, a line each.
// If next to nothing could be looked at, it says that.
const axeGrave = `axe.run().then(found => found.passes.length < 5 ? ["axe has looked at next to nothing"] : found.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => v.id + ": " + v.nodes.slice(0, 4).map(n => n.target.join(" ")).join(" | ")))`

func TestAxeFindsNothingSeriousOnAnyPage(t *testing.T) {
	source := axeSource(t)
	_, c := startStage(t, t.TempDir())
	c.charge("you", "order-1", 5000) // so that the books and keys have a row
	pages := []string{
		"/", "/stage", "/panel", "/lessons", "/books", "/keys", "/keys?owner=you&key=order-1", "/connect", "/help", "/help/errors",
	}
	for _, id := range []string{"double-click", "storm"} { // one with a board, one with a crowd and histograms
		run := c.run(id)
		pages = append(pages, "/lessons/"+id+"?run="+run.ID, fmt.Sprintf("/runs/%s#step=%d", run.ID, len(run.Steps)-2))
	}
	for _, page := range pages {
		for _, width := range []int64{320, 1280} {
			t.Run(fmt.Sprintf("%s at %d", page, width), func(t *testing.T) {
				b := openTab(t, c.base, page, width, 900)
				b.settled()
				// The developer tools may evaluate what the page's policy forbids it.
				_ = eval[bool](b, source+"\n;true")
				for _, theme := range []string{"light", "dark"} {
					b.theme(theme)
					for _, line := range eval[[]string](b, axeGrave) {
						t.Errorf("%s: %s", theme, line)
					}
				}
			})
		}
	}
}

// A page that axe must object to: without this, silence would prove nothing.
func TestAxeObjectsToWhatIsWrong(t *testing.T) {
	source := axeSource(t)
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/help", 1280, 900)
	b.settled()
	_ = eval[bool](b, source+"\n;true")
	_ = eval[bool](b, `(document.querySelector("main").append(document.createElement("button")), true)`)
	if found := eval[[]string](b, axeGrave); len(found) != 1 || !strings.HasPrefix(found[0], "button-name") {
		t.Errorf("of a button without a name axe says %v", found)
	}
}
