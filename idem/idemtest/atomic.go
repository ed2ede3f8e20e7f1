package idemtest

import (
	"context"
	"errors"
	"testing"

	"chargeonce/idem"
)

var errEffect = errors.New("idemtest: the effect failed")

func errorRollsBack(t testing.TB, store idem.Store) {
	err := store.Update(t.Context(), func(tx idem.Tx) error {
		if _, inserted, err := tx.InsertKey(held(order, "ch_1")); err != nil || !inserted {
			t.Errorf("insert: inserted %v, error %v", inserted, err)
		}
		return errEffect
	})
	if !errors.Is(err, errEffect) {
		t.Errorf("the function's error came back as %v", err)
	}
	put(t, store, held(order, "ch_2"))

	err = store.Update(t.Context(), func(tx idem.Tx) error {
		if swapped, err := tx.SwapKey(done(held(order, "ch_2")), 1); err != nil || !swapped {
			t.Errorf("swap: swapped %v, error %v", swapped, err)
		}
		return errEffect
	})
	if !errors.Is(err, errEffect) {
		t.Errorf("the function's error came back as %v", err)
	}
	same(t, read(t, store, order), held(order, "ch_2"))
}

func panicRollsBack(t testing.TB, store idem.Store) {
	func() {
		defer func() {
			if value := recover(); value != errEffect {
				t.Errorf("the panic came through as %v", value)
			}
		}()
		err := store.Update(t.Context(), func(tx idem.Tx) error {
			if _, inserted, err := tx.InsertKey(held(order, "ch_1")); err != nil || !inserted {
				t.Errorf("insert: inserted %v, error %v", inserted, err)
			}
			panic(errEffect)
		})
		t.Errorf("a panic became the error %v", err)
	}()
	put(t, store, held(order, "ch_2")) // and nothing is locked
}

func goneCallerRunsNothing(t testing.TB, store idem.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := store.Update(ctx, func(tx idem.Tx) error {
		t.Error("the transaction ran")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}
