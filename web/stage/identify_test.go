package stage

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"chargeonce/web/control"
	"chargeonce/web/shop"
)

func TestARequestIsItsOwnersAndItsKeys(t *testing.T) {
	safe := &system{options: systemOptions{Side: control.Safe}}
	for _, test := range []struct {
		authorization, key string
		owner, want        string
	}{
		{"Bearer sk_test_you", "order-1", "you", "order-1"},
		{"Bearer sk_test_you", `"order-1"`, "you", "order-1"}, // the draft's quoted form
		{"Bearer sk_test_you", "", "you", ""},
		{"Bearer sk_live_you", "order-1", "", ""},
		{"Bearer sk_test_you", "4242-4242-4242-4242", "you", ""}, // a card number is nobody's to note
		{"Bearer sk_test_4242424242424242", "order-1", "", ""},
		{"", "order-1", "", ""},
	} {
		r := httptest.NewRequest(http.MethodPost, "/v1/charges", nil)
		if test.authorization != "" {
			r.Header.Set("Authorization", test.authorization)
		}
		if test.key != "" {
			r.Header.Set("Idempotency-Key", test.key)
		}
		if owner, key := safe.identifyRequest(r, nil); owner != test.owner || key != test.want {
			t.Errorf("%q %q: owner %q key %q", test.authorization, test.key, owner, key)
		}
	}
}

func TestAKeylessPurchaseIsKnownByItsOrder(t *testing.T) {
	naive := &system{options: systemOptions{Side: control.Naive, Mistake: Mistake{ID: "no-key", Keyless: true}}}
	order := shop.Draft(5000, "eur", "tok_visa")
	r := httptest.NewRequest(http.MethodPost, "/v1/charges", nil)
	r.Header.Set("Authorization", "Bearer sk_test_shop")
	body := url.Values{"metadata[order]": {order.ID}}.Encode()
	if owner, key := naive.identifyRequest(r, []byte(body)); owner != "shop" || key != naive.aim(order) {
		t.Errorf("owner %q, key %q, aimed at %q", owner, key, naive.aim(order))
	}
}

func TestALookUpAtTheProviderIsItsOwners(t *testing.T) {
	memory := newOwnerMemory()
	capture := httptest.NewRequest(http.MethodPost, "/captures", nil)
	capture.Header.Set("Idempotency-Key", "cap_1")
	if owner, key := memory.identifyCapture(capture, []byte(`{"reference":"you/ch_1"}`)); owner != "you" || key != "cap_1" {
		t.Errorf("capture: %q %q", owner, key)
	}
	lookup := httptest.NewRequest(http.MethodGet, "/operations?key=cap_1", nil)
	if owner, key := memory.identifyCapture(lookup, nil); owner != "you" || key != "cap_1" {
		t.Errorf("look-up: %q %q", owner, key)
	}
	for i := range 2 * maxRemembered {
		memory.remember(fmt.Sprint("cap", i), "you")
	}
	if len(memory.owners) != maxRemembered || len(memory.keys) != maxRemembered {
		t.Errorf("the memory grew to %d", len(memory.owners))
	}
}
