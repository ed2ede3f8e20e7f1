package stage

import (
	"maps"
	"strings"
	"testing"
)

func TestOnlyRequestsAboutTheLessonsCartFillIt(t *testing.T) {
	for path, want := range map[string]bool{
		"/v1/carts/basket": true, "/v1/carts/basket/items/pen/increment": true, "/v1/carts/other": false, "/v1/charges": false,
	} {
		if fills(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

func TestACartIsReadBySKU(t *testing.T) {
	items, err := cartItems(strings.NewReader(`{"object":"cart","items":[{"sku":"mug","quantity":2},{"sku":"pen","quantity":1}]}`))
	if want := map[string]int64{"mug": 2, "pen": 1}; err != nil || !maps.Equal(items, want) {
		t.Errorf("%v, %v", items, err)
	}
	if items, err := cartItems(strings.NewReader(`{"items":"none"}`)); err == nil {
		t.Errorf("nonsense passes for %v", items)
	}
}
