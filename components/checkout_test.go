package components

import (
	"regexp"
	"strings"
	"testing"
)

func wants(t *testing.T, html string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(html, part) {
			t.Errorf("no %s", part)
		}
	}
}

func lacks(t *testing.T, html string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(html, part) {
			t.Errorf("there is %s", part)
		}
	}
}

func TestTheFormCarriesTheKey(t *testing.T) {
	html := render(t, FirstScreen(Screen{Checkout: &Checkout{
		OrderID: "ord_1", Key: "0f8e-7F3A", Amount: "€50.00", AmountMinor: 5000,
		Cards: []Card{{Value: "pm_card_visa", Label: "Visa, pays"}, {Value: "b", Label: "B", Selected: true}},
	}}))
	wants(t, html,
		`method="post" action="/pay"`,
		`<input type="hidden" name="order" value="ord_1">`,
		`<input type="hidden" name="key" value="0f8e-7F3A">`,
		`<input type="hidden" name="amount" value="5000">`,
		`<label for="card">`, `<select id="card" name="card">`,
		`<option value="pm_card_visa">Visa, pays</option>`, `<option value="b" selected>B</option>`,
		`name="how" value="lose"`, `name="how" value="normal"`, `formaction="/new"`,
		"keeps key …7F3A", "mints a new key", "€50.00",
	)
	if first := regexp.MustCompile(`<button[^>]*value="(\w+)"`).FindStringSubmatch(html); first == nil || first[1] != "lose" {
		t.Errorf("the first button is %v", first)
	}
}

func TestNobodyCanTypeACardNumber(t *testing.T) {
	html := render(t, checkout(Checkout{Cards: []Card{{Value: "a", Label: "A"}}}, nil))
	for _, field := range regexp.MustCompile(`<input[^>]*>`).FindAllString(html, -1) {
		if !strings.Contains(field, `type="hidden"`) {
			t.Errorf("a visible field: %s", field)
		}
	}
}

func TestTheButtonsAreNeverDisabled(t *testing.T) {
	for _, c := range []Checkout{{}, {Settled: true}, {Checking: true, Notice: "x"}} {
		lacks(t, render(t, checkout(c, nil)), "disabled")
	}
}

func TestAnUnknownOutcomeLooksAgainWithoutAScript(t *testing.T) {
	refresh := `<noscript><meta http-equiv="refresh" content="2"></noscript>`
	checking := Screen{Checkout: &Checkout{Checking: true, Notice: "Your €50.00 payment may have gone through."}}
	for _, html := range []string{render(t, FirstScreen(checking)), render(t, StageScreen(checking))} {
		wants(t, html, refresh, `data-checking="true"`, "notice-open", "may have gone through")
	}
	settled := Screen{Checkout: &Checkout{Settled: true, Notice: "Paid, €50.00."}}
	html := render(t, FirstScreen(settled))
	lacks(t, html, refresh, "notice-open")
	wants(t, html, `data-checking="false"`, "Paid, €50.00.")
	lacks(t, render(t, PanelScreen(checking)), refresh)
}

func TestNothingIsToldBeforeThereIsSomethingToTell(t *testing.T) {
	lacks(t, render(t, checkout(Checkout{}, nil)), "The customer is told")
}

func TestNoLinkIsDead(t *testing.T) {
	html := render(t, FirstScreen(Screen{Checkout: &Checkout{}}))
	lacks(t, html, "<nav", "/lessons", "/connect") // help is always there
	html = render(t, FirstScreen(Screen{Ways: []Link{{Label: "All lessons", Href: "/lessons"}}}))
	wants(t, html, `<a href="/lessons">All lessons</a>`)
}
