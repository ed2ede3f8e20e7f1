package ledgertest

import (
	"testing"

	"chargeonce/ledger"
)

// Open opens an empty store for one test and may skip it. The suite closes it.
type Open func(t testing.TB) ledger.Store

// rule is one test of the suite, named by what it proves.
type rule struct {
	name  string
	proof func(t *testing.T, b *bench)
}

// Run proves on the stores that open opens that a charge is made once, and given
// back once and never beyond itself: under races, crashes, lost claims, silence and panics. After each test the books
// are audited.
func Run(t *testing.T, open func(t testing.TB) ledger.Store) {
	for _, group := range []struct {
		name  string
		rules []rule
	}{
		{"store", storeRules},
		{"keys", keyRules},
		{"races", raceRules},
		{"outcomes", outcomeRules},
		{"crashes", crashRules},
		{"lifecycle", lifecycleRules},
		{"outbox", outboxRules},
		{"refunds", refundRules},
		{"refund crashes", refundCrashRules},
		{"intents", intentRules},
		{"confirmations", confirmRules},
		{"confirmation crashes", confirmCrashRules},
		{"carts", cartRules},
		{"endpoints", endpointRules},
		{"completer", completerRules},
		{"reaper", reaperRules},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, rule := range group.rules {
				t.Run(rule.name, func(t *testing.T) { rule.proof(t, newBench(t, open)) })
			}
		})
	}
}
