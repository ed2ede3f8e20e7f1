package network

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

func TestTheOldestMatchingFaultTakesTheRequest(t *testing.T) {
	var a armory
	for _, f := range []Fault{
		{ID: "other owner", Owner: "b", Attempts: 9},
		{ID: "other key", Owner: "a", Key: "k2", Attempts: 9},
		{ID: "first", Owner: "a", Key: "k1", Attempts: 2},
		{ID: "second", Attempts: 1},
	} {
		if _, err := a.add(f); err != nil {
			t.Fatal(err)
		}
	}
	for attempt, want := range []string{"first", "first", "second", ""} {
		if got := a.take("a", "k1").ID; got != want {
			t.Errorf("request %d met %q, want %q", attempt+1, got, want)
		}
	}
	if left := a.list(); len(left) != 2 || left[0].Attempts != 9 || left[1].Attempts != 9 {
		t.Errorf("left %+v", left)
	}
}

func TestNAttemptsAreNHoweverManyComeAtOnce(t *testing.T) {
	const attempts = 50
	var a armory
	if _, err := a.add(Fault{Kind: LoseRequest, Attempts: attempts}); err != nil {
		t.Fatal(err)
	}
	var taken atomic.Int64
	var wg sync.WaitGroup
	for range 4 * attempts {
		wg.Go(func() {
			if a.take("a", "k").Kind != "" {
				taken.Add(1)
			}
		})
	}
	wg.Wait()
	if got := taken.Load(); got != attempts || len(a.list()) != 0 {
		t.Errorf("%d taken, %v left", got, a.list())
	}
}

func TestAFaultIsDisarmedOnceByName(t *testing.T) {
	var a armory
	first, err1 := a.add(Fault{Attempts: 1})
	second, err2 := a.add(Fault{Attempts: 2})
	if err1 != nil || err2 != nil || first == second || first == "" {
		t.Fatalf("%q %q %v %v", first, second, err1, err2)
	}
	if _, err := a.add(Fault{ID: second, Attempts: 1}); !errors.Is(err, ErrFaultExists) {
		t.Errorf("a name was given twice: %v", err)
	}
	if !a.drop(first) || a.drop(first) || a.drop("nobody") {
		t.Error("disarming says the wrong thing")
	}
	if left := a.list(); len(left) != 1 || left[0].ID != second {
		t.Errorf("left %+v", left)
	}
	if a.clear() != 1 || a.clear() != 0 || a.take("a", "k").ID != "" {
		t.Error("clear left something")
	}
}

func TestArmedFaultsAreBounded(t *testing.T) {
	var a armory
	for i := range maxArmed {
		if _, err := a.add(Fault{ID: fmt.Sprint(i), Attempts: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.add(Fault{Attempts: 1}); !errors.Is(err, ErrTooManyFaults) {
		t.Errorf("got %v", err)
	}
	a.take("", "")
	if _, err := a.add(Fault{Attempts: 1}); err != nil {
		t.Errorf("a used-up fault still takes a place: %v", err)
	}
}
