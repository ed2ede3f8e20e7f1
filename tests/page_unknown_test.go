package tests

import (
	"net/http"
	"strings"
	"testing"

	"chargeonce/web/control"
)

// formKey is the key that the checkout's form would send.
func (b *tab) formKey() string {
	b.t.Helper()
	return eval[string](b, `document.querySelector('[data-checkout] input[name="key"]').value`)
}

// TestATimeoutOnThePageIsNotAFailureAndKeepsItsKey loses every answer of a
// payment. The customer is told that it may have gone through, and whatever is
// clicked then is the same order under the same key.
func TestATimeoutOnThePageIsNotAFailureAndKeepsItsKey(t *testing.T) { // P06, D07
	_, c := startStage(t, t.TempDir())
	b := openTab(t, c.base, "/", 1280, 720)
	b.awaitText("body", "Pay normally")
	key := b.formKey()
	var fault struct{ ID string }
	c.post("/stage/faults", control.Fault{
		Boundary: "api", Side: control.Safe, Kind: "lose-response", How: "silent", Attempts: 100,
	}, http.StatusCreated, &fault)
	b.press("Pay normally")
	const unknown = "may have gone through. We are checking; do not pay again."
	b.awaitText("[data-checkout] .notice", unknown)
	c.chargedOnce("shop") // it has: the page must not say that it failed
	b.press("Pay normally")
	c.awaitCount(control.Silence, 2)
	b.awaitText("[data-checkout] .notice", unknown)
	if told := b.text("[data-checkout] .notice"); strings.Contains(strings.ToLower(told), "fail") || strings.Contains(told, "declined") {
		t.Errorf("the customer is told: %s", told)
	}
	if now := b.formKey(); now != key {
		t.Errorf("the form has the key %s, it had %s", now, key)
	}
	c.disarm(fault.ID)
	b.awaitSafePaid()
	eventually(t, "the page counts the replay", func() (bool, any) {
		shown := b.text(counter("replay"))
		return shown != "" && shown != "0", shown
	})
	c.chargedOnce("shop")
	for _, e := range eventsUpTo(t, c.follow(0), c.state().Seq) {
		if e.Side == control.Safe && e.Lane == control.LaneShop && e.Kind == control.KindRequest && e.Key != key {
			t.Errorf("the shop sent the key %s, the order's is %s", e.Key, key)
		}
	}
}

// disarm takes a fault back.
func (c *stageClient) disarm(id string) {
	c.t.Helper()
	request, err := http.NewRequest(http.MethodDelete, c.base+"/stage/faults/"+id, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	response, err := c.http.Do(request)
	c.decode(response, err, http.StatusNoContent, nil)
}
