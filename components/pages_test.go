package components

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
)

// evil tries to leave each place in which a value is printed.
const evil = `"><script>alert(1)</script><b style="x" onclick='y'>&`

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var out strings.Builder
	if err := c.Render(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func onePage(title string) Page {
	return Page{Title: title, Nav: []Link{{Label: "Books " + title, Href: "/books"}}}
}

var (
	safe  = Side{ID: "safe", Name: "SAFE", Means: "one key per purchase"}
	naive = Side{ID: "naive", Name: "NAIVE", Means: "no key"}
)

func sampleScreen(text string, sides ...Side) Screen {
	return Screen{
		Page:  onePage(text),
		Panel: Panel{Sides: sides, Sentence: text, Mistakes: []Option{{ID: text, Label: text}}},
		Ways:  []Link{{Label: text, Href: "/lessons"}},
		Checkout: &Checkout{
			OrderID: "order" + text, Key: "key" + text, Amount: "€50.00", AmountMinor: 5000, Currency: "eur",
			Cards:  []Card{{Value: "pm_card_visa", Label: "Visa, pays"}, {Value: "pm" + text, Label: text, Selected: true}},
			Notice: text, Checking: true,
		},
	}
}

func sampleBooks(text string) Books {
	off, key := Figure{text, true}, KeyRef{Text: text, Full: text, Href: "javascript:alert(1)"}
	return Books{Page: onePage(text), Sides: []BookSide{{
		Side: safe, Stale: true, Verdict: text, Wrong: true,
		Owners:   []MoneyRow{{Owner: text, Ledger: Figure{"€50.00", false}, Captured: off, Overcharged: off, Charges: 1, Captures: 2}},
		Charges:  []ChargeRow{{ID: text, Key: key, Amount: "€50.00", Status: "pending"}},
		Postings: []PostingRow{{Transfer: text, Account: text, Debit: "€50.00"}},
		Balances: []BalanceRow{{Account: text, Balance: "−€50.00"}},
		Totals:   []TotalRow{{Currency: text, Sum: off}},
		Captures: []CaptureRow{{Key: text, Reference: text, Amount: text, Again: true, Seen: 2}},
		Orders:   []OrderRow{{ID: text, Key: key, Amount: "€50.00", Card: text, State: "paid", Captures: off}},
		Receipts: []ReceiptRow{{Event: text, Owner: text, Order: text, Charge: text, Amount: text, Again: true}},
		Shelf:    []ShelfRow{{Owner: text, Receipts: 1, Stock: -1}},
	}}}
}

func sampleKeys(text string) Keys {
	return Keys{
		Page: onePage(text), Side: safe, Sides: []Side{naive, safe}, Owner: text, Key: text, Missing: true, Stale: true,
		Records: []KeyRow{{Owner: text, Key: KeyRef{text, text, "/keys?owner=a&key=b"}, Fence: 2}},
		Record: &Record{
			Owner: text, OwnerHref: "javascript:alert(1)", Key: text, Fingerprint: text, LeaseMS: 1390, Status: 201, Body: text, MadeUp: true,
			History: []Step{{At: "+0 ms", What: text}},
		},
	}
}

// pages renders every page with one text in all places.
func pages(t *testing.T, text string) map[string]string {
	t.Helper()
	return map[string]string{
		"first":   render(t, FirstScreen(sampleScreen(text, safe))),
		"two":     render(t, FirstScreen(sampleScreen(text, naive, safe))),
		"stage":   render(t, StageScreen(sampleScreen(text, safe))),
		"panel":   render(t, PanelScreen(Screen{Page: onePage(text), Panel: Panel{Sides: []Side{safe}, Sentence: text}})),
		"books":   render(t, BooksPage(sampleBooks(text))),
		"keys":    render(t, KeysPage(sampleKeys(text))),
		"connect": render(t, ConnectPage(sampleConnect(text))),
		"errors":  render(t, ErrorsPage(sampleErrors(text))),
		"problem": render(t, ErrorPage(Problem{Page: onePage(text), Status: 409, Head: text, Detail: text, Code: text})),
	}
}

func TestEveryPageHasTitleLanguageAndLandmarks(t *testing.T) {
	for name, html := range pages(t, "Some text") {
		for _, want := range []string{
			"<!doctype html>", `<html lang="en"`, "<title>Some text · chargeonce</title>", `name="viewport"`,
			"<main", "<header", "<nav", `rel="icon"`, "<h1",
		} {
			if !strings.Contains(html, want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
		if n := strings.Count(html, "<h1"); n != 1 {
			t.Errorf("%s: %d first headings", name, n)
		}
		if n := strings.Count(html, "<main"); n != 1 {
			t.Errorf("%s: %d mains", name, n)
		}
	}
}

func TestWhateverIsPrintedIsEscaped(t *testing.T) {
	for name, html := range pages(t, evil) {
		if strings.Contains(html, "<script>alert") || strings.Contains(html, "onclick='y'") || strings.Contains(html, `style="x"`) {
			t.Errorf("%s prints markup that came from outside", name)
		}
		if !strings.Contains(html, "&lt;script&gt;") {
			t.Errorf("%s does not print the text at all", name)
		}
		if strings.Contains(html, "javascript:") {
			t.Errorf("%s links to a script", name)
		}
	}
}

var (
	styled  = regexp.MustCompile(`<[^>]*\sstyle=|<style`)
	handler = regexp.MustCompile(`<[^>]*\son[a-z]+=`)
	script  = regexp.MustCompile(`<script([^>]*)>([^<]*)`)
	loaded  = regexp.MustCompile(`(?:src|href)="([^"]*)"`)
)

// The policy is default-src 'self': anything inline would not work.
func TestNothingIsInline(t *testing.T) {
	for name, html := range pages(t, "Some text") {
		if found := styled.FindString(html); found != "" {
			t.Errorf("%s: %s", name, found)
		}
		if found := handler.FindString(html); found != "" {
			t.Errorf("%s: %s", name, found)
		}
		for _, found := range script.FindAllStringSubmatch(html, -1) {
			if !strings.Contains(found[1], "src=") || strings.TrimSpace(found[2]) != "" {
				t.Errorf("%s: inline script %q", name, found[0])
			}
		}
		for _, found := range loaded.FindAllStringSubmatch(html, -1) {
			if !strings.HasPrefix(found[1], "/") && !strings.HasPrefix(found[1], "#") && !strings.HasPrefix(found[1], "about:invalid") {
				t.Errorf("%s loads %q", name, found[1])
			}
		}
	}
}

func TestEveryAssetExists(t *testing.T) {
	page := Page{Title: "x", Asset: func(name string) string {
		if _, err := os.Stat("../static/" + name); err != nil {
			t.Errorf("the page asks for %s: %v", name, err)
		}
		return "/hashed/" + name
	}}
	html := render(t, ErrorPage(Problem{Page: page}))
	if !strings.Contains(html, `href="/hashed/css/tokens.css"`) || !strings.Contains(html, `src="/hashed/js/main.js"`) {
		t.Error("the page does not ask for its assets by their hashed names")
	}
}

func TestEveryShapeThatIsUsedIsDefined(t *testing.T) {
	html := render(t, shapes())
	outcomes := []string{"captured", "reset", "lost", "ready", "held", "receipt", "answer", "request", "commit", "wait", "note"}
	for _, entry := range legend {
		outcomes = append(outcomes, entry.outcome)
	}
	for _, outcome := range outcomes {
		if n := strings.Count(html, `id="s-`+outcome+`"`); n != 1 {
			t.Errorf("%d shapes for %s", n, outcome)
		}
	}
}
