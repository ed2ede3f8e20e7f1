package ledger_test

import (
	"testing"

	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/ledger/ledgertest"
)

func open(t testing.TB, options badgerdb.Options) ledger.Store {
	t.Helper()
	options.Log = t.Logf
	store, err := ledger.OpenBadger(options)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func inMemory(t testing.TB) ledger.Store { return open(t, badgerdb.Options{InMemory: true}) }

func onDisk(t testing.TB) ledger.Store { return open(t, badgerdb.Options{Dir: t.TempDir()}) }

func TestSuiteInMemory(t *testing.T) { ledgertest.Run(t, inMemory) }

func TestSuiteOnDisk(t *testing.T) { ledgertest.Run(t, onDisk) }
