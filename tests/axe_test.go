package tests

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
const axeGrave = `axe.run().then(found => found.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => v.id + ": " + v.nodes.slice(0, 4).map(n => n.target.join(" ")).join(" | ")))`

func TestAxeFindsNothingSeriousOnAnyPage(t *testing.T) {
	source := axeSource(t)
	_, c := startStage(t, t.TempDir())
	c.charge("you", "order-1", 5000) // so that the books and keys have a row
	for _, page := range []string{"/", "/stage", "/panel", "/lessons", "/books", "/keys", "/connect", "/help", "/help/errors"} {
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
