package idemtest

import (
	"fmt"
	"strings"
	"testing"

	"chargeonce/idem"
)

func insertHasOneWinner(t testing.TB, store idem.Store) {
	var holders [crowd]string
	var won [crowd]bool
	together(func(n int) {
		err := store.Update(t.Context(), func(tx idem.Tx) error {
			holder, inserted, err := tx.InsertKey(held(order, fmt.Sprintf("ch_%d", n)))
			holders[n], won[n] = holder.Resource, inserted
			return err
		})
		if err != nil {
			t.Errorf("insert %d: %v", n, err)
		}
	})
	winners, winner := 0, read(t, store, order).Resource
	for n := range crowd {
		if holders[n] != winner {
			t.Errorf("insert %d saw %q hold the key, not %q", n, holders[n], winner)
		}
		if won[n] {
			winners++
			if want := fmt.Sprintf("ch_%d", n); want != winner {
				t.Errorf("%q was told that it won, but %q did", want, winner)
			}
		}
	}
	if winners != 1 {
		t.Errorf("%d inserts of one key won, want 1", winners)
	}
}

func insertReturnsTheHolder(t testing.TB, store idem.Store) {
	mine := held(order, "ch_1")
	holder, inserted := insert(t, store, mine)
	if !inserted {
		t.Error("a fresh store has the key already")
	}
	same(t, holder, mine)
	holder, inserted = insert(t, store, held(order, "ch_2"))
	if inserted {
		t.Error("a taken key was inserted again")
	}
	same(t, holder, mine)
}

func transactionSeesItsOwnWrites(t testing.TB, store idem.Store) {
	update(t, store, func(tx idem.Tx) error {
		mine := held(order, "ch_1")
		if _, inserted, err := tx.InsertKey(mine); err != nil || !inserted {
			t.Errorf("first insert: inserted %v, error %v", inserted, err)
		}
		if swapped, err := tx.SwapKey(under(mine, 2), 1); err != nil || !swapped {
			t.Errorf("swap: swapped %v, error %v", swapped, err)
		}
		holder, inserted, err := tx.InsertKey(held(order, "ch_2"))
		if err != nil || inserted {
			t.Errorf("second insert: inserted %v, error %v", inserted, err)
		}
		same(t, holder, under(mine, 2))
		return nil
	})
	same(t, read(t, store, order), under(held(order, "ch_1"), 2))
}

// The owners meet in every way in which a store might glue the parts together.
// One whose owners cannot be spelt like that may refuse them, but not mix them.
func ownersAreApart(t testing.TB, store idem.Store) {
	apart(t, store, []idem.Key{
		{Owner: "alice", Value: "order-1"},
		{Owner: "bob", Value: "order-1"},
		{Owner: "Alice", Value: "order-1"},
		{Owner: "a", Value: "b-c"},
		{Owner: "a-b", Value: "c"},
		{Owner: "a-", Value: "b-c"},
		{Owner: "a", Value: "_b/c"},
		{Owner: "a_", Value: "b/c"},
		{Owner: "a:b", Value: "c"},
		{Owner: "a", Value: "b:c"},
		{Owner: "a/b", Value: "c"},
		{Owner: "a", Value: "b/c"},
		{Owner: strings.Repeat("o", idem.MaxOwnerLength), Value: "k"},
		{Owner: strings.Repeat("o", idem.MaxOwnerLength-1), Value: "ok"},
	})
}

func keysAreApart(t testing.TB, store idem.Store) {
	long := strings.Repeat("k", idem.MaxKeyLength-1)
	var keys []idem.Key
	for _, value := range []string{
		"a", "A", "aa", "a/", "/a", "/", "a/../b", "b", "%61", "a%00", `"a"`, `a"`, `\`, "'; --", "{}", "*", "a*", "~", "!badger!",
		long + "1", long + "2", long, strings.Repeat("&", idem.MaxKeyLength),
	} {
		keys = append(keys, idem.Key{Owner: "shop", Value: value})
	}
	apart(t, store, keys)
}

// apart stores a record under each key and finds each again.
func apart(t testing.TB, store idem.Store, keys []idem.Key) {
	var stored []idem.Record
	for n, key := range keys {
		mine := held(key, fmt.Sprintf("ch_%d", n))
		var holder idem.Record
		var inserted bool
		err := store.Update(t.Context(), func(tx idem.Tx) (err error) {
			holder, inserted, err = tx.InsertKey(mine)
			return err
		})
		if err != nil && !idem.ValidOwner(key.Owner) {
			continue
		}
		if err != nil || !inserted {
			t.Errorf("insert of %q %q: inserted %v, error %v, holder %q %q", key.Owner, key.Value, inserted, err, holder.Key.Owner, holder.Key.Value)
		}
		stored = append(stored, mine)
	}
	for _, mine := range stored {
		same(t, read(t, store, mine.Key), mine)
	}
}

func distinctKeysAreIndependent(t testing.TB, store idem.Store) {
	key := func(n int) idem.Key { return idem.Key{Owner: "shop", Value: fmt.Sprintf("order-%d", n)} }
	together(func(n int) {
		mine := held(key(n), fmt.Sprintf("ch_%d", n))
		for _, write := range []func(idem.Tx) (bool, error){
			func(tx idem.Tx) (bool, error) { _, ok, err := tx.InsertKey(mine); return ok, err },
			func(tx idem.Tx) (bool, error) { return tx.SwapKey(done(mine), 1) },
		} {
			var ok bool
			err := store.Update(t.Context(), func(tx idem.Tx) (err error) { ok, err = write(tx); return err })
			if err != nil || !ok {
				t.Errorf("key %d: written %v, error %v", n, ok, err)
			}
		}
	})
	for n := range crowd {
		same(t, read(t, store, key(n)), done(held(key(n), fmt.Sprintf("ch_%d", n))))
	}
}
