package tests

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"chargeonce/web/control"
)

// U01 and U05: five clicks in less than 50 ms, the last of them by Enter, are
// five requests, each sent once, for one charge.
func TestFiveClicksWithinFiftyMillisecondsChargeOnce(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/", 1280, 720)
	b.awaitText("body", "Pay normally")
	took := eval[float64](b, `new Promise(done => {
		const pay = [...document.querySelectorAll("button")].find(b => b.innerText.includes("Pay normally"));
		const began = performance.now();
		let clicks = 0;
		const click = () => {
			if (++clicks < 5) return pay.click(), setTimeout(click, 5);
			pay.form.requestSubmit(pay);
			done(performance.now() - began);
		};
		click();
	})`)
	t.Logf("five clicks in %.0f ms", took)
	b.awaitSafePaid()
	eventually(t, "all five are answered", func() (bool, any) {
		state := c.state()
		safe := state.Counters[control.Safe]
		return safe[control.Started] == 1 && safe[control.Replay] == 4, safe
	})
	c.chargedOnce("shop")
	if posts := b.posts("/pay"); posts != 5 {
		t.Errorf("five clicks made %d POSTs", posts)
	}
}

// U07 and U04: whatever posts the checkout's form, and however often, is led
// to a page that a reload or Back only reads. No library sits between form and
// server that could post by itself.
func TestEverySubmitIsLedToAPageThatPaysNothing(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	values := url.Values{"order": {form.order}, "key": {form.key}, "amount": {form.amount}, "card": {"pm_card_visa"}, "how": {"normal"}}
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for range 3 {
		response, err := plain.PostForm(c.base+"/pay", values)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		to := response.Header.Get("Location")
		if response.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
			t.Fatalf("status %d, to %q; want 303 to a page of ours", response.StatusCode, to)
		}
		for range 2 { // the page itself, and a reload
			page, err := plain.Get(c.base + to)
			if err != nil {
				t.Fatal(err)
			}
			_ = page.Body.Close()
		}
	}
	c.awaitPaid()
	c.chargedOnce("shop")
	if wire := c.books("shop").Wire.API; wire != 3 {
		t.Errorf("three submits and six reads made %d requests for a charge", wire)
	}
}

// U09: there is no field that could name where to go afterwards.
func TestNoFieldOfTheCheckoutLeadsElsewhere(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	for _, elsewhere := range []string{"javascript:alert(1)", " JaVaScRiPt:alert(1)", "//elsewhere.example", "https://elsewhere.example"} {
		values := url.Values{"order": {form.order}, "key": {form.key}, "amount": {form.amount}, "card": {"pm_card_visa"}, "how": {"normal"}}
		for _, field := range []string{"return_url", "next", "receipt_url"} {
			values.Set(field, elsewhere)
		}
		response, err := c.http.PostForm(c.base+"/pay", values)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || strings.Contains(strings.ToLower(string(body)), "alert(1)") || strings.Contains(string(body), "elsewhere.example") ||
			response.Request.URL.Host != strings.TrimPrefix(c.base, "http://") {
			t.Errorf("%q leads to %s (%v)", elsewhere, response.Request.URL, err)
		}
	}
}

// U12: the reply of €50 is lost, then €80 are submitted under the same key.
func TestAnAmountThatIsEditedAfterALostReplyIsExplainedAndNotSent(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "lose", "pm_card_visa")
	eventually(t, "the card is charged and the shop does not know", func() (bool, any) {
		captures := c.captures("shop")
		return len(captures) == 1, captures
	})
	values := url.Values{"order": {form.order}, "key": {form.key}, "amount": {"8000"}, "card": {"pm_card_visa"}, "how": {"normal"}}
	response, err := c.http.PostForm(c.base+"/pay", values)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || response.StatusCode != http.StatusConflict || !strings.Contains(string(page), "Checking the €50.00 payment before charging €80.00.") {
		t.Errorf("status %d, %v, and it says:\n%s", response.StatusCode, err, page)
	}
	c.awaitPaid()
	c.chargedOnce("shop")
	if books := c.books("shop"); books.Captured["eur"] != 5000 {
		t.Errorf("books: %+v", books)
	}
}
