package idem_test

import (
	"context"
	"fmt"
	"time"

	"chargeonce/idem"
)

// payment is a shop's request to take some cents from a card, under the key
// that the shop minted for this purchase.
func payment(cents string) idem.Claim {
	return idem.Claim{
		Key:         idem.Key{Owner: "shop", Value: "purchase-7F3A"},
		Fingerprint: idem.NewFingerprint("POST", "/v1/charges", nil, idem.Params{"amount": cents, "currency": "eur"}),
		Operation:   "POST /v1/charges",
		Resource:    "ch_1",
	}
}

// ask begins in a transaction of its own. A real store writes the pending
// charge in the same one.
func ask(store idem.Store, claim idem.Claim, now idem.Now) (decision idem.Decision, err error) {
	err = store.Update(context.Background(), func(tx idem.Tx) (err error) {
		decision, err = idem.Begin(tx, claim, now, idem.Terms{})
		return err
	})
	return decision, err
}

// The life of one key, from the first request to the replay.
func Example() {
	var store idem.Memory
	now := idem.At(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), 0)
	say := func(who string, decision idem.Decision, err error) {
		if err != nil {
			fmt.Println(who, err)
			return
		}
		fmt.Printf("%s: %s (%s)\n", who, decision.Outcome, decision.Reason)
	}

	first, err := ask(&store, payment("5000"), now)
	say("first", first, err)
	again, err := ask(&store, payment("5000"), now)
	say("again", again, err)
	other, err := ask(&store, payment("8000"), now)
	say("other", other, err)

	// The charge is made; its answer is stored in the transaction that books it.
	err = store.Update(context.Background(), func(tx idem.Tx) error {
		answer := idem.Answer{Status: 201, Body: []byte(`{"id":"ch_1"}`)}
		_, err := idem.Finish(tx, first.Record, answer, now)
		return err
	})
	if err != nil {
		fmt.Println("finish:", err)
	}

	replay, err := ask(&store, payment("5000"), now)
	say("retry", replay, err)
	fmt.Println("stored:", replay.Record.Answer.Status, string(replay.Record.Answer.Body))

	// Output:
	// first: started (the key is new)
	// again: busy (another attempt holds the key; its lease ends in 30s)
	// other: conflict (the key belongs to another request; this one differs in amount)
	// retry: replay (done: the stored 201 goes out again)
	// stored: 201 {"id":"ch_1"}
}
