package tests

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestAResetFromThePageCanBeTakenBack presses R as a presenter between two
// classes does, and then thinks better of it.
func TestAResetFromThePageCanBeTakenBack(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/stage", 1280, 720)
	b.settled()
	b.press("Pay normally")
	b.awaitSafePaid()
	const charged = `[data-side="safe"] [data-money="captured"]`
	b.awaitText(charged, "€50.00")
	told := b.text("[data-sentence]")
	b.do(chromedp.KeyEvent("r"))
	b.awaitText("body", "Undo the reset")
	b.awaitText("[data-sentence]", "Nothing has happened yet.")
	eventually(t, "the money is gone", func() (bool, any) {
		text := b.text(charged)
		return !strings.Contains(text, "€50.00"), text
	})
	b.picture("stage-1280-reset")
	b.press("Undo the reset")
	b.awaitText(charged, "€50.00")
	b.awaitText("[data-sentence]", told)
	b.awaitSafePaid()
	c.chargedOnce("shop")
}
