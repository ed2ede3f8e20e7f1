package idem

import (
	"fmt"
	"sync"
	"testing"
)

// TestTenThousandWaitersOnAHundredKeysFinishAndLeaveNothing would hang if a wake
// could be lost or keys could lock one another, and would find a queue that
// nobody cleared away.
func TestTenThousandWaitersOnAHundredKeysFinishAndLeaveNothing(t *testing.T) { // A21
	const waiters, keys = 10_000, 100
	queue := Waiters{Max: waiters}
	var joined, done sync.WaitGroup
	for i := range waiters {
		key := Key{Owner: "shop", Value: fmt.Sprint("k", i%keys)}
		joined.Add(1)
		done.Go(func() {
			woken, leave, err := queue.Join(key)
			joined.Done()
			if err != nil {
				t.Error(err)
				return
			}
			defer leave()
			switch i % 3 { // some wait, some give up, some wake the others
			case 0:
				<-woken
			case 1:
				queue.Wake(key)
			}
		})
	}
	joined.Wait()
	for i := range keys {
		queue.Wake(Key{Owner: "shop", Value: fmt.Sprint("k", i)})
	}
	done.Wait()
	if left := len(queue.keys); left != 0 {
		t.Errorf("%d queues are left", left)
	}
}
