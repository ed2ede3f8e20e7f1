package ledger_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"chargeonce/idem"
	"chargeonce/idem/idemtest"
	"chargeonce/ledger"
	"chargeonce/ledger/ledgertest"
)

func inPlainMemory(testing.TB) ledger.Store { return ledger.OpenMemory() }

func TestSuiteInPlainMemory(t *testing.T) { ledgertest.Run(t, inPlainMemory) }

// keysOnly shows a ledger's store as nothing but a store of keys.
type keysOnly struct{ ledger.Store }

func (k keysOnly) Update(ctx context.Context, fn func(idem.Tx) error) error {
	return k.Store.Update(ctx, func(tx ledger.Tx) error { return fn(tx) })
}

func TestTheKeysOfEveryEngineKeepTheirPromise(t *testing.T) {
	for name, open := range map[string]ledgertest.Open{"memory": inPlainMemory, "badger": inMemory} {
		t.Run(name, func(t *testing.T) {
			idemtest.Run(t, func(t testing.TB) idem.Store {
				store := open(t)
				t.Cleanup(func() {
					if err := store.Close(); err != nil {
						t.Error(err)
					}
				})
				return keysOnly{store}
			})
		})
	}
}

func TestAMemoryStoreThatIsClosedSaysSo(t *testing.T) {
	store := ledger.OpenMemory()
	for range 2 {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
	update := store.Update(t.Context(), func(ledger.Tx) error { return nil })
	view := store.View(t.Context(), func(ledger.Reader) error { return nil })
	if !errors.Is(update, ledger.ErrClosed) || !errors.Is(view, ledger.ErrClosed) {
		t.Errorf("update %v, view %v", update, view)
	}
}

func TestClosingAMemoryStoreWaitsForItsTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := ledger.OpenMemory()
		leave, closed := make(chan struct{}), make(chan struct{})
		go func() {
			err := store.View(context.Background(), func(ledger.Reader) error {
				<-leave
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		go func() {
			defer close(closed)
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("closed over a view")
		default:
		}
		close(leave)
		<-closed
	})
}

func TestATransactionInMemoryEndsWithItsFunction(t *testing.T) {
	store := ledger.OpenMemory()
	var late ledger.Tx
	err := store.Update(t.Context(), func(tx ledger.Tx) error {
		late = tx
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := late.PutCharge(ledger.Charge{ID: "ch_1", Owner: "shop", Status: ledger.Pending}); err == nil {
		t.Error("written after the end")
	}
	if _, _, err := late.Charge("ch_1"); err == nil {
		t.Error("read after the end")
	}
	if _, _, err := late.InsertKey(idem.Record{Key: request("k").Key}); err == nil {
		t.Error("inserted after the end")
	}
}

func TestAWriterInMemoryThatMayNotWaitLeaves(t *testing.T) {
	store := ledger.OpenMemory()
	ctx, cancel := context.WithCancel(t.Context())
	err := store.Update(t.Context(), func(ledger.Tx) error {
		cancel()
		err := store.Update(ctx, func(ledger.Tx) error { return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
