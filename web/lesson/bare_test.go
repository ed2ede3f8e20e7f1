package lesson

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"testing"

	"chargeonce/web/control"
)

// bareRig knows some books and answers every request alike.
type bareRig struct {
	Rig
	books  Figures
	answer Answer
	err    error
}

func (r bareRig) Figures(context.Context) (Figures, error)      { return r.books, r.err }
func (r bareRig) Send(context.Context, Request) (Answer, error) { return r.answer, r.err }

func TestABareRequestIsTheOneThatTheShopSends(t *testing.T) {
	rig := bareRig{books: Figures{Orders: []control.Order{{ID: "ord_1"}}}}
	got, err := requestOf(t.Context(), rig, only)
	want := Request{
		Method: "POST", Path: "/v1/charges", KeyOf: "order-1",
		Form: map[string]string{"amount": "5000", "currency": "eur", "source": "tok_visa", "metadata[order]": "ord_1"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	other := got.with("amount", "8000")
	if other.Form["amount"] != "8000" || len(other.Form) != 4 || got.Form["amount"] != "5000" {
		t.Errorf("%v, made of %v", other.Form, got.Form)
	}
}

func TestABareRequestNeedsTheOneOrderThatItIsFor(t *testing.T) {
	for _, orders := range [][]control.Order{nil, {{ID: "ord_1"}, {ID: "ord_2"}}} {
		if _, err := requestOf(t.Context(), bareRig{books: Figures{Orders: orders}}, only); !errors.Is(err, errOrders) {
			t.Errorf("%d orders: %v", len(orders), err)
		}
	}
	if _, err := requestOf(t.Context(), bareRig{err: errBroken}, only); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
}

func TestAnAnswerIsUsableIfItSaysWhenToComeAgain(t *testing.T) {
	busy := http.Header{"Stripe-Should-Retry": {"true"}}
	soon := http.Header{"Stripe-Should-Retry": {"true"}, "Retry-After": {"1"}}
	for name, test := range map[string]struct {
		rig  bareRig
		want error
	}{
		"created":              {bareRig{answer: Answer{Status: 201}}, nil},
		"a conflict":           {bareRig{answer: Answer{Status: 409}}, nil},
		"busy, and when":       {bareRig{answer: Answer{Status: 409, Header: soon}}, nil},
		"busy, for how long?":  {bareRig{answer: Answer{Status: 409, Header: busy}}, errNoAnswer},
		"silence":              {bareRig{}, errNoAnswer},
		"a dead connection":    {bareRig{answer: Answer{Dead: true}}, errNoAnswer},
		"it could not be sent": {bareRig{err: errBroken}, errBroken},
	} {
		if _, err := answered(t.Context(), test.rig, Request{}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

func TestARefundNamesTheOneChargeOfItsBuyer(t *testing.T) {
	bought := Purchase{Order: "order-1", Owner: "b", Amount: 50}
	mine := control.Charge{ID: "ch_2", Owner: "run_1_b", Amount: 50, Status: "succeeded"}
	others := []control.Charge{
		{ID: "ch_1", Owner: "run_1_a", Amount: 50, Status: "succeeded"},
		{ID: "ch_3", Owner: "run_1_b", Amount: 50, Status: "pending"},
		{ID: "ch_4", Owner: "run_1_b", Amount: 80, Status: "succeeded"},
	}
	got, err := refundOf(t.Context(), bareRig{books: Figures{Charges: append(others, mine)}}, bought)
	if err != nil || got.Form["charge"] != "ch_2" || got.KeyOf != "order-1" || got.Returns != "order-1" || got.Owner != "b" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := refundOf(t.Context(), bareRig{books: Figures{Charges: others}}, bought); !errors.Is(err, errOrders) {
		t.Errorf("without a charge: %v", err)
	}
	if _, err := refundOf(t.Context(), bareRig{err: errBroken}, bought); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
}
