package lesson

import (
	"testing"

	"chargeonce/web/control"
)

// Events of one owner's money, in the words of the boxes.
func wish(owner, scene string, amount int64) control.Event {
	return control.Event{
		Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt,
		Owner: owner, Scene: scene, Amount: amount, Currency: euro,
	}
}

func capture(owner string, amount int64) control.Event {
	return control.Event{
		Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Captured,
		Owner: owner, Amount: amount, Currency: euro,
	}
}

func booked(owner string, amount int64, status int) control.Event {
	return control.Event{
		Lane: control.LaneAPI, Kind: control.KindCommit, Status: status,
		Owner: owner, Amount: amount, Currency: euro,
	}
}

// back is money that goes back, as the box of a lane tells it.
func back(lane control.Lane, scene string, amount int64) control.Event {
	kinds := map[control.Lane]control.Kind{
		control.LaneCustomer: control.KindNote, control.LaneAPI: control.KindCommit, control.LaneProvider: control.KindProvider,
	}
	return control.Event{
		Lane: lane, Kind: kinds[lane], Outcome: control.Refunded, Owner: "a", Scene: scene, Amount: amount, Currency: euro,
	}
}

func TestMoneyIsFoldedFromEvents(t *testing.T) {
	no := wish("a", "1", 50)
	no.Kind, no.Outcome = control.KindResponse, control.Declined
	bare := wish("a", "1", 0)
	bare.Kind, bare.Outcome, bare.Currency = control.KindResponse, control.Conflict, ""
	expired, yes := no, no
	expired.Outcome = control.ResultExpired
	yes.Outcome, yes.Status = "", 201
	for name, of := range map[string]struct {
		events []control.Event
		want   string
	}{
		"a bare request's conflict":   {[]control.Event{wish("a", "1", 50), bare}, "wanted eur 50; ledger 0; captured 0; overcharged 0; unpaid eur 50"},
		"brought back":                {[]control.Event{wish("a", "1", 50), back(control.LaneCustomer, "1", 50), back(control.LaneCustomer, "1", 50)}, "wanted 0; ledger 0; captured 0; overcharged 0; unpaid 0"},
		"given back by the provider":  {[]control.Event{wish("a", "1", 50), capture("a", 50), back(control.LaneProvider, "1", 20)}, "wanted eur 50; ledger 0; captured eur 30; overcharged 0; unpaid eur 20"},
		"given back in the ledger":    {[]control.Event{wish("a", "1", 50), booked("a", 50, 201), back(control.LaneAPI, "1", 50)}, "wanted eur 50; ledger 0; captured 0; overcharged 0; unpaid eur 50"},
		"wanted back and kept":        {[]control.Event{wish("a", "1", 50), capture("a", 50), back(control.LaneCustomer, "1", 50)}, "wanted 0; ledger 0; captured eur 50; overcharged eur 50; unpaid 0"},
		"nothing yet":                 {nil, "wanted 0; ledger 0; captured 0; overcharged 0; unpaid 0"},
		"asked, not yet paid":         {[]control.Event{wish("a", "1", 50)}, "wanted eur 50; ledger 0; captured 0; overcharged 0; unpaid eur 50"},
		"a second attempt, one wish":  {[]control.Event{wish("a", "1", 50), wish("a", "1", 50)}, "wanted eur 50; ledger 0; captured 0; overcharged 0; unpaid eur 50"},
		"two orders, two wishes":      {[]control.Event{wish("a", "1", 50), wish("a", "2", 50)}, "wanted eur 100; ledger 0; captured 0; overcharged 0; unpaid eur 100"},
		"commit 1 books nothing":      {[]control.Event{wish("a", "1", 50), capture("a", 50), booked("a", 50, 0)}, "wanted eur 50; ledger 0; captured eur 50; overcharged 0; unpaid 0"},
		"commit 2 does":               {[]control.Event{wish("a", "1", 50), capture("a", 50), booked("a", 50, 201)}, "wanted eur 50; ledger eur 50; captured eur 50; overcharged 0; unpaid 0"},
		"a stored decline does not":   {[]control.Event{booked("a", 50, 402)}, "wanted 0; ledger 0; captured 0; overcharged 0; unpaid 0"},
		"captured in part":            {[]control.Event{wish("a", "1", 50), capture("a", 20)}, "wanted eur 50; ledger 0; captured eur 20; overcharged 0; unpaid eur 30"},
		"captured twice":              {[]control.Event{wish("a", "1", 50), capture("a", 50), capture("a", 50)}, "wanted eur 50; ledger 0; captured eur 100; overcharged eur 50; unpaid 0"},
		"a decline is a wish no more": {[]control.Event{wish("a", "1", 50), no}, "wanted 0; ledger 0; captured 0; overcharged 0; unpaid 0"},
		"an expired one neither":      {[]control.Event{wish("a", "1", 50), expired}, "wanted 0; ledger 0; captured 0; overcharged 0; unpaid 0"},
		"unless it was paid before":   {[]control.Event{wish("a", "1", 50), yes, wish("a", "1", 50), expired}, "wanted eur 50; ledger 0; captured 0; overcharged 0; unpaid eur 50"},
		"owners are not netted":       {[]control.Event{wish("a", "1", 50), capture("a", 100), wish("b", "1", 50)}, "wanted eur 100; ledger 0; captured eur 100; overcharged eur 50; unpaid eur 50"},
	} {
		if got := fold(of.events, nil).text(); got != of.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, of.want)
		}
	}
}

func TestBooksAreSummedByTheSameRule(t *testing.T) {
	books := Figures{Owners: map[string]control.OwnerBooks{
		"":  {Wanted: control.Sums{euro: 50}, Ledger: control.Sums{euro: 50}, Captured: control.Sums{euro: 100}},
		"b": {Wanted: control.Sums{euro: 50, "jpy": 7}, Ledger: control.Sums{}, Captured: control.Sums{"usd": 3}},
	}}
	want := "wanted eur 100, jpy 7; ledger eur 50; captured eur 100, usd 3; overcharged eur 50, usd 3; unpaid eur 50, jpy 7"
	if got := moneyOf(books, nil).text(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEveryRowNamesEveryCurrencyOfTheRun(t *testing.T) {
	events := []control.Event{wish("a", "1", 50), {Currency: "jpy"}, {}}
	money := fold(nil, currenciesOf(events))
	for name, row := range map[string]control.Sums{
		"wanted": money.Wanted, "ledger": money.Ledger, "captured": money.Captured,
		"overcharged": money.Overcharged, "unpaid": money.Unpaid,
	} {
		if _, ok := row["jpy"]; !ok || len(row) != 2 {
			t.Errorf("%s is %v, want eur and jpy at 0", name, row)
		}
	}
}

func TestAnOutcomeThatTravelsBackCountsOnce(t *testing.T) {
	second := wish("a", "1", 50)
	second.Attempt = 2
	counters, retries := tally([]control.Event{
		wish("a", "1", 50), second, capture("a", 50),
		{Lane: control.LaneAPI, Kind: control.KindDecision, Outcome: control.Busy},
		{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Busy},
		{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Silence},
		{Lane: control.LaneAPI, Kind: control.KindResponse, Outcome: control.Declined},
		{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Declined},
		{Lane: control.LaneCustomer, Kind: control.KindNote, Outcome: control.Unknown},
		{Lane: control.LaneAPI, Kind: control.KindResponse},
	})
	want := map[control.Outcome]int{control.Attempt: 2, control.Captured: 1, control.Busy: 1, control.Silence: 1, control.Declined: 1}
	if len(counters) != len(want) || retries != 1 {
		t.Errorf("got %v and %d retries, want %v and 1", counters, retries, want)
	}
	for outcome, n := range want {
		if counters[outcome] != n {
			t.Errorf("%s counts %d, want %d", outcome, counters[outcome], n)
		}
	}
}
