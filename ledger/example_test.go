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

// A refund is asked for twice under two keys, and only one fits.
func ExampleLedger_Refund() {
	ctx := context.Background()
	payments, err := ledger.New(ledger.Options{Store: ledger.OpenMemory(), Provider: &ledgertest.Provider{}})
	if err != nil {
		log.Fatal(err)
	}
	paid, err := payments.Charge(ctx, ledger.ChargeRequest{
		Key:         idem.Key{Owner: "shop", Value: "order-1"},
		Fingerprint: idem.NewFingerprint("POST", "/v1/charges", nil, idem.Params{"amount": "100"}),
		Amount:      100, Currency: "eur", Card: "tok_visa",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, key := range []string{"return-1", "return-2", "return-1"} {
		result, err := payments.Refund(ctx, ledger.RefundRequest{
			Key:         idem.Key{Owner: "shop", Value: key},
			Fingerprint: idem.NewFingerprint("POST", "/v1/refunds", nil, idem.Params{"charge": paid.Charge, "amount": "60"}),
			Charge:      paid.Charge, Amount: 60,
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(key, result.Outcome, result.Record.Answer.Status)
	}
	// Output:
	// return-1 started 201
	// return-2 started 400
	// return-1 replay 201
}
