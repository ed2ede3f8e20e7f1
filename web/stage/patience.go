package stage

import (
	"sync"
	"time"
)

// patience is a shop's clock that can be stopped: while a presenter holds a
// request at a gate, its timeouts and waits stand still, so that nobody's
// talking runs into them. It is safe for concurrent use.
type patience struct {
	mu      sync.Mutex // guards what follows
	holds   int        // the clock stands while it is above 0
	since   time.Time  // when it was stopped
	stopped time.Duration
	timers  map[*patientTimer]struct{}
}

// patientTimer fires when the patient clock, not the wall's, has gone on far
// enough.
type patientTimer struct {
	due  time.Time // on the patient clock
	fire func()
	real *time.Timer // nil while the clock stands
}

func newPatience() *patience { return &patience{timers: make(map[*patientTimer]struct{})} }

// Now is the wall clock less the time for which it was stopped.
func (p *patience) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now()
}

// now needs p.mu.
func (p *patience) now() time.Time {
	wall := time.Now()
	if p.holds > 0 {
		wall = p.since
	}
	return wall.Add(-p.stopped)
}

// AfterFunc calls f in its own goroutine after d of the patient clock.
func (p *patience) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	timer := &patientTimer{due: p.now().Add(d), fire: f}
	p.timers[timer] = struct{}{}
	if p.holds == 0 {
		p.arm(timer)
	}
	return func() bool { return p.take(timer) }
}

// arm needs p.mu.
func (p *patience) arm(timer *patientTimer) {
	timer.real = time.AfterFunc(timer.due.Sub(p.now()), func() {
		if p.expire(timer) {
			timer.fire()
		}
	})
}

// expire takes a timer whose time has come. One whose real timer ran out just
// as the clock was stopped is left for the resume.
func (p *patience) expire(timer *patientTimer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holds == 0 && p.remove(timer)
}

// take stops a timer; false if it has fired or was stopped before.
func (p *patience) take(timer *patientTimer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.remove(timer)
}

// remove needs p.mu.
func (p *patience) remove(timer *patientTimer) bool {
	_, waiting := p.timers[timer]
	delete(p.timers, timer)
	if timer.real != nil {
		timer.real.Stop()
	}
	return waiting
}

// hold stops the clock until as many calls of resume have followed.
func (p *patience) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holds++; p.holds > 1 {
		return
	}
	p.since = time.Now()
	for timer := range p.timers {
		timer.real.Stop()
		timer.real = nil
	}
}

// resume lets the clock go on once nobody holds it.
func (p *patience) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holds == 0 {
		return
	}
	if p.holds--; p.holds > 0 {
		return
	}
	p.stopped += time.Since(p.since)
	for timer := range p.timers {
		p.arm(timer)
	}
}
