package api

import (
	"container/heap"
	"time"

	"chargeonce/ledger"
	"chargeonce/retrypolicy"
)

const (
	deliveryBase = 200 * time.Millisecond // longest wait after a first attempt
	deliveryCap  = 30 * time.Second       // of the waits
	// setAsideAfter attempts, some three minutes at full jitter, a delivery
	// counts as poison: it is not given up, but tried only every now and then.
	setAsideAfter = 20
	// setAsideWait is the longest wait from then on, and twice the shortest.
	setAsideWait = 20 * time.Minute
	// maxQueued bounds the deliveries in view, some 200 bytes each. Where so
	// many wait, the consumer as a whole is down; more stay in the store.
	maxQueued = 10_000
)

// redeliveryWait is how long a delivery waits after its nth attempt in vain:
// backoff with full jitter, random in [0,1). setAside says that it has become
// poison.
func redeliveryWait(attempt int, random float64) (wait time.Duration, setAside bool) {
	if attempt >= setAsideAfter {
		return setAsideWait/2 + retrypolicy.FullJitter(setAsideWait/2, random), true
	}
	return retrypolicy.FullJitter(retrypolicy.Backoff(attempt, deliveryBase, deliveryCap), random), false
}

// schedule decides which delivery is next. Of each object, for each endpoint, only the oldest
// event is ever out, so its events arrive in order; one that is not taken in
// holds up its own object and no other. It reads no clock and is not safe for
// concurrent use.
type schedule struct {
	lines map[string]*eventLine // by [lineOf]
	fresh lineHeap              // heads that were never tried, the oldest first
	again lineHeap              // heads that wait for another attempt, by due
	last  uint64                // seq of the newest event in view
	size  int                   // events in view
}

// eventLine is the events of one object, the oldest first. It is never empty.
type eventLine struct {
	events   []ledger.Queued
	attempts int       // of the head, so far
	due      time.Time // of the head; zero: at once
}

func newSchedule() *schedule { return &schedule{lines: make(map[string]*eventLine)} }

// room is how many events may be added.
func (s *schedule) room() int { return maxQueued - s.size }

// add takes in what is newer than all that is in view, in order.
func (s *schedule) add(events []ledger.Queued) {
	for _, e := range events {
		s.last, s.size = e.Seq, s.size+1
		line, waiting := s.lines[lineOf(e)]
		if waiting {
			line.events = append(line.events, e)
			continue
		}
		line = &eventLine{events: []ledger.Queued{e}}
		s.lines[lineOf(e)] = line
		heap.Push(&s.fresh, line)
	}
}

// delivery is one attempt at delivering an event.
type delivery struct {
	ledger.Queued
	attempt int // from 1
}

// next takes the delivery that is due: first attempts before all others, and
// others only if again says so. The event is out until [schedule.done] or
// [schedule.failed].
func (s *schedule) next(now time.Time, again bool) (d delivery, ok bool) {
	var line *eventLine
	switch {
	case len(s.fresh) > 0:
		line = heap.Pop(&s.fresh).(*eventLine)
	case again && len(s.again) > 0 && !s.again[0].due.After(now):
		line = heap.Pop(&s.again).(*eventLine)
	default:
		return delivery{}, false
	}
	line.attempts++
	return delivery{line.events[0], line.attempts}, true
}

// wait is how long it takes until another attempt is due; ok is false where
// none waits.
func (s *schedule) wait(now time.Time) (wait time.Duration, ok bool) {
	if len(s.again) == 0 {
		return 0, false
	}
	return max(0, s.again[0].due.Sub(now)), true
}

// done ends a delivery, and lets the object's next event out.
func (s *schedule) done(d delivery) {
	line := s.lines[lineOf(d.Queued)]
	s.size--
	if line.events = line.events[1:]; len(line.events) == 0 {
		delete(s.lines, lineOf(d.Queued))
		return
	}
	line.attempts, line.due = 0, time.Time{}
	heap.Push(&s.fresh, line)
}

// failed lets a delivery wait until due.
func (s *schedule) failed(d delivery, due time.Time) {
	line := s.lines[lineOf(d.Queued)]
	line.due = due
	heap.Push(&s.again, line)
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
