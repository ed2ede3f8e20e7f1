package stage

import (
	"strings"
	"testing"
	"time"

	"chargeonce/components"
	"chargeonce/web/control"
	"chargeonce/web/provider"
	"chargeonce/web/shop"
)

func TestMoneyIsWrongWhereItIsMoreThanWasWanted(t *testing.T) {
	row := moneyRow("shop", "eur", control.OwnerBooks{
		Wanted: control.Sums{"eur": 5000}, Ledger: control.Sums{"eur": 5000}, Captured: control.Sums{"eur": 10000},
		Overcharged: control.Sums{"eur": 5000}, Unpaid: control.Sums{"eur": 0},
	})
	if row.Ledger.Wrong || !row.Captured.Wrong || !row.Overcharged.Wrong || row.Captured.Text != "€100.00" {
		t.Errorf("%+v", row)
	}
	outside := moneyRow("you", "eur", control.OwnerBooks{Captured: control.Sums{"eur": 10000}})
	if outside.Captured.Wrong || outside.Wanted != "" || outside.Overcharged.Text != "" {
		t.Errorf("nobody knows what was wanted: %+v", outside)
	}
}

func TestTheVerdictNamesTheMoney(t *testing.T) {
	for _, test := range []struct {
		books control.OwnerBooks
		says  string
		wrong bool
	}{
		{control.OwnerBooks{}, "", false},
		{control.OwnerBooks{Overcharged: control.Sums{"eur": 5000, "jpy": 0}, Captured: control.Sums{"eur": 10000}}, "€50.00 too much", true},
		{control.OwnerBooks{Unpaid: control.Sums{"eur": 5000}}, "€50.00 still to pay, or nobody knows yet", false},
		{control.OwnerBooks{Captured: control.Sums{"eur": 5000}}, "what they wanted", false},
	} {
		text, wrong := verdict(test.books)
		if !strings.Contains(text, test.says) || (text == "") != (test.says == "") || wrong != test.wrong {
			t.Errorf("%+v: %q, wrong %v", test.books, text, wrong)
		}
	}
}

// twice is one order that was captured by two charges and one that was not.
func twice() (papers, []provider.Operation) {
	at := time.Now()
	capture := func(charge, status string) provider.Operation {
		return provider.Operation{Key: "cap_" + charge, Reference: "shop/" + charge, Amount: 5000, Currency: "eur", Status: status, Seen: 1, At: at}
	}
	receipt := func(charge string) shop.Receipt {
		return shop.Receipt{Event: "evt_" + charge, Owner: "shop", Order: "ord_1", Charge: charge, Amount: 5000, Currency: "eur", At: at}
	}
	return papers{
		orders:   []shop.Order{{ID: "ord_2", Owner: "shop", Key: "k2", Charge: "ch_3"}, {ID: "ord_1", Owner: "shop", Key: "k1", Charge: "ch_2"}},
		receipts: []shop.Receipt{receipt("ch_2"), receipt("ch_1")},
	}, []provider.Operation{capture("ch_3", provider.StatusDeclined), capture("ch_2", provider.StatusCaptured), capture("ch_1", provider.StatusCaptured)}
}

func TestTheSecondCaptureOfAPurchaseIsTheWrongOne(t *testing.T) {
	shop, book := twice()
	rows := captureRows(book, shop)
	if len(rows) != 3 || rows[0].Again || !rows[1].Again || rows[2].Again {
		t.Errorf("newest first, want the middle one: %+v", rows)
	}
	again := book[2]
	again.Key = "another key" // the same charge, captured under a fresh provider key
	if rows := captureRows([]provider.Operation{again, book[2]}, papers{}); !rows[0].Again {
		t.Errorf("one charge was captured twice: %+v", rows)
	}
}

func TestTheSecondReceiptOfAnOrderIsTheWrongOne(t *testing.T) {
	papers, _ := twice()
	papers.receipts = append(papers.receipts, shop.Receipt{Event: "evt_a", Owner: "you"}, shop.Receipt{Event: "evt_b", Owner: "you"})
	rows := receiptRows(papers)
	if !rows[0].Again || rows[1].Again || rows[2].Again || rows[3].Again {
		t.Errorf("%+v", rows)
	}
}

func TestAnOrderCountsItsCaptures(t *testing.T) {
	shop, book := twice()
	rows := orderRows(shop, control.LedgerBooks{}, book, keyPrinter{control.Safe})
	if rows[0].Captures != (components.Figure{Text: "0"}) || rows[1].Captures != (components.Figure{Text: "2", Wrong: true}) {
		t.Errorf("%+v", rows)
	}
}

func TestOnTheNaiveSideAKeyLeadsOnlyToARecordThatIsThere(t *testing.T) {
	shop, book := twice()
	ledger := control.LedgerBooks{Owners: map[string]control.LedgerOwner{"shop": {List: []control.Charge{{Owner: "shop", Key: "k1"}}}}}
	rows := orderRows(shop, ledger, book, keyPrinter{control.Naive})
	if rows[0].Key.Href != "" || rows[1].Key.Href != "/keys?key=k1&owner=shop&side=naive" {
		t.Errorf("%+v", rows)
	}
	if rows := orderRows(shop, control.LedgerBooks{}, nil, keyPrinter{control.Safe}); rows[0].Key.Href != "/keys?key=k2&owner=shop" {
		t.Errorf("safe: %+v", rows)
	}
}

func TestAMadeUpKeyIsPrintedByItsNameAndLeadsNowhere(t *testing.T) {
	random := strings.Repeat("A2", 13) + "~"
	for _, test := range []struct {
		side control.Side
		key  string
		want components.KeyRef
	}{
		{control.Naive, random + "none", components.KeyRef{Text: "no key"}},
		{control.Naive, random + "7F3A", components.KeyRef{Text: "7F3A"}},
		{control.Naive, "k1", components.KeyRef{Text: "k1", Full: "k1", Href: "/keys?key=k1&owner=shop&side=naive"}},
		{control.Safe, "order-2026-0001", components.KeyRef{Text: "…0001", Full: "order-2026-0001", Href: "/keys?key=order-2026-0001&owner=shop"}},
	} {
		if got := (keyPrinter{test.side}).recorded("shop", test.key); got != test.want {
			t.Errorf("%s %s: %+v, want %+v", test.side, test.key, got, test.want)
		}
	}
	made := (keyPrinter{control.Safe}).recorded("shop", random+"none")
	if made.Href == "" || made.Full != random+"none" {
		t.Errorf("the safe side makes no keys up, so somebody sent this: %+v", made)
	}
}

func TestTheLedgerIsWrongWhereItDoesNotSumToNothing(t *testing.T) {
	rows := totalRows(control.LedgerBooks{Balances: map[string]control.Sums{
		"owner:shop": {"eur": -5000, "jpy": -500}, "provider:receivable": {"eur": 5000, "jpy": 400},
	}})
	if len(rows) != 2 || rows[0].Sum != (components.Figure{Text: "€0.00"}) || !rows[1].Sum.Wrong || rows[1].Currency != "JPY" {
		t.Errorf("%+v", rows)
	}
}

func TestATimeOfTodayNeedsNoDate(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	if got := hour(now.Add(-time.Hour).UnixMilli(), now); got != "11:00:00.000" {
		t.Error(got)
	}
	if got := hour(now.Add(-24*time.Hour).UnixMilli(), now); got != "2026-02-28 12:00:00.000" {
		t.Error(got)
	}
	if got := hour(0, now); got != "" {
		t.Error(got)
	}
}

func TestAnAnswerIsLaidOutAndNeverChanged(t *testing.T) {
	record := recordView(control.KeyRecord{
		Key: "k", Body: `{"amount":9007199254740993}` + "\n", CreatedMS: 1000,
		History: []control.KeyHistory{{AtMS: 1209, What: "done"}},
	}, keyPrinter{control.Safe})
	if record.Bytes != 28 || !strings.Contains(record.Body, "\n  \"amount\": 9007199254740993\n") || record.History[0].At != "+209 ms" {
		t.Errorf("%+v", record)
	}
	if got := laidOut("<html>"); got != "<html>" {
		t.Error(got)
	}
}
