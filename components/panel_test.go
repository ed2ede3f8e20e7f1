package components

import (
	"regexp"
	"strings"
	"testing"
)

func TestThePanelNamesWhatItFollows(t *testing.T) {
	html := render(t, PanelScreen(Screen{Panel: Panel{Sides: []Side{safe}}}))
	wants(t, html, `data-live="/stage/live"`, `data-count="1"`, `data-side="safe"`, `<b>SAFE</b>: <span data-means>one key per purchase</span>`)
	lacks(t, html, `data-side="naive"`)
}

func TestASecondSideIsOnlyData(t *testing.T) {
	html := render(t, PanelScreen(Screen{Panel: Panel{Sides: []Side{naive, safe}}}))
	if strings.Index(html, `data-side="naive"`) > strings.Index(html, `data-side="safe"`) {
		t.Error("the naive side does not stand above the safe one")
	}
	wants(t, html, `data-n="naive"`, `data-n="safe"`, `data-retries="naive"`, `data-count="2"`)
	wants(t, render(t, meanings([]Side{naive, safe})), "Same clicks, two systems.", "<b>NAIVE</b>: no key.", "<b>SAFE</b>: one key per purchase.")
	lacks(t, render(t, meanings([]Side{safe})), "Same clicks")
}

func TestBeforeTheFirstEventThePanelSaysWhatToDo(t *testing.T) {
	wants(t, render(t, panel(Panel{})), "Press <b>Pay and lose the answer</b>")
	html := render(t, panel(Panel{Sentence: "One attempt: *charged once.*"}))
	wants(t, html, "One attempt: ", "<b>charged once.</b>")
	lacks(t, html, "Press <b>", "*")
}

func TestThereIsOneLiveRegion(t *testing.T) {
	html := render(t, FirstScreen(sampleScreen("text", naive, safe)))
	if n := strings.Count(html, `role="status"`) + strings.Count(html, "aria-live"); n != 1 {
		t.Errorf("%d live regions", n)
	}
}

func TestTheFourCountersOfTheStoryAreAlwaysThere(t *testing.T) {
	html := render(t, counters([]Side{safe}))
	for _, outcome := range []string{"attempt", "replay", "conflict", "busy"} {
		start := strings.Index(html, `data-outcome="`+outcome+`"`)
		if start < 0 {
			t.Fatalf("no counter for %s", outcome)
		}
		tag := html[start : start+strings.Index(html[start:], ">")]
		if strings.Contains(tag, "hidden") || !strings.Contains(tag, "data-keep") {
			t.Errorf("%s may be missing: %s", outcome, tag)
		}
	}
	wants(t, html, "409 CONFLICT", "BUSY", "retries", "#s-busy", "#s-conflict")
}

func TestRareCountersWaitForTheirFirstEvent(t *testing.T) {
	html := render(t, counters([]Side{safe}))
	start := strings.Index(html, `data-outcome="killed"`)
	if tag := html[start : start+strings.Index(html[start:], ">")]; !strings.Contains(tag, "hidden") {
		t.Errorf("killed is shown: %s", tag)
	}
}

func TestKillWorksWithoutAScript(t *testing.T) {
	wants(t, render(t, sideBand(safe, nil)), `method="post" action="/kill"`, `<input type="hidden" name="side" value="safe">`, "kill -9")
}

func TestTheNaiveSideChoosesItsMistakeWithoutAScript(t *testing.T) {
	mistakes := []Option{{ID: "no-key", Label: "no key"}, {ID: "restart-forgets", Label: "forgets claims", Selected: true}}
	html := render(t, sideBand(naive, mistakes))
	wants(t, html, `method="post" action="/mistake"`, `<option value="no-key">no key</option>`, `<option value="restart-forgets" selected>forgets claims</option>`, "<noscript><button")
	lacks(t, render(t, sideBand(safe, mistakes)), "/mistake")
	lacks(t, render(t, sideBand(naive, nil)), "/mistake")
}

func TestEachSideOffersItsGatesInTheOrderOfARequest(t *testing.T) {
	for side, want := range map[Side]string{
		safe:  "received begin claimed provider-called committed answered",
		naive: "received looked provider-called inserted answered",
	} {
		var got []string
		for _, option := range regexp.MustCompile(`<option value="([^"]+)" title="[^"]+`).FindAllStringSubmatch(render(t, armForm(side)), -1) {
			got = append(got, option[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s offers %v", side.ID, got)
		}
	}
	wants(t, render(t, armForm(naive)), `data-only="look-then-insert">looked`)
	lacks(t, render(t, armForm(safe)), "data-only")
}

func TestEveryFateIsAButtonAndEveryKeyIsOneToo(t *testing.T) {
	html := render(t, FirstScreen(Screen{Panel: Panel{Sides: []Side{safe}}}))
	for fate, key := range map[string]string{"deliver": "g", "drop": "d", "delay": "", "kill": "k", "step": "s"} {
		wants(t, html, `data-fate="`+fate+`" data-keys="`+key+`"`)
	}
	for _, key := range []string{"g", "d", "k", "s", "escape", "v", "u", "p", ". b"} {
		wants(t, html, `data-keys="`+key+`"`)
	}
	wants(t, html, `data-held`, "hidden")
}

func TestTheBooksShowReceiptsAndStock(t *testing.T) {
	html := render(t, BooksPage(Books{Sides: []BookSide{{
		Side: safe, Receipts: []ReceiptRow{{Event: "evt_1", Owner: "shop", Charge: "ch_1", Amount: "€50.00"}}, Shelf: []ShelfRow{{Owner: "shop", Receipts: 3, Stock: -3}},
	}}}))
	wants(t, html, "Shop: receipts", "evt_1", "Shop: stock", `<td class="sum">3</td>`, `<td class="sum">−3</td>`)
}

func TestEveryTableCellHasAHead(t *testing.T) {
	html := render(t, BooksPage(sampleBooks("text")))
	for table := range strings.SplitSeq(html, "<table>") {
		heads := strings.Count(table, `scope="col"`)
		for row := range strings.SplitSeq(table, "<tr") {
			cells := strings.Count(row, "<td") + strings.Count(row, `scope="row"`)
			if heads > 0 && cells > 0 && cells != heads {
				t.Errorf("%d cells under %d heads: %s", cells, heads, row)
			}
		}
	}
}

func TestAKeyWithoutARecordIsSaidPlainly(t *testing.T) {
	wants(t, render(t, KeysPage(Keys{Owner: "a", Key: "b", Missing: true})), "No record holds this key", `value="b"`)
	lacks(t, render(t, KeysPage(Keys{})), "No record holds this key", "STALE")
}

func TestAnErrorAlwaysHasAWayOn(t *testing.T) {
	wants(t, render(t, ErrorPage(Problem{Head: "No such order", Status: 404})), `href="/"`, "To the first screen", "status 404")
	html := render(t, ErrorPage(Problem{Back: Link{Label: "Back", Href: "/books"}, Code: "idempotency_key_reused"}))
	wants(t, html, `href="/books"`, "idempotency_key_reused")
}

func TestAForcedThemeIsOnTheRoot(t *testing.T) {
	wants(t, render(t, ErrorPage(Problem{Page: Page{Theme: "dark"}})), `<html lang="en" data-theme="dark"`)
	lacks(t, render(t, ErrorPage(Problem{})), "data-theme")
}
