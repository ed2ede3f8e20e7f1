package api

import (
	"fmt"
	"math/rand/v2"
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
	d, ok := s.next(now, true)
	if !ok || d.Seq != seq || d.attempt != attempt {
		t.Fatalf("got %+v, %v; want event %d, attempt %d", d, ok, seq, attempt)
	}
	return d
}

func nothing(t *testing.T, s *schedule, now time.Time) {
	t.Helper()
	if d, ok := s.next(now, true); ok {
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
	if len(s.lines) != 0 || s.size != 0 || s.last != 4 {
		t.Errorf("left behind: %+v", s)
	}
	if wait, ok := s.wait(now); ok {
		t.Errorf("waits %v for nothing", wait)
	}
}

func TestFirstAttemptsGoBeforeOthersAndOthersMayBeRefused(t *testing.T) {
	s, now := newSchedule(), time.Unix(1000, 0)
	s.add([]ledger.Queued{queued(1, "a"), queued(2, "b"), queued(3, "c")})
	a, b := take(t, s, now, 1, 1), take(t, s, now, 2, 1)
	s.failed(a, now.Add(2))
	s.failed(b, now.Add(1))
	now = now.Add(time.Second)
	if _, ok := s.next(now, false); !ok { // c
		t.Error("a first attempt was refused")
	}
	if d, ok := s.next(now, false); ok {
		t.Errorf("%+v is out against the order", d)
	}
	take(t, s, now, 2, 2) // due first
	take(t, s, now, 1, 2)
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
					s.add([]ledger.Queued{queued(seq, fmt.Sprint("o", r.IntN(7)))})
				}
			case 1:
				if d, ok := s.next(now, r.IntN(2) == 0); ok {
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
		if s.size != 0 || len(s.lines) != 0 || len(s.fresh)+len(s.again) != 0 {
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
