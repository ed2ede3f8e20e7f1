package retrypolicy

import "time"

// windowBuckets is how finely a rolling window forgets: a tenth at a time. More
// would cost memory for a precision that nobody can see.
const windowBuckets = 10

// window counts the attempts of the last while. It forgets them bucket by
// bucket, so it needs constant memory, whatever the load. It needs the lock of
// whoever owns it.
type window struct {
	length  time.Duration
	origin  time.Time // of the bucket numbers; set by the first count
	newest  int64     // number of the newest bucket
	buckets [windowBuckets]tally
}

type tally struct{ all, failed int }

// count adds one attempt that ended now.
func (w *window) count(now time.Time, failed bool) {
	if w.origin.IsZero() {
		w.origin = now
	}
	w.forget(now)
	bucket := &w.buckets[w.newest%windowBuckets]
	bucket.all++
	if failed {
		bucket.failed++
	}
}

// total adds up what the window still holds.
func (w *window) total() (sum tally) {
	for _, bucket := range w.buckets {
		sum.all += bucket.all
		sum.failed += bucket.failed
	}
	return sum
}

// forget moves on to the bucket of now and empties those on the way. A now
// that lies behind, as of a goroutine that read the clock and then had to wait
// for the lock, counts as the newest.
func (w *window) forget(now time.Time) {
	number := int64(now.Sub(w.origin) / max(1, w.length/windowBuckets))
	for steps := 0; w.newest < number && steps < windowBuckets; steps++ {
		w.newest++
		w.buckets[w.newest%windowBuckets] = tally{}
	}
	w.newest = max(w.newest, number)
}
