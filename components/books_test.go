package components

import (
	"strings"
	"testing"
)

func TestEmptyBooksSayWhatToDo(t *testing.T) {
	html := render(t, BooksPage(Books{Sides: []BookSide{{Side: naive}, {Side: safe}}}))
	wants(t, html, "Nothing has been bought yet", `href="/"`, `href="/connect"`)
	if strings.Contains(html, "<table") {
		t.Error("there are tables of nothing")
	}
	html = render(t, BooksPage(Books{Sides: []BookSide{{Side: naive}, {Side: safe, Orders: []OrderRow{{ID: "ord_1"}}}}}))
	if strings.Contains(html, "Nothing has been bought") || strings.Count(html, `class="book-side"`) != 2 {
		t.Error("one order makes books on both sides")
	}
}

// Who does not see the filling hears the word.
func TestWrongMoneyIsFilledAndSaid(t *testing.T) {
	for _, wrong := range []bool{true, false} {
		html := render(t, BooksPage(Books{Sides: []BookSide{{
			Side: naive, Captures: []CaptureRow{{Key: "cap_1", Amount: "€50.00", Again: wrong}},
		}}}))
		filled, said := strings.Contains(html, `<b class="bad">€50.00`), strings.Contains(html, "(wrong)")
		if filled != wrong || said != wrong {
			t.Errorf("wrong %v: filled %v, said %v", wrong, filled, said)
		}
	}
}

func TestTheLedgerShowsThatItSumsToNothing(t *testing.T) {
	html := render(t, BooksPage(Books{Sides: []BookSide{{
		Side: safe, Charges: []ChargeRow{{ID: "ch_1"}},
		Balances: []BalanceRow{{Account: "owner:shop", Balance: "−€50.00"}, {Account: "provider:receivable", Balance: "€50.00"}},
		Totals:   []TotalRow{{Currency: "EUR", Sum: Figure{Text: "€0.00"}}},
	}}}))
	wants(t, html, "sum of all accounts, EUR", "€0.00")
}

func TestAKeyIsShortWithItsWholeAtHand(t *testing.T) {
	html := render(t, BooksPage(Books{Sides: []BookSide{{Side: safe, Orders: []OrderRow{{
		ID: "ord_1", Key: KeyRef{Text: "7F3A", Full: "7F3A-K2M4", Href: "/keys?owner=shop&key=7F3A-K2M4"},
	}}}}}))
	wants(t, html, `title="7F3A-K2M4"`, `>7F3A</a>`)
}

func TestAnOpenRecordKeepsItsLeaseUpToDate(t *testing.T) {
	for _, finished := range []string{"", "2026-01-01 12:00:00.000"} {
		html := render(t, KeysPage(Keys{Side: safe, Record: &Record{Owner: "shop", Key: "k", LeaseMS: 1390, Finished: finished}}))
		open := finished == ""
		if got := strings.Contains(html, `data-again`) && strings.Contains(html, "js/again.js"); got != open {
			t.Errorf("finished %q: looks again: %v", finished, got)
		}
		wants(t, html, "1.39 s")
	}
}

func TestAStoredAnswerSaysThatItIsLaidOut(t *testing.T) {
	html := render(t, KeysPage(Keys{Side: safe, Record: &Record{Key: "k", Status: 201, Bytes: 631, Body: "{\n}"}}))
	wants(t, html, "Stored answer", "631 bytes, replayed as they are")
	html = render(t, KeysPage(Keys{Side: safe, Record: &Record{Key: "k"}}))
	wants(t, html, "No answer is stored yet")
}

func TestAMissingRecordSaysWhatTheKeyWouldDo(t *testing.T) {
	html := render(t, KeysPage(Keys{Side: safe, Owner: "shop", Key: "k", Missing: true}))
	wants(t, html, "No record holds this key.", "will be STARTED")
	if strings.Contains(html, "There are no records yet") {
		t.Error("one key that is missing is taken for all")
	}
	// A process that is down has not said that there is none.
	html = render(t, KeysPage(Keys{Side: safe, Owner: "shop", Key: "k", Missing: true, Stale: true}))
	if strings.Contains(html, "No record holds this key.") {
		t.Error("nobody was asked, and the page answers")
	}
}
