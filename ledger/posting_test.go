package ledger

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestATransferBalancesInEachCurrency(t *testing.T) {
	leg := func(account string, amount int64, currency string) Leg { return Leg{account, amount, currency} }
	for name, test := range map[string]struct {
		legs []Leg
		want error
	}{
		"two legs":            {[]Leg{leg("a", 5, "eur"), leg("b", -5, "eur")}, nil},
		"a split":             {[]Leg{leg("a", 5, "eur"), leg("b", -3, "eur"), leg("c", -2, "eur")}, nil},
		"two currencies":      {[]Leg{leg("a", 5, "eur"), leg("b", -5, "eur"), leg("a", 7, "jpy"), leg("b", -7, "jpy")}, nil},
		"off by one":          {[]Leg{leg("a", 5, "eur"), leg("b", -4, "eur")}, ErrUnbalanced},
		"across currencies":   {[]Leg{leg("a", 5, "eur"), leg("b", -5, "usd")}, ErrUnbalanced},
		"one leg":             {[]Leg{leg("a", 5, "eur")}, ErrUnbalanced},
		"nothing":             {nil, ErrUnbalanced},
		"a leg of nothing":    {[]Leg{leg("a", 5, "eur"), leg("b", -5, "eur"), leg("c", 0, "eur")}, ErrUnbalanced},
		"no account":          {[]Leg{leg("", 5, "eur"), leg("b", -5, "eur")}, ErrUnbalanced},
		"an account's escape": {[]Leg{leg("a/eur", 5, "eur"), leg("b", -5, "eur")}, ErrUnbalanced},
		"no currency":         {[]Leg{leg("a", 5, ""), leg("b", -5, "")}, ErrUnbalanced},
		"a sum that wraps to 0": {
			[]Leg{leg("a", math.MaxInt64, "eur"), leg("b", math.MaxInt64, "eur"), leg("c", 2, "eur")}, ErrOverflow,
		},
	} {
		if err := (Transfer{ID: "tr_1", Legs: test.legs}).Check(); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

func TestATransferNeedsAnIDAndABoundedNumberOfLegs(t *testing.T) {
	legs := []Leg{{"a", 1, "eur"}, {"b", -1, "eur"}}
	if err := (Transfer{Legs: legs}).Check(); !errors.Is(err, ErrUnbalanced) {
		t.Errorf("without an id: %v", err)
	}
	for range MaxLegs {
		legs = append(legs, legs[0], legs[1])
	}
	if err := (Transfer{ID: "tr_1", Legs: legs}).Check(); !errors.Is(err, ErrUnbalanced) {
		t.Errorf("with %d legs: %v", len(legs), err)
	}
}

func TestAddIsExactOrRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		exact := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		got, err := add(a, b)
		switch {
		case exact.IsInt64() && (err != nil || got != exact.Int64()):
			t.Fatalf("%d + %d gave %d, %v", a, b, got, err)
		case !exact.IsInt64() && !errors.Is(err, ErrOverflow):
			t.Fatalf("%d + %d wrapped to %d", a, b, got)
		}
	})
}

func TestACaptureDebitsTheProviderAndCreditsTheOwner(t *testing.T) {
	at := time.Unix(7, 0)
	got := captureTransfer(Charge{ID: "ch_1", Owner: "shop", Amount: 5000, Currency: "eur"}, at)
	if err := got.Check(); err != nil {
		t.Fatal(err)
	}
	want := []Leg{{"provider:receivable", 5000, "eur"}, {"owner:shop", -5000, "eur"}}
	if got.Legs[0] != want[0] || got.Legs[1] != want[1] || got.ID != "tr_ch_1" || !got.At.Equal(at) {
		t.Errorf("got %+v", got)
	}
}

func TestTotalsRefuseToWrap(t *testing.T) {
	o := Owner{Name: "shop", Charged: map[string]int64{"eur": math.MaxInt64}}
	if _, err := o.with(Charge{Status: Succeeded, Amount: 1, Currency: "eur"}, 1); !errors.Is(err, ErrOverflow) {
		t.Errorf("got %v", err)
	}
	if o.Charged["eur"] != math.MaxInt64 {
		t.Error("the old totals were changed in place")
	}
}

func TestTotalsCountRefundsOut(t *testing.T) {
	o, err := Owner{Name: "shop"}.with(Charge{Status: Succeeded, Amount: 100, AmountRefunded: 30, Currency: "eur"}, 1)
	if err != nil || o.Charged["eur"] != 70 || o.Succeeded != 1 {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestErrorsOfTransfersNameTheTransfer(t *testing.T) {
	err := Transfer{ID: "tr_9", Legs: []Leg{{"a", 5, "eur"}, {"b", -4, "eur"}}}.Check()
	if err == nil || !strings.Contains(err.Error(), "tr_9") {
		t.Errorf("got %v", err)
	}
}
