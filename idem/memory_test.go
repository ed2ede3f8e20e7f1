package idem_test

import (
	"context"
	"errors"
	"testing"

	"chargeonce/idem"
	"chargeonce/idem/idemtest"
)

func TestMemoryIsAStore(t *testing.T) {
	idemtest.Run(t, func(testing.TB) idem.Store { return &idem.Memory{} })
}

func TestMemoryForgetsWhatAPanicLeftBehind(t *testing.T) {
	var store idem.Memory
	func() {
		defer func() {
			if recover() != "boom" {
				t.Error("the panic did not come through")
			}
		}()
		_ = store.Update(t.Context(), func(tx idem.Tx) error {
			if _, err := idem.Begin(tx, order, after(0), terms); err != nil {
				t.Errorf("begin: %v", err)
			}
			panic("boom")
		})
	}()
	want(t, begin(t, &store, order, after(0)), idem.Started, 1, "ch_1")
}

func TestMemoryForgetsASwapThatFailed(t *testing.T) {
	var store idem.Memory
	mine := begin(t, &store, order, after(0)).Record
	failed := errors.New("the effect failed")
	err := store.Update(t.Context(), func(tx idem.Tx) error {
		if _, err := idem.Finish(tx, mine, created, after(0)); err != nil {
			return err
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Fatalf("got %v, want %v", err, failed)
	}
	want(t, begin(t, &store, order, after(1)), idem.Busy, 1, "ch_1")
}

func TestMemoryRunsNothingForACallerWhoIsGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var store idem.Memory
	err := store.Update(ctx, func(idem.Tx) error {
		t.Error("the transaction ran")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
