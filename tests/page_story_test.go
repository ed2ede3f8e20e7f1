package tests

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
)

// readmePicture is the screenshot that the README shows. It is made again by
// CHARGEONCE_UPDATE_README=1.
const readmePicture = "stage.png"

func TestTheStoryInABrowser(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/", 1280, 720)
	b.awaitText("body", "Lose the answer")
	b.picture("first-1280-empty")

	b.press("Pay normally")
	b.awaitSafePaid()
	b.awaitText(".sentence", "charged the card €50.00 once")
	b.picture("first-1280-paid")

	b.press("New order")
	eventually(t, "a new key is shown", func() (bool, any) {
		text := b.text("[data-checkout]")
		return !strings.Contains(text, "Paid, €50.00."), text
	})
	b.press("Pay and lose the answer")
	b.awaitText(".sentence", "NAIVE charged the card again, SAFE replayed the answer")
	b.awaitText("[data-checkout]", "The customer is told:\nPaid, €50.00.")
	b.awaitText(counter("replay"), "1")
	b.awaitText(`[data-side="naive"] [data-rest="overcharged"]`, "€50.00")
	b.picture("first-1280-lost")
	if os.Getenv("CHARGEONCE_UPDATE_README") == "1" {
		b.save(readmePicture)
	}

	if naive := c.side(control.Naive, "shop"); naive.Captures != 3 || naive.Overcharged["eur"] != 5000 {
		t.Errorf("two orders, three captures on the naive side: %+v", naive)
	}
	books := c.books("shop")
	if books.Charges != 2 || books.Captures != 2 || books.Captured["eur"] != 10000 || books.Overcharged["eur"] != 0 {
		t.Errorf("two orders, two charges: %+v", books)
	}
	if posts := b.posts("/pay"); posts != 2 {
		t.Errorf("two clicks made %d POSTs", posts)
	}
}

func TestADoubleClickInABrowser(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/", 1280, 720)
	b.awaitText("body", "Pay normally")
	_ = eval[bool](b, `(() => {
		const pay = [...document.querySelectorAll("button")].find(b => b.innerText.includes("Pay normally"));
		pay.click(); pay.click();
		return true;
	})()`)
	b.awaitText(counter("busy"), "1")
	b.awaitText(counter("replay"), "1")
	b.awaitSafePaid()
	c.chargedOnce("shop")
	b.picture("first-1280-double-click")
}

func TestACurlConflictShowsOnThePanel(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/panel", 1280, 720)
	c.charge("you", "order-1", 5000)
	c.charge("you", "order-1", 8000)
	b.awaitText(counter("conflict"), "1")
	b.awaitText(".sentence", "409 CONFLICT")
	c.chargedOnce("you")
	b.picture("panel-1280-conflict")
}

func TestAKillFromThePageResumesTheRetryInFlight(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/stage", 1280, 720)
	b.awaitText("body", "Pay normally")
	c.loseProviderAnswers(1)
	b.press("Pay normally")
	eventually(t, "the provider has captured", func() (bool, any) {
		captures := c.captures("shop")
		return len(captures) == 1, captures
	})
	b.pressIn(`[data-side="safe"]`, "kill -9")
	b.awaitText(counter("killed"), "1")
	b.awaitText(counter("busy"), "1")
	b.picture("stage-1280-killed-busy")
	b.awaitText(counter("resumed"), "1")
	b.awaitSafePaid()
	b.picture("stage-1280-resumed")
	c.chargedOnce("shop")
}

func TestTheCheckoutWorksWithoutJavaScript(t *testing.T) { // U04
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/", 320, 900)
	b.disableScripts()
	b.do(chromedp.Click(`button[value="normal"]`))
	eventually(t, "the books show the charge", func() (bool, any) {
		books := c.books("shop")
		return books.Charges == 1, books
	})
	b.do(chromedp.Reload())
	b.awaitSafePaid()
	c.chargedOnce("shop")
	if posts := b.posts("/pay"); posts != 1 {
		t.Errorf("one click made %d POSTs", posts)
	}
	b.picture("first-320-no-script")
}

// TestPicturesForTheEye makes screenshots of every page in three sizes and two
// themes, for a person to look at; it holds nothing else.
func TestPicturesForTheEye(t *testing.T) {
	if os.Getenv("CHARGEONCE_PICTURES") == "" {
		t.Skip("skipped: set CHARGEONCE_PICTURES to a folder to get pictures")
	}
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "lose", "pm_card_visa")
	c.awaitPaid()
	pages := map[string]string{ // by the name of the picture
		"first": "/", "stage": "/stage", "panel": "/panel", "lessons": "/lessons", "books": "/books", "keys": "/keys",
		"slip": "/keys?owner=shop&key=" + form.key, "connect": "/connect", "help": "/help", "errors": "/help/errors", "nowhere": "/nowhere",
	}
	for _, l := range lesson.All() { // the last step that belongs to the lesson alone
		run := c.run(l.ID)
		pages["lesson-"+l.ID] = fmt.Sprintf("/runs/%s#step=%d", run.ID, len(run.Steps)-2)
	}
	for _, size := range []struct {
		name          string
		width, height int64
	}{{"320", 320, 900}, {"1280", 1280, 720}, {"3840", 3840, 2160}} {
		for name, path := range pages {
			b := openTab(t, c.base, "/panel", size.width, size.height)
			b.loose = true
			b.do(chromedp.Navigate(c.base + path))
			b.settled()
			for _, theme := range []string{"light", "dark"} {
				b.theme(theme)
				b.picture(name + "-" + size.name + "-" + theme)
			}
		}
	}
}

func TestPagesNeverScrollSidewaysOnAPhone(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "lose", "pm_card_visa")
	c.awaitPaid()
	for _, path := range []string{"/", "/stage", "/panel", "/books", "/keys", "/keys?owner=shop&key=" + form.key} {
		b := openTab(t, c.base, path, 320, 900)
		b.settled()
		if width := eval[int](b, `document.documentElement.scrollWidth`); width > 320 {
			t.Errorf("%s is %d px wide on a screen of 320", path, width)
		}
	}
}

func TestAPhoneShowsWhatToPressFirst(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/", 320, 640)
	b.awaitText("body", "Nothing has happened yet")
	eventually(t, "the first button is on the first screen", func() (bool, any) {
		bottom := eval[float64](b, `document.querySelector(".btn-main").getBoundingClientRect().bottom`)
		return bottom <= 640, bottom
	})
}

func TestAForeignOriginGetsNothing(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	for _, path := range []string{"/stage/kill", "/pay", "/new", "/stage/faults"} {
		request, err := http.NewRequest(http.MethodPost, c.base+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Origin", "http://elsewhere.example")
		response, err := c.http.Do(request)
		c.decode(response, err, http.StatusForbidden, nil)
	}
	if state := c.state(); state.Children[control.Safe].Restarts != 0 {
		t.Errorf("somebody else's page killed the API: %+v", state)
	}
}

// counter is the figure of an outcome on the safe side.
func counter(outcome string) string {
	return `[data-outcome="` + outcome + `"] [data-n="safe"]`
}
