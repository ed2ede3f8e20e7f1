package stage

import (
	"chargeonce/web/control"
)

// chapter is a run log between two resets: its events, figures and stories, and
// what stood on its wires. The zero value is a beginning.
type chapter struct {
	seq       uint64 // of its last event; 0: it never was
	events    []control.Event
	counters  map[control.Side]map[control.Outcome]int
	retries   map[control.Side]int
	scenes    *scenes
	exchanges []crossing
}

// turn ends the chapter under way and goes on with another: a new one, or one
// that was ended before. Its numbers begin where none has been, so that a
// reader's place in the old chapter cannot pass for one in the new, and readers
// are told to look again.
func (l *runLog) turn(to chapter) (ended chapter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ended = chapter{
		seq: l.seq, events: l.kept(),
		counters: l.counters, retries: l.retries, scenes: l.scenes,
		exchanges: l.exchanges.swap(to.exchanges),
	}
	l.first = (l.seq/uint64(l.size) + 2) * uint64(l.size) // more than a ring away
	l.seq, l.ring = l.first, nil
	for _, e := range to.events {
		l.seq++
		e.Seq = l.seq
		l.ring = append(l.ring, e) // at most l.size
	}
	l.counters, l.retries, l.scenes = to.counters, to.retries, to.scenes
	if to.scenes == nil {
		l.counters = make(map[control.Side]map[control.Outcome]int)
		l.retries = make(map[control.Side]int)
		l.scenes = newScenes()
	}
	close(l.grown)
	l.grown = make(chan struct{})
	return ended
}

// turned reports whether a place lies before the chapter under way.
func (l *runLog) turned(after uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return after != 0 && after < l.first
}

// untouched reports whether nobody has asked for anything in this chapter: a
// story is a request, whoever sent it.
func (l *runLog) untouched() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.scenes.order) == 0
}
