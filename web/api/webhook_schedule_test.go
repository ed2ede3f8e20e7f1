package api

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"chargeonce/ledger"
)

func queued(seq uint64, object string) ledger.Queued {
	return ledger.Queued{Seq: seq, ID: fmt.Sprint("evt_", seq), Object: object}
}

// take insists on the next delivery.
func take(t *testing.T, s *schedule, now time.Time, seq uint64, attempt int) delivery {
	t.Helper()
	d, ok := s.next(now)
	if !ok || d.Seq != seq || d.attempt != attempt {
		t.Fatalf("got %+v, %v; want event %d, attempt %d", d, ok, seq, attempt)
	}
	return d
}

func nothing(t *testing.T, s *schedule, now time.Time) {
	t.Helper()
	if d, ok := s.next(now); ok {
		t.Fatalf("%+v is out", d)
	}
}

func TestOneEventOfAnObjectIsOutAtATime(t *testing.T) { // Q06
	s, now := newSchedule(), time.Unix(1000, 0)
	s.add([]ledger.Queued{queued(1, "a"), queued(2, "a"), queued(3, "b"), queued(4, "a")})
	first := take(t, s, now, 1, 1)
	other := take(t, s, now, 3, 1)
	nothing(t, s, now)
	s.failed(first, now.Add(time.Second))
	nothing(t, s, now) // a's second does not overtake its first
	s.done(other)
	if wait, ok := s.wait(now); !ok || wait != time.Second {
		t.Errorf("wait %v, %v", wait, ok)
	}
	now = now.Add(time.Second)
	s.done(take(t, s, now, 1, 2))
	s.done(take(t, s, now, 2, 1)) // counts its own attempts
	s.done(take(t, s, now, 4, 1))
	nothing(t, s, now)
	if len(s.queues) != 0 || s.size != 0 || s.last != 4 {
		t.Errorf("left behind: %+v", s)
	}
	if wait, ok := s.wait(now); ok {
		t.Errorf("waits %v for nothing", wait)
	}
}

func TestFirstAttemptsGoBeforeOthersAndOthersAreBounded(t *testing.T) {
	s, now := newSchedule(), time.Unix(1000, 0)
	for i := range maxRedeliveries + 2 {
		s.add([]ledger.Queued{queued(uint64(i+1), fmt.Sprint("o", i))})
		s.failed(take(t, s, now, uint64(i+1), 1), now.Add(time.Duration(100-i)))
	}
	now = now.Add(time.Second)
	s.add([]ledger.Queued{queued(100, "new")})
	take(t, s, now, 100, 1)
	for i := range maxRedeliveries {
		take(t, s, now, uint64(maxRedeliveries+2-i), 2) // due first
	}
	nothing(t, s, now)
	if wait, ok := s.wait(now); ok {
		t.Errorf("waits %v, where the next result will tell", wait)
	}
}

// hooked is an event for an endpoint.
func hooked(seq uint64, owner, endpoint string) ledger.Queued {
	return ledger.Queued{Seq: seq, ID: fmt.Sprint("evt_", seq), Object: fmt.Sprint("o", seq), Owner: owner, Endpoint: endpoint}
}

func TestEndpointsTakeTurnsAndNoneNorAnOwnerTakesEveryPlace(t *testing.T) {
	s, now := newSchedule(), time.Unix(1000, 0)
	var seq uint64
	for _, endpoint := range []string{"we_1", "we_2", "we_3", "we_4"} {
		for range 2 * maxOfEndpoint {
			seq++
			s.add([]ledger.Queued{hooked(seq, "a", endpoint)})
		}
	}
	got := map[string]int{}
	var out []delivery
	for d, ok := s.next(now); ok; d, ok = s.next(now) {
		got[d.Endpoint]++
		out = append(out, d)
	}
	if len(out) != maxOfOwner || len(got) != 4 || got["we_1"] != maxOfOwner/4 {
		t.Errorf("%d are out: %v", len(out), got)
	}
	s.add([]ledger.Queued{hooked(seq+1, "b", "we_5")})
	take(t, s, now, seq+1, 1)
	s.done(out[0])
	if d, ok := s.next(now); !ok || d.Endpoint != "we_1" {
		t.Errorf("the place is not taken by who is next: %+v, %v", d, ok)
	}
}

func TestOneEndpointHasPlacesOfItsOwnNumber(t *testing.T) {
	s, now := newSchedule(), time.Unix(1000, 0)
	for i := range uint64(2 * maxOfEndpoint) {
		s.add([]ledger.Queued{hooked(i+1, "a", "we_1")})
	}
	for i := range uint64(maxOfEndpoint) {
		take(t, s, now, i+1, 1)
	}
	nothing(t, s, now)
}

// TestEndpointsThatFailLeaveHalfOfThePlacesToOthers, though each is another
// owner's.
func TestEndpointsThatFailLeaveHalfOfThePlacesToOthers(t *testing.T) {
	s, now := newSchedule(), time.Unix(1000, 0)
	for i := range uint64(2 * maxDeliveries) {
		s.add([]ledger.Queued{hooked(i+1, fmt.Sprint("owner", i), fmt.Sprint("we_", i))})
	}
	for first := range uint64(2) { // in two waves, as there are not so many places
		var out []delivery
		for d, ok := s.next(now); ok; d, ok = s.next(now) {
			out = append(out, d)
		}
		if len(out) != maxDeliveries {
			t.Fatalf("%d are out in wave %d", len(out), first+1)
		}
		for _, d := range out {
			s.failed(d, now.Add(time.Second))
		}
	}
	now = now.Add(time.Minute)
	n := 0
	for _, ok := s.next(now); ok; _, ok = s.next(now) {
		n++
	}
	if n != maxFailing {
		t.Errorf("%d go to endpoints that fail", n)
	}
	for i := range uint64(maxDeliveries - maxFailing) {
		s.add([]ledger.Queued{hooked(1000+i, "b", fmt.Sprint("we_b", i/maxOfEndpoint))})
		if i < maxOfOwner {
			take(t, s, now, 1000+i, 1)
		}
	}
}

func TestMoreThanAnEndpointHasRoomForIsLeftBehindAndKeepsItsOrder(t *testing.T) {
	s, now := newSchedule(), time.Unix(1000, 0)
	var store []ledger.Queued
	for i := range uint64(3 * maxAhead) {
		store = append(store, hooked(2*i+1, "a", "we_a"))
		if i%maxAhead == 0 {
			store = append(store, hooked(2*i+2, "b", "we_b"))
		}
	}
	s.add(store)
	if a, b := s.queues["we_a"], s.queues["we_b"]; a.size != maxAhead || !a.behind || b.size != 3 || b.behind {
		t.Fatalf("in view: %d and %d", a.size, b.size)
	}
	last := uint64(0)
	for range 3 * maxAhead {
		d, ok := s.next(now)
		if ok && d.Endpoint == "we_b" {
			s.done(d)
			d, ok = s.next(now)
		}
		if !ok || d.Seq <= last {
			t.Fatalf("%+v after %d", d, last)
		}
		last = d.Seq
		s.done(d)
		if after, hungry := s.hungry("we_a"); hungry {
			rest := store[slices.IndexFunc(store, func(q ledger.Queued) bool { return q.Seq > after }):]
			s.refill("we_a", rest, true)
		}
	}
	for d, ok := s.next(now); ok; d, ok = s.next(now) {
		s.done(d)
	}
	if len(s.queues) != 0 || s.size != 0 || s.out != 0 || len(s.owners) != 0 {
		t.Errorf("left behind: %+v", s)
	}
}

func TestAnEndpointHasRoomHoweverManyOthersThereAre(t *testing.T) {
	s, now := newSchedule(), time.Unix(1000, 0)
	s.size = maxQueued
	for i := range uint64(2 * leastAhead) {
		s.add([]ledger.Queued{hooked(i+1, "b", "we_b")})
	}
	if q := s.queues["we_b"]; q.size != leastAhead || !q.behind {
		t.Errorf("%+v", q)
	}
	take(t, s, now, 1, 1)
}

// TestAnyScheduleDeliversEachEventOnceAndInOrder plays random histories.
func TestAnyScheduleDeliversEachEventOnceAndInOrder(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, now := newSchedule(), time.Unix(1000, 0)
		var out []delivery
		var seq uint64
		objects, last := map[string]bool{}, map[string]uint64{}
		const events = 60
		for acknowledged := 0; acknowledged < events; {
			switch r.IntN(4) {
			case 0:
				if seq < events {
					seq++
					q := queued(seq, fmt.Sprint("o", r.IntN(7)))
					q.Endpoint, q.Owner = "we_"+q.Object[1:], fmt.Sprint("owner", q.Object[1]%2)
					s.add([]ledger.Queued{q})
				}
			case 1:
				if d, ok := s.next(now); ok {
					if objects[d.Object] || d.Seq <= last[d.Object] {
						t.Fatalf("seed %d: %+v is out of turn", seed, d)
					}
					objects[d.Object] = true
					out = append(out, d)
				}
			case 2:
				now = now.Add(time.Duration(r.IntN(3)))
			case 3:
				if len(out) == 0 {
					continue
				}
				i := r.IntN(len(out))
				d := out[i]
				out = append(out[:i], out[i+1:]...)
				objects[d.Object] = false
				if r.IntN(3) == 0 {
					s.failed(d, now.Add(time.Duration(r.IntN(5))))
					continue
				}
				s.done(d)
				last[d.Object] = d.Seq
				acknowledged++
			}
		}
		if s.size != 0 || len(s.queues)+len(s.turns)+len(s.owners) != 0 || s.out != 0 || s.failing != 0 {
			t.Fatalf("seed %d: left behind %+v", seed, s)
		}
	}
}

func TestTheWaitGrowsWithFullJitterUpToItsCap(t *testing.T) {
	for _, test := range []struct {
		attempt  int
		random   float64
		want     time.Duration
		setAside bool
	}{
		{1, 0, 0, false},
		{1, 0.5, 100 * time.Millisecond, false},
		{2, 0.5, 200 * time.Millisecond, false},
		{4, 0.25, 400 * time.Millisecond, false},
		{9, 0.5, 15 * time.Second, false}, // 51.2 s, capped
		{setAsideAfter - 1, 0.5, 15 * time.Second, false},
		{setAsideAfter, 0, 10 * time.Minute, true},
		{setAsideAfter, 0.5, 15 * time.Minute, true},
		{1 << 30, 0.5, 15 * time.Minute, true},
	} {
		if got, aside := redeliveryWait(test.attempt, test.random); got != test.want || aside != test.setAside {
			t.Errorf("attempt %d, random %v: %v, %v; want %v, %v", test.attempt, test.random, got, aside, test.want, test.setAside)
		}
	}
}
