package stage

import (
	"reflect"
	"testing"

	"chargeonce/web/control"
	"chargeonce/web/shop"
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
	b := books{
		wanted:   map[string]control.Sums{"shop": {"eur": 5000}},
		ledger:   control.LedgerBooks{Owners: map[string]control.LedgerOwner{"you": {Charged: control.Sums{"eur": 700}, Charges: 1}}},
		captured: map[string]map[string]int64{"you": {"eur": 700}, "shop": {"eur": 5000}},
		captures: map[string]int{"you": 1, "shop": 1},
		shelf:    map[string]shop.Stock{"shop": {Receipts: 1, Stock: -1}},
	}
	owners := settle(b, wires{api: map[string]int{"you": 3, "": 9}, provider: map[string]int{"you": 1}, webhook: map[string]int{"shop": 2}})
	you := owners["you"]
	if you.Wanted != nil || you.Overcharged != nil || you.Unpaid != nil {
		t.Errorf("an outside owner has a wish: %+v", you)
	}
	if you.Wire.API != 3 || you.Wire.Provider != 1 || you.Charges != 1 || you.Captures != 1 || you.Captured["eur"] != 700 {
		t.Errorf("you: %+v", you)
	}
	shop := owners["shop"]
	if shop.Wanted["eur"] != 5000 || shop.Unpaid["eur"] != 0 || shop.Overcharged["eur"] != 0 {
		t.Errorf("shop: %+v", shop)
	}
	if shop.Receipts != 1 || shop.Stock != -1 || shop.Wire.Webhook != 2 {
		t.Errorf("shop: %+v", shop)
	}
	if _, found := owners[""]; found {
		t.Error("requests without a credential got books")
	}
}

func TestAShopHasBooksBeforeItsFirstOrder(t *testing.T) {
	owners := settle(books{wanted: map[string]control.Sums{"shop": {}}}, wires{})
	shop, found := owners["shop"]
	if !found || shop.Ledger == nil || shop.Captured == nil || shop.Wanted == nil {
		t.Errorf("owners: %+v", owners)
	}
}
