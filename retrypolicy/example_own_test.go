package retrypolicy_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"chargeonce/retrypolicy"
)

// client is one for the whole program: budget and breaker are shared by all of
// its calls.
var client = &retrypolicy.Client{Budget: new(retrypolicy.Budget), Breaker: new(retrypolicy.Breaker)}

// pay is the whole of it: the README shows these lines.
func pay(ctx context.Context, url, orderID string) (*retrypolicy.Response, error) {
	form := strings.NewReader("amount=5000&currency=eur&source=tok_visa")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/charges", form)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer sk_test_you")
	req.Header.Set("Idempotency-Key", retrypolicy.KeyFor("shop/charge", orderID))
	return client.Do(req) // an error means: outcome unknown, ask again with the same key
}

// In a client of your own: one Client for the program, a key that is derived
// from the order, and nothing else.
func Example_yourOwnClient() {
	server := httptest.NewServer(flaky())
	defer server.Close()
	resp, err := pay(context.Background(), server.URL, "7F3A")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d on attempt %d\n", resp.Status, resp.Attempts)
	// Output: 201 on attempt 2
}

// Under an SDK: whatever takes an http.Client takes this one. The SDK must
// send an Idempotency-Key of its own, the same on each of its own attempts.
func ExampleClient_RoundTrip() {
	server := httptest.NewServer(flaky())
	defer server.Close()
	sdk := &http.Client{Transport: &retrypolicy.Client{}}

	req, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader("amount=5000"))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", retrypolicy.NewKey())
	resp, err := sdk.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	fmt.Println(resp.Status)
	// Output: 201 Created
}
