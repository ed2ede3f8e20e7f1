package idem

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var waitKey = Key{Owner: "shop", Value: "order-1"}

func join(t *testing.T, w *Waiters, key Key) (<-chan struct{}, func()) {
	t.Helper()
	woken, leave, err := w.Join(key)
	if err != nil {
		t.Fatalf("join: %v", err)
	}
	return woken, leave
}

func isWoken(woken <-chan struct{}) bool {
	select {
	case <-woken:
		return true
	default:
		return false
	}
}

func TestWakeReachesAllWaitersOfItsKeyAndNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w Waiters
		other, leaveOther := join(t, &w, Key{Owner: "shop", Value: "order-2"})
		defer leaveOther()
		var group sync.WaitGroup
		for range 10 {
			woken, leave := join(t, &w, waitKey)
			group.Go(func() {
				defer leave()
				select {
				case <-woken:
				case <-time.After(time.Hour):
					t.Error("slept on")
				}
			})
		}
		synctest.Wait() // all sleep
		w.Wake(waitKey)
		group.Wait()
		if isWoken(other) {
			t.Error("another key's waiter was woken")
		}
	})
}

// The wake falls after the joining and before the waiter looks: it must count.
func TestAWakeBetweenJoiningAndWaitingIsNotLost(t *testing.T) {
	var w Waiters
	woken, leave := join(t, &w, waitKey)
	defer leave()
	w.Wake(waitKey)
	if !isWoken(woken) {
		t.Error("the wake was lost")
	}
}

func TestAWakeIsForThoseWhoWaitedOnly(t *testing.T) {
	var w Waiters
	w.Wake(waitKey) // nobody there: nothing to remember
	woken, leave := join(t, &w, waitKey)
	defer leave()
	if isWoken(woken) {
		t.Error("an old wake woke a new waiter")
	}
	w.Wake(waitKey)
	next, leaveNext := join(t, &w, waitKey)
	defer leaveNext()
	if !isWoken(woken) || isWoken(next) {
		t.Errorf("woken %v, want true; joined afterwards woken %v, want false", isWoken(woken), isWoken(next))
	}
}

func TestTheQueueOfAKeyIsBounded(t *testing.T) {
	for max, want := range map[int]int{0: DefaultMaxWaiters, -1: DefaultMaxWaiters, 1: 1, 3: 3} {
		w := Waiters{Max: max}
		var leaves []func()
		for range want {
			_, leave := join(t, &w, waitKey)
			leaves = append(leaves, leave)
		}
		if _, _, err := w.Join(waitKey); !errors.Is(err, ErrTooManyWaiters) {
			t.Errorf("max %d: waiter %d got %v, want %v", max, want+1, err, ErrTooManyWaiters)
		}
		_, leaveOther := join(t, &w, Key{Owner: "shop", Value: "another"})
		leaveOther()
		leaves[0]()
		_, leave := join(t, &w, waitKey) // the place that became free
		leave()
	}
}

func TestLeavingTwiceTakesNobodyElsesPlace(t *testing.T) {
	w := Waiters{Max: 2}
	_, leave := join(t, &w, waitKey)
	woken, leaveOther := join(t, &w, waitKey)
	defer leaveOther()
	leave()
	leave()
	w.Wake(waitKey)
	if !isWoken(woken) {
		t.Error("the one who stayed is not woken any more")
	}
}

func TestNoQueueOutlivesItsWaiters(t *testing.T) {
	var w Waiters
	var group sync.WaitGroup
	for n := range 10_000 {
		key := Key{Owner: "shop", Value: fmt.Sprint(n % 100)}
		group.Go(func() {
			_, leave, err := w.Join(key)
			if err != nil && !errors.Is(err, ErrTooManyWaiters) {
				t.Errorf("join: %v", err)
			}
			if n%3 == 0 {
				w.Wake(key)
			}
			if leave != nil {
				leave()
			}
		})
	}
	group.Wait()
	if len(w.keys) != 0 {
		t.Errorf("%d queues are left", len(w.keys))
	}
}

func TestLeavingAnOldQueueLeavesTheNewOneAlone(t *testing.T) {
	var w Waiters
	_, leaveOld := join(t, &w, waitKey)
	w.Wake(waitKey)
	woken, leave := join(t, &w, waitKey)
	defer leave()
	leaveOld()
	w.Wake(waitKey)
	if !isWoken(woken) {
		t.Error("the late leaving of a woken waiter took the new queue with it")
	}
}
