package idemtest

import (
	"fmt"
	"testing"

	"chargeonce/idem"
)

func swapNeedsTheFence(t testing.TB, store idem.Store) {
	mine := held(order, "ch_1")
	if swap(t, store, mine, 1) {
		t.Error("a record was swapped that was never inserted")
	}
	put(t, store, mine)
	for _, fence := range []uint64{0, 2, 1 << 63} {
		if swap(t, store, under(mine, 3), fence) {
			t.Errorf("a swap under fence %d went through, the stored one is 1", fence)
		}
	}
	same(t, read(t, store, order), mine)

	next := under(mine, 2)
	next.Point = "provider_called"
	if !swap(t, store, next, 1) {
		t.Error("a swap under the stored fence was refused")
	}
	same(t, read(t, store, order), next)
	if swap(t, store, done(mine), 1) {
		t.Error("a swap under the fence of the past went through")
	}
	if !swap(t, store, done(next), 2) {
		t.Error("the holder's own swap was refused")
	}
	same(t, read(t, store, order), done(next))
}

func swapHasOneWinner(t testing.TB, store idem.Store) {
	put(t, store, held(order, "ch_0"))
	var won [crowd]bool
	together(func(n int) {
		next := under(held(order, fmt.Sprintf("ch_%d", n)), 2)
		err := store.Update(t.Context(), func(tx idem.Tx) (err error) {
			won[n], err = tx.SwapKey(next, 1)
			return err
		})
		if err != nil {
			t.Errorf("swap %d: %v", n, err)
		}
	})
	winners, winner := 0, read(t, store, order).Resource
	for n := range crowd {
		if !won[n] {
			continue
		}
		winners++
		if want := fmt.Sprintf("ch_%d", n); want != winner {
			t.Errorf("%q was told that it won, but %q did", want, winner)
		}
	}
	if winners != 1 {
		t.Errorf("%d swaps from one fence won, want 1", winners)
	}
}

func reopenedOnlyUnderAHigherFence(t testing.TB, store idem.Store) {
	for n, free := range []func(idem.Record) idem.Record{done, released} {
		key := idem.Key{Owner: "shop", Value: fmt.Sprintf("order-%d", n)}
		put(t, store, held(key, "ch_1"))
		if !swap(t, store, free(held(key, "ch_1")), 1) {
			t.Error("the holder could not give its claim back")
		}
		if swap(t, store, held(key, "ch_1"), 1) {
			t.Error("a late write under the old fence reopened the record")
		}
		same(t, read(t, store, key), free(held(key, "ch_1")))
		if !swap(t, store, under(held(key, "ch_2"), 2), 1) {
			t.Error("the next fence could not take the record over")
		}
		same(t, read(t, store, key), under(held(key, "ch_2"), 2))
	}
}
