// Package ledgertest holds what every engine and every user of a ledger is
// measured against: a suite ([Run]), an audit of the books ([Audit]), a card
// provider that misbehaves by script ([Provider]) and a clock that is set by
// hand ([Clock]).
//
// An engine runs the suite from a test of its own:
//
//	func TestLedger(t *testing.T) {
//		ledgertest.Run(t, func(t testing.TB) ledger.Store { … })
//	}
package ledgertest
