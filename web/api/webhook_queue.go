package api

import (
	"container/heap"
	"time"

	"chargeonce/ledger"
)

// endpointQueue is what waits for one endpoint, as far as it is in view. See
// [schedule], whose goroutine alone touches it.
type endpointQueue struct {
	endpoint string // empty: the consumer that the process was started with
	owner    string // of the endpoint
	lines    map[string]*eventLine
	fresh    lineHeap // heads that were never tried, the oldest first
	again    lineHeap // heads that wait for another attempt, by due
	size     int      // events in view
	seen     uint64   // seq of the newest of them
	behind   bool     // there are more in the store, up to what was looked at
	out      int      // attempts under way
	redone   int      // of them: not first ones
	failing  bool     // the attempt that ended last was in vain
}

// eventLine is the events of one object, the oldest first. It is never empty.
type eventLine struct {
	events   []ledger.Queued
	attempts int       // of the head, so far
	due      time.Time // of the head; zero: at once
}

// newEndpointQueue is an empty one for the endpoint of a delivery. Rows of older
// versions do not say whose an endpoint is: each then counts as an owner.
func newEndpointQueue(e ledger.Queued) *endpointQueue {
	q := &endpointQueue{endpoint: e.Endpoint, owner: e.Owner, lines: map[string]*eventLine{}}
	if e.Endpoint == "" || e.Owner == "" { // the process's own consumer is nobody's
		q.owner = "/" + e.Endpoint // which no owner is called
	}
	return q
}

// add takes in an event that is newer than those in view.
func (q *endpointQueue) add(e ledger.Queued) {
	q.seen, q.size = e.Seq, q.size+1
	if line, waiting := q.lines[e.Object]; waiting {
		line.events = append(line.events, e)
		return
	}
	line := &eventLine{events: []ledger.Queued{e}}
	q.lines[e.Object] = line
	heap.Push(&q.fresh, line)
}

// next takes the delivery that is due: first attempts before all others.
func (q *endpointQueue) next(now time.Time) (d delivery, ok bool) {
	var line *eventLine
	switch {
	case len(q.fresh) > 0:
		line = heap.Pop(&q.fresh).(*eventLine)
	case q.redone < maxRedeliveries && len(q.again) > 0 && !q.again[0].due.After(now):
		line = heap.Pop(&q.again).(*eventLine)
		q.redone++
	default:
		return delivery{}, false
	}
	line.attempts++
	return delivery{line.events[0], line.attempts}, true
}

// wait is how long it takes until a redelivery is due for which there is a place.
func (q *endpointQueue) wait(now time.Time) (wait time.Duration, ok bool) {
	if len(q.again) == 0 || q.redone == maxRedeliveries {
		return 0, false
	}
	return max(0, q.again[0].due.Sub(now)), true
}

func (q *endpointQueue) done(d delivery) {
	line := q.ended(d)
	q.size--
	if line.events = line.events[1:]; len(line.events) == 0 {
		delete(q.lines, d.Object)
		return
	}
	line.attempts, line.due = 0, time.Time{}
	heap.Push(&q.fresh, line)
}

func (q *endpointQueue) failed(d delivery, due time.Time) {
	line := q.ended(d)
	line.due = due
	heap.Push(&q.again, line)
}

func (q *endpointQueue) ended(d delivery) *eventLine {
	if d.attempt > 1 {
		q.redone--
	}
	return q.lines[d.Object]
}

// lineHeap orders lines by when their heads are due, then by age.
type lineHeap []*eventLine

func (h lineHeap) Len() int { return len(h) }

func (h lineHeap) Less(i, j int) bool {
	if c := h[i].due.Compare(h[j].due); c != 0 {
		return c < 0
	}
	return h[i].events[0].Seq < h[j].events[0].Seq
}

func (h lineHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *lineHeap) Push(line any) { *h = append(*h, line.(*eventLine)) }

// Pop implements [heap.Interface].
func (h *lineHeap) Pop() any {
	old := *h
	line := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return line
}
