package lesson

import (
	"testing"

	"chargeonce/web/control"
)

func TestAFigureOfSeveralOwnersIsReadInTheirOrder(t *testing.T) {
	books := Figures{Owners: map[string]control.OwnerBooks{"a": {Captures: 1}, "c": {Captures: 2}}}
	got := of(books, []string{"c", "b", "a"}, func(b control.OwnerBooks) int { return b.Captures })
	if got != "2 0 1" {
		t.Errorf("got %q", got)
	}
}

func TestRecordsAreDoneOnlyIfAllOfThemAre(t *testing.T) {
	for name, test := range map[string]struct {
		states []string
		want   bool
	}{
		"both done":     {[]string{"done", "done"}, true},
		"one at work":   {[]string{"done", "claimed"}, false},
		"one too few":   {[]string{"done"}, false},
		"one too many":  {[]string{"done", "done", "done"}, false},
		"none":          {nil, false},
		"one more open": {[]string{"done", "done", "provider_called"}, false},
	} {
		var books Figures
		for _, state := range test.states {
			books.Records = append(books.Records, control.KeyRecord{State: state})
		}
		var c checks
		if c.done(books, 2); c.all[0].Held != test.want {
			t.Errorf("%s: %+v", name, c.all[0])
		}
	}
}

func TestACaptureIsKnownByTheKeyThatTheLedgerHolds(t *testing.T) {
	books := Figures{
		Charges: []control.Charge{{ProviderKey: "cap_1"}, {ProviderKey: "cap_2"}},
		Captures: []control.Capture{
			{Key: "cap_1", Status: "captured"}, {Key: "cap_2", Status: "declined"}, {Key: "cap_9", Status: "captured"},
		},
	}
	var c checks
	if c.ledgersKey(books, 1); !c.all[0].Held {
		t.Errorf("%+v", c.all[0])
	}
	if c.ledgersKey(books, 2); c.all[1].Held {
		t.Errorf("%+v", c.all[1])
	}
}

func TestAnOrderIsPaidOnlyByItsOwnBuyersCharge(t *testing.T) {
	books := Figures{
		Charges: []control.Charge{{ID: "ch_1", Owner: "a"}, {ID: "ch_2", Owner: "b"}},
		Orders: []control.Order{
			{Owner: "a", Charge: "ch_1", State: Paid},
			{Owner: "b", Charge: "ch_1", State: Paid},
			{Owner: "b", Charge: "ch_2", State: Refused},
			{Owner: "b", State: "open"},
		},
	}
	if n := paidOrders(books); n != 2 {
		t.Errorf("%d orders are paid, want 2", n)
	}
	var c checks
	if c.ownCharges(books, 1); !c.all[0].Held {
		t.Errorf("%+v", c.all[0])
	}
}

func TestAnOrderIsPaidInFullByAChargeOfItsAmount(t *testing.T) {
	books := Figures{
		Charges: []control.Charge{{ID: "ch_1", Amount: 50}},
		Orders: []control.Order{
			{Charge: "ch_1", Amount: 50, State: Paid},
			{Charge: "ch_1", Amount: 80, State: Paid},
			{Charge: "ch_1", Amount: 50, State: Refused},
			{Amount: 50, State: Paid},
		},
		Captures: []control.Capture{{Status: "captured"}, {Status: "refunded"}, {Status: "declined"}},
	}
	var c checks
	if c.fullyPaid(books, 1); !c.all[0].Held {
		t.Errorf("%+v", c.all[0])
	}
	if n := refunds(books); n != 1 {
		t.Errorf("%d refunds, want 1", n)
	}
}

func TestTheOneRefusalNamesWhatItIsFor(t *testing.T) {
	refused := func(reasons ...string) (books Figures) {
		for _, reason := range reasons {
			books.Orders = append(books.Orders, control.Order{State: Refused, Reason: reason})
		}
		books.Orders = append(books.Orders, control.Order{State: Paid, Reason: "differs in amount"})
		return books
	}
	for name, test := range map[string]struct {
		books Figures
		want  string
	}{
		"the amount":      {refused("This key's request differs in amount."), "amount"},
		"something else":  {refused("It differs in currency."), `["It differs in currency."]`},
		"nothing refused": {refused(), "[]"},
		"two of them":     {refused("differs in amount", "differs in amount"), `["differs in amount" "differs in amount"]`},
	} {
		if got := refusedFor(test.books, "amount"); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}
