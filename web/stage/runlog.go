package stage

import (
	"context"
	"maps"
	"sync"
	"time"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
)

const (
	// ringSize bounds the events that a run log keeps: some hundred payments.
	// A client whose place has been overwritten gets a snapshot instead.
	ringSize = 4096
	// runSize bounds a lesson's run, which must be kept whole: a storm of two
	// hundred customers on two sides makes some eight thousand events.
	runSize = 4 * ringSize
	// snapshotEvents is how many recent events a snapshot carries.
	snapshotEvents = 512
)

// runLog is what happened in one run: numbered events, the most recent ones in
// a ring, and the counters over all of them. Readers keep their own place and
// pull, so a slow reader holds nobody up. It is safe for concurrent use.
type runLog struct {
	size      int       // of the ring, at most
	exchanges exchanges // what stood on the wires

	mu       sync.Mutex // guards what follows
	first    uint64     // the number before the first event's; see [runLog.turn]
	ring     []control.Event
	seq      uint64
	counters map[control.Side]map[control.Outcome]int
	retries  map[control.Side]int
	scenes   *scenes
	grown    chan struct{} // closed and replaced when an event is added
}

// newRunLog begins to count at 1.
func newRunLog() *runLog { return newRunLogAfter(0, ringSize) }

// newLessonLog begins to count at 1 as well, and keeps a whole run of a lesson.
func newLessonLog() *runLog { return newRunLogAfter(0, runSize) }

// newRunLogOfLife begins to count where no earlier life of the stage has been:
// a client that comes back with a place in an earlier life must not pass for
// one that has seen the beginning of this one. Lives that begin 100 ms apart
// stay apart as long as there are fewer than ringSize events in 100 ms.
func newRunLogOfLife(born time.Time) *runLog {
	return newRunLogAfter(uint64(born.UnixMilli()/100)*ringSize, ringSize)
}

// newRunLogAfter begins to count after a multiple of the ring's size.
func newRunLogAfter(first uint64, size int) *runLog {
	return &runLog{
		first: first, size: size, seq: first,
		counters: make(map[control.Side]map[control.Outcome]int),
		retries:  make(map[control.Side]int),
		scenes:   newScenes(),
		grown:    make(chan struct{}),
	}
}

// add numbers an event, sets the scene to which it belongs and wakes readers.
// If the event makes the story of its scene worth telling anew, a narration
// follows it in the same step, so that no reader sees one without the other.
func (l *runLog) add(e control.Event) {
	if e.AtMS == 0 {
		e.AtMS = time.Now().UnixMilli()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	story := l.scenes.place(&e)
	l.append(e)
	if text := story.tell(e); text != "" {
		l.append(control.Event{
			Side: e.Side, Lane: control.LaneShop, Kind: control.KindNote,
			Owner: e.Owner, Key: e.Key, Scene: e.Scene, AtMS: e.AtMS, Text: text,
		})
	}
	close(l.grown)
	l.grown = make(chan struct{})
}

// append needs l.mu.
func (l *runLog) append(e control.Event) {
	l.seq++
	e.Seq = l.seq
	if len(l.ring) < l.size {
		l.ring = append(l.ring, e)
	} else {
		l.ring[(e.Seq-1)%uint64(l.size)] = e
	}
	if e.Outcome == "" {
		return
	}
	if l.counters[e.Side] == nil {
		l.counters[e.Side] = make(map[control.Outcome]int)
	}
	if !lesson.Counts(e) {
		return
	}
	l.counters[e.Side][e.Outcome]++
	if e.Outcome == control.Attempt && e.Attempt > 1 {
		l.retries[e.Side]++
	}
}

// since returns up to limit events after a sequence number, oldest first; 0
// stands before the first one. ok is false if the ring no longer holds the next
// one, or never did: the reader then needs a snapshot. grown is closed when
// more is there.
func (l *runLog) since(after uint64, limit int) (events []control.Event, grown <-chan struct{}, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after == 0 {
		after = l.first
	}
	oldest := l.seq - uint64(len(l.ring)) // the sequence number before the oldest kept
	if after > l.seq || after < oldest {
		return nil, l.grown, false
	}
	return l.after(after, limit), l.grown, true
}

// snapshot returns the counters and the most recent events, consistent with
// each other.
func (l *runLog) snapshot() (state control.State, events []control.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	state = control.State{
		Seq:      l.seq,
		Counters: make(map[control.Side]map[control.Outcome]int),
		Retries:  maps.Clone(l.retries),
	}
	for side, counters := range l.counters {
		state.Counters[side] = maps.Clone(counters)
	}
	return state, l.after(l.seq-uint64(min(len(l.ring), snapshotEvents)), snapshotEvents)
}

// after reads the ring from a place that it still holds. It needs l.mu.
func (l *runLog) after(seq uint64, limit int) (events []control.Event) {
	for seq++; seq <= l.seq && len(events) < limit; seq++ {
		events = append(events, l.ring[(seq-1)%uint64(l.size)])
	}
	return events
}

// record is [lesson.Record] over the run log.
func (l *runLog) record(ctx context.Context, until func([]control.Event) bool) ([]control.Event, error) {
	for {
		events, grown, err := l.all()
		if err != nil || until(events) {
			return events, err
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return events, context.Cause(ctx)
		}
	}
}

// all returns every event of the run. The error says that the ring was too
// small for it, since a recording with a hole would tell a wrong story.
func (l *runLog) all() ([]control.Event, <-chan struct{}, error) {
	events, grown, ok := l.since(0, l.size)
	if !ok {
		return nil, grown, errRunTooLong
	}
	return events, grown, nil
}
