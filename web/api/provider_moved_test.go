package api

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"chargeonce/ledger"
)

// TestARedirectOfTheCardProviderIsNotFollowed: nobody else is shown an order, or
// believed that it was carried out.
func TestARedirectOfTheCardProviderIsNotFollowed(t *testing.T) {
	var asked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"id":"op_1","status":"captured","amount":5000,"currency":"eur","reference":"shop/ch_1"}`))
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		moved := httptest.NewServer(http.RedirectHandler(elsewhere.URL, status))
		cards, err := NewProvider(ProviderOptions{URL: moved.URL, Attempts: 1})
		if err != nil {
			t.Fatal(err)
		}
		order := ledger.Capture{Amount: 5000, Currency: "eur", Card: "tok_visa", Reference: "shop/ch_1"}
		_, err = cards.Capture(t.Context(), "cap_1", order)
		_, _, lookErr := cards.Lookup(t.Context(), "cap_1")
		_, backErr := cards.Refund(t.Context(), "ref_1", "op_1", 5)
		for _, err := range []error{err, lookErr, backErr} {
			if !errors.Is(err, ledger.ErrOutcomeUnknown) || reasonOf(err) != "it redirects, and is not followed" {
				t.Errorf("%d: %v", status, err)
			}
		}
		moved.Close()
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("another host was asked %d times", n)
	}
}
