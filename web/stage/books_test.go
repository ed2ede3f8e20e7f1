package stage

import (
	"reflect"
	"testing"

	"chargeonce/web/control"
)

func TestMoneyIsComparedInEachCurrencyWithoutNetting(t *testing.T) {
	wanted := control.Sums{"eur": 5000, "jpy": 500}
	captured := control.Sums{"eur": 10000, "kwd": 12345}
	overcharged, unpaid := compare(wanted, captured)
	if want := (control.Sums{"eur": 5000, "jpy": 0, "kwd": 12345}); !reflect.DeepEqual(overcharged, want) {
		t.Errorf("overcharged %v, want %v", overcharged, want)
	}
	if want := (control.Sums{"eur": 0, "jpy": 500, "kwd": 0}); !reflect.DeepEqual(unpaid, want) {
		t.Errorf("unpaid %v, want %v", unpaid, want)
	}
}

func TestNobodyKnowsWhatAnOutsideOwnerWanted(t *testing.T) {
	books := threeBooks{
		wanted:   control.Sums{"eur": 5000},
		ledger:   control.LedgerBooks{Owners: map[string]control.LedgerOwner{"you": {Charged: control.Sums{"eur": 700}, Charges: 1}}},
		captured: map[string]map[string]int64{"you": {"eur": 700}, "shop": {"eur": 5000}},
		captures: map[string]int{"you": 1, "shop": 1},
	}
	owners := settle("shop", books, map[string]int{"you": 3, "": 9}, map[string]int{"you": 1})
	you := owners["you"]
	if you.Wanted != nil || you.Overcharged != nil || you.Unpaid != nil {
		t.Errorf("an outside owner has a wish: %+v", you)
	}
	if you.Wire.API != 3 || you.Wire.Provider != 1 || you.Charges != 1 || you.Captures != 1 || you.Captured["eur"] != 700 {
		t.Errorf("you: %+v", you)
	}
	if shop := owners["shop"]; shop.Wanted["eur"] != 5000 || shop.Unpaid["eur"] != 0 || shop.Overcharged["eur"] != 0 {
		t.Errorf("shop: %+v", shop)
	}
	if _, found := owners[""]; found {
		t.Error("requests without a credential got books")
	}
}

func TestTheShopHasBooksBeforeItsFirstOrder(t *testing.T) {
	owners := settle("shop", threeBooks{wanted: control.Sums{}}, nil, nil)
	shop, found := owners["shop"]
	if !found || shop.Ledger == nil || shop.Captured == nil || shop.Wanted == nil {
		t.Errorf("owners: %+v", owners)
	}
}
