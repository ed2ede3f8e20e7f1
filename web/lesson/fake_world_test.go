package lesson

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/web/control"
)

// world is a model of a run's rig: both sides in memory, on virtual time, just
// true enough for scripts. It knows the safe rule and the three mistakes.
type world struct {
	start time.Time

	mu     sync.Mutex // guards what follows
	events []control.Event
	grown  chan struct{}
	fakes  []*fake
}

const worldID = "t1"

func newWorld() *world { return &world{start: time.Now(), grown: make(chan struct{})} }

func (w *world) emit(e control.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.Seq, e.Run = uint64(len(w.events)+1), worldID
	e.AtMS = time.Since(w.start).Milliseconds()
	w.events = append(w.events, e)
	close(w.grown)
	w.grown = make(chan struct{})
}

// record implements [Record].
func (w *world) record(ctx context.Context, until func([]control.Event) bool) ([]control.Event, error) {
	for {
		w.mu.Lock()
		events, grown := slices.Clip(w.events), w.grown // only ever appended to
		w.mu.Unlock()
		if until(events) {
			return events, nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return events, ctx.Err()
		}
	}
}

// close is the stage that takes a rig down: whatever still runs there ends.
func (w *world) close() {
	for _, f := range w.fakes {
		close(f.stopped)
		f.running.Wait()
	}
}

// rigs builds both sides; with no mistake the "naive" side is right as well.
func (w *world) rigs(mistake string) Rigs {
	naive, safe := newFake(w, control.Naive, mistake), newFake(w, control.Safe, "")
	return Rigs{ID: worldID, Seed: 41, Naive: naive, Safe: safe, Record: w.record}
}

// execute runs a lesson in a bubble of virtual time, waits for everything that
// it started, and says how long it took.
func execute(t *testing.T, l Lesson, change func(Rigs) Rigs) (run Run, took time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		rigs := w.rigs(l.Mistake)
		if change != nil {
			rigs = change(rigs)
		}
		run, err = Execute(t.Context(), l, rigs)
		took = time.Since(w.start)
		w.close()
	})
	return run, took, err
}

// runs are recordings that tests only look at, by lesson.
var runs = make(map[string]Run)

// recorded executes a lesson on a sound rig, once for all tests.
func recorded(t *testing.T, l Lesson) Run {
	t.Helper()
	if run, ok := runs[l.ID]; ok {
		return run
	}
	run, _, err := execute(t, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	runs[l.ID] = run
	return run
}

// broken lists the checks that did not hold, for messages.
func broken(run Run) (names []string) {
	for _, c := range run.Checks {
		if !c.Held {
			names = append(names, string(c.Side)+": "+c.Name+": want "+c.Want+", got "+c.Got)
		}
	}
	return names
}
