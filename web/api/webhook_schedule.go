package api

import (
	"slices"
	"time"

	"chargeonce/ledger"
)

// schedule decides which delivery is next. Endpoints take turns, and none gets
// more than its share of the places, nor does an owner. Of each object, for each
// endpoint, only the oldest event is ever out, so its events arrive in order; one
// that is not taken in holds up its own object and no other. It reads no clock
// and is not safe for concurrent use.
type schedule struct {
	queues  map[string]*endpointQueue // by endpoint
	turns   []*endpointQueue          // the same, in the order of their turns
	turn    int                       // whose is next
	owners  map[string]int            // attempts under way
	failing int                       // attempts under way at endpoints that fail
	out     int                       // attempts under way
	last    uint64                    // seq of the newest event that was looked at
	size    int                       // events in view
}

func newSchedule() *schedule {
	return &schedule{queues: map[string]*endpointQueue{}, owners: map[string]int{}}
}

// share is how many events of one endpoint may be in view.
func (s *schedule) share() int {
	if s.size < maxQueued {
		return maxAhead
	}
	return leastAhead
}

// add takes in what is newer than all that was looked at, in order, as far as
// each endpoint has room. Where one has not, its rest is left behind for
// [schedule.refill].
func (s *schedule) add(events []ledger.Queued) {
	for _, e := range events {
		s.last = e.Seq
		q := s.queues[e.Endpoint]
		if q == nil {
			q = newEndpointQueue(e)
			s.queues[e.Endpoint] = q
			s.turns = append(s.turns, q)
		}
		if q.behind = q.behind || q.size >= s.share(); !q.behind {
			q.add(e)
			s.size++
		}
	}
}

// hungry reports whether an endpoint has events left behind and room for them:
// half its share, so that it need not be asked for after each delivery.
func (s *schedule) hungry(endpoint string) (after uint64, ok bool) {
	q := s.queues[endpoint]
	if q == nil || !q.behind || 2*q.size > s.share() {
		return 0, false
	}
	return q.seen, true
}

// refill takes in what an endpoint left behind, out of a page of the store that
// begins behind the last that it took in; end says that there is nothing after
// this page. It reports whether it wants the next one.
func (s *schedule) refill(endpoint string, page []ledger.Queued, end bool) (more bool) {
	q := s.queues[endpoint]
	for _, e := range page {
		switch {
		case e.Seq > s.last: // not looked at yet: add will come to it
			end = true
		case e.Endpoint != endpoint:
		case q.size >= s.share():
			return false
		default:
			q.add(e)
			s.size++
		}
	}
	q.behind = !end
	return !end
}

// delivery is one attempt at delivering an event.
type delivery struct {
	ledger.Queued
	attempt int // from 1
}

// next takes the delivery that is due at the endpoint whose turn it is. The event
// is out until [schedule.done] or [schedule.failed].
func (s *schedule) next(now time.Time) (d delivery, ok bool) {
	for range s.turns {
		q := s.turns[s.turn]
		s.turn = (s.turn + 1) % len(s.turns)
		if !s.admits(q) {
			continue
		}
		if d, ok = q.next(now); ok {
			s.count(q, 1)
			return d, true
		}
	}
	return delivery{}, false
}

// admits reports whether there is a place for an attempt at an endpoint.
func (s *schedule) admits(q *endpointQueue) bool {
	return s.out < maxDeliveries && s.owners[q.owner] < maxOfOwner && q.out < maxOfEndpoint && (!q.failing || s.failing < maxFailing)
}

// count notes that n more attempts at an endpoint are under way.
func (s *schedule) count(q *endpointQueue, n int) {
	s.out, q.out = s.out+n, q.out+n
	if s.owners[q.owner] += n; s.owners[q.owner] == 0 {
		delete(s.owners, q.owner)
	}
	if q.failing {
		s.failing += n
	}
}

// wait is how long it takes until another attempt is due for which there is a
// place; ok is false where none waits. What waits for a place is told of by the
// next result.
func (s *schedule) wait(now time.Time) (wait time.Duration, ok bool) {
	for _, q := range s.turns {
		left, waits := q.wait(now)
		if waits && s.admits(q) && (!ok || left < wait) {
			wait, ok = left, true
		}
	}
	return wait, ok
}

// done ends a delivery, and lets the object's next event out.
func (s *schedule) done(d delivery) {
	q := s.settled(d, false)
	s.size--
	q.done(d)
	if q.size == 0 && !q.behind {
		s.drop(q)
	}
}

// failed lets a delivery wait until due.
func (s *schedule) failed(d delivery, due time.Time) { s.settled(d, true).failed(d, due) }

// settled frees the place of an attempt.
func (s *schedule) settled(d delivery, failed bool) *endpointQueue {
	q := s.queues[d.Endpoint]
	s.count(q, -1)
	if q.failing != failed {
		others := q.out // which now count otherwise
		if !failed {
			others = -others
		}
		q.failing, s.failing = failed, s.failing+others
	}
	return q
}

// drop forgets an endpoint for which nothing waits.
func (s *schedule) drop(q *endpointQueue) {
	delete(s.queues, q.endpoint)
	i := slices.Index(s.turns, q)
	s.turns = slices.Delete(s.turns, i, i+1)
	if s.turn > i {
		s.turn--
	}
	if s.turn == len(s.turns) {
		s.turn = 0
	}
}
