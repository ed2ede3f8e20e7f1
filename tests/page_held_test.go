package tests

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"chargeonce/web/control"
)

const heldBox = `[data-side="safe"] [data-held]`

// holdAtCommitted arms the gate that the safe side's list offers first, and pays.
func (b *tab) holdAtCommitted() {
	b.t.Helper()
	b.awaitText(`[data-side="safe"] [data-child]`, "API ready")
	b.pressIn(`[data-side="safe"] [data-arm]`, "Hold")
	b.awaitText(`[data-side="safe"] [data-armed]`, "hold at committed")
	b.press("Pay normally")
	b.awaitText(heldBox, "HELD at committed")
}

func TestAHeldRequestIsDeliveredFromThePage(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/stage", 1280, 720)
	b.holdAtCommitted()
	b.awaitText(".sentence", "only the answer is not sent")
	if safe := c.side(control.Safe, "shop"); safe.Captures != 1 || safe.Charges != 1 {
		t.Errorf("the work is done before the answer is sent: %+v", safe)
	}
	b.picture("stage-1280-held")
	b.pressIn(heldBox, "Deliver")
	b.awaitSafePaid()
	b.awaitText(".sentence", "both charged the card €50.00 once")
	c.chargedOnce("shop")
}

func TestAKilledHoldCountsItsLeaseDownAndResumes(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/stage", 1280, 720)
	b.awaitText(`[data-side="safe"] [data-child]`, "API ready")
	_ = eval[bool](b, `(document.querySelector('[data-side="safe"] [data-arm]').gate.value = "provider-called", true)`)
	b.pressIn(`[data-side="safe"] [data-arm]`, "Hold")
	b.awaitText(`[data-side="safe"] [data-armed]`, "hold at provider-called")
	b.press("Pay normally")
	b.awaitText(heldBox, "HELD at provider-called")
	b.pressIn(heldBox, "kill -9")
	eventually(t, "the lease counts down as large as money", func() (bool, any) {
		size := eval[string](b, `(() => { const d = document.querySelector('[data-side="safe"] .lease-digits'); return d ? d.textContent + getComputedStyle(d).fontSize : ""; })()`)
		return strings.HasSuffix(size, "48px"), size
	})
	b.picture("stage-1280-lease")
	b.awaitText(counter("resumed"), "1")
	b.awaitSafePaid()
	c.chargedOnce("shop")
}

func TestReceiptsAndStockAreInTheBooks(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/", 1280, 720)
	b.press("Pay normally")
	b.awaitSafePaid()
	b.awaitText(`[data-side="safe"] [data-tally]`, "1 receipt, stock −1")
	eventually(t, "the receipts' lane is drawn", func() (bool, any) {
		lanes := eval[string](b, `document.querySelector('[data-side="safe"] .lanes').textContent`)
		return strings.Contains(lanes, "receipts"), lanes
	})
	books := openTab(t, c.base, "/books", 1280, 720)
	books.awaitText("body", "Shop: receipts")
	for _, side := range []string{"NAIVE", "SAFE"} {
		text := books.text(`[aria-label="` + side + `"]`)
		if !strings.Contains(text, "−1") || strings.Count(text, "evt_") != 1 {
			t.Errorf("%s has one receipt and one thing less in stock:\n%s", side, text)
		}
	}
}

func TestTheMistakeIsChosenWithoutAScript(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	choose := func(id string, status int) {
		t.Helper()
		response, err := c.http.PostForm(c.base+"/mistake", url.Values{"id": {id}})
		c.decode(response, err, status, nil)
	}
	choose("look-then-insert", http.StatusOK) // after the redirect
	if mistake := c.state().Mistake; mistake != "look-then-insert" {
		t.Errorf("the mistake is %q", mistake)
	}
	choose("none", http.StatusBadRequest)
}
