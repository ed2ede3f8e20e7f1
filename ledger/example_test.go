package ledger_test

import (
	"context"
	"fmt"
	"log"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/ledger/ledgertest"
)

// A payment is asked for, the provider's answer is lost, and the same request
// is sent again with the same key: one charge.
func Example() {
	ctx := context.Background()
	store, err := ledger.OpenBadger(badgerdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	provider := &ledgertest.Provider{}
	provider.Script(ledgertest.Act{Silent: true}) // captures, and says nothing
	payments, err := ledger.New(ledger.Options{Store: store, Provider: provider})
	if err != nil {
		log.Fatal(err)
	}
	purchase := ledger.ChargeRequest{
		Key:         idem.Key{Owner: "shop", Value: "order-1"},
		Fingerprint: idem.NewFingerprint("POST", "/v1/charges", nil, idem.Params{"amount": "5000"}),
		Operation:   "POST /v1/charges",
		Amount:      5000, Currency: "eur", Card: "tok_visa",
	}
	for range 3 {
		result, err := payments.Charge(ctx, purchase)
		fmt.Println(result.Outcome, result.Record.Answer.Status, err != nil)
	}
	fmt.Println("captures:", len(provider.Captures()))
	if err := store.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// started 0 true
	// resumed 201 false
	// replay 201 false
	// captures: 1
}
