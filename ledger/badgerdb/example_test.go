package badgerdb_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

// The record of a key and the effect that it protects are written by one
// transaction, so that a crash leaves both or neither.
func Example() {
	db, err := badgerdb.Open(badgerdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()

	key := idem.Key{Owner: "shop", Value: "order-1"}
	print := idem.NewFingerprint("POST", "/v1/charges", nil, idem.Params{"amount": "5000"})
	for _, charge := range []string{"ch_1", "ch_2"} {
		var decision idem.Decision
		err := db.Update(context.Background(), func(tx *badgerdb.Tx) (err error) {
			claim := idem.Claim{Key: key, Fingerprint: print, Operation: "POST /v1/charges", Resource: charge}
			decision, err = idem.Begin(tx, claim, idem.At(time.Now(), 0), idem.Terms{})
			if err != nil || !decision.Outcome.Holds() {
				return err
			}
			return badgerdb.SetJSON(tx, "charge/"+charge, "pending")
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(decision.Outcome, decision.Record.Resource)
	}
	// Output:
	// started ch_1
	// busy ch_1
}
