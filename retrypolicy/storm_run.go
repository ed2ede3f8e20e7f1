package retrypolicy

import (
	"container/heap"
	"time"
)

// simulation is a storm that runs. Everything happens at the time of an event.
type simulation struct {
	Storm
	queue events
	at    time.Duration // the time of the event
	seen  Arrivals

	window   int // of the last answered attempt, for Capacity
	answered int // attempts that were answered within it
}

// caller is one client of a storm.
type caller struct {
	random func() float64
	number int           // of the attempt; from 1 in each call
	began  time.Duration // the call
	waited time.Duration
	permit *Permit // of the attempt; nil without a breaker
	ok     bool    // the attempt will be answered
}

func (s *simulation) now() time.Time { return time.Unix(0, 0).Add(s.at) }

// begin begins a call.
func (s *simulation) begin(c *caller) {
	s.seen.Calls++
	if s.Budget != nil {
		s.Budget.Call(s.now())
	}
	c.number, c.began, c.waited = 1, s.at, 0
	s.send(c)
}

// send makes an attempt, if the breaker lets it.
func (s *simulation) send(c *caller) {
	c.permit = nil
	if s.Breaker != nil {
		permit, err := s.Breaker.Allow(s.now())
		if err != nil {
			if c.number > 1 && s.Budget != nil {
				s.Budget.Return(s.now())
			}
			s.fail(c)
			return
		}
		c.permit = permit
	}
	c.ok = s.arrive()
	took := min(s.Latency, s.Policy.AttemptTimeout)
	s.push(took, c, (*simulation).ended)
}

// arrive counts an attempt at the server and reports whether it is answered in
// time.
func (s *simulation) arrive() bool {
	window := int(s.at / StormWindow)
	for len(s.seen.Windows) <= window {
		s.seen.Windows = append(s.seen.Windows, 0)
	}
	s.seen.Windows[window]++
	s.seen.Attempts++
	if s.at < s.Outage {
		return false
	}
	if window != s.window {
		s.window, s.answered = window, 0
	}
	if s.Capacity > 0 && s.answered >= s.Capacity {
		return false
	}
	s.answered++
	return s.Latency < s.Policy.AttemptTimeout
}

// ended learns what became of an attempt.
func (s *simulation) ended(c *caller) {
	health := Failing
	if c.ok {
		health = Healthy
		s.seen.Served++
	}
	if c.permit != nil {
		c.permit.Done(s.now(), health)
	}
	if !c.ok {
		s.pause(c)
	}
}

// pause is the pause of a real call, without what a storm does not have:
// Retry-After, deadlines and cancellation.
func (s *simulation) pause(c *caller) {
	if c.number >= s.Policy.MaxAttempts {
		s.fail(c)
		return
	}
	c.waited = s.Policy.Delay(c.number, c.waited, c.random())
	if c.waited >= s.Policy.MaxElapsed-(s.at-c.began) ||
		s.Breaker != nil && s.Breaker.left(s.now()) > c.waited ||
		s.Budget != nil && !s.Budget.Take(s.now()) {
		s.fail(c)
		return
	}
	c.number++
	s.push(c.waited, c, (*simulation).send)
}

// fail ends a call without an answer.
func (s *simulation) fail(c *caller) {
	if s.Again <= 0 {
		return
	}
	again := s.Again
	if s.Policy.Jitter != JitterNone {
		again = FullJitter(again, c.random())
	}
	s.push(again, c, (*simulation).begin)
}

// next runs the earliest event, and reports false if there is none.
func (s *simulation) next() bool {
	if len(s.queue) == 0 {
		return false
	}
	e := heap.Pop(&s.queue).(event)
	s.at = e.at
	e.do(s, e.caller)
	return true
}

// push lets something happen after a while, counted from now. The sum is not
// made before it is known to be small: a wait may be as long as there are.
func (s *simulation) push(after time.Duration, c *caller, do func(*simulation, *caller)) {
	if after > maxStormTime-s.at {
		return
	}
	heap.Push(&s.queue, event{at: s.at + after, caller: c, do: do})
}

// event is what happens to one caller at one time.
type event struct {
	at     time.Duration
	caller *caller
	do     func(*simulation, *caller)
}

// events is a heap, the earliest first.
type events []event

func (e events) Len() int           { return len(e) }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
