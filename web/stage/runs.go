package stage

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"chargeonce/web/lesson"
)

// maxRuns bounds the finished runs that are kept; the oldest is forgotten.
const maxRuns = 50

// runs are the lesson runs of this stage: one at a time, the finished ones in
// memory. It is safe for concurrent use.
type runs struct {
	options RunOptions // without id, seed and log

	ctx    context.Context // of every run; cancelled by close
	cancel context.CancelFunc
	group  sync.WaitGroup

	mu      sync.Mutex // guards what follows
	closed  bool
	running string // id; "": none
	all     map[string]*oneRun
	order   []string // ids, oldest first
}

// oneRun is a run with its log, which the page follows while it runs.
type oneRun struct {
	log *runLog
	run lesson.Run
	err error // the experiment could not be made
}

// newRuns cleans up after an earlier life of the stage that was killed in the
// middle of a run. No other stage may be at work on the same data.
func newRuns(o RunOptions) (*runs, error) {
	o.Data = filepath.Join(o.Data, "runs")
	if err := os.RemoveAll(o.Data); err != nil {
		return nil, fmt.Errorf("clean up old runs: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &runs{options: o, ctx: ctx, cancel: cancel, all: make(map[string]*oneRun)}, nil
}

// start begins a run and returns at once. The error is [errRunBusy] while
// another one is under way, and [errStopping] after close.
func (r *runs) start(l lesson.Lesson, seed uint64) (id string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return "", errStopping
	case r.running != "":
		return "", errRunBusy
	}
	if seed == 0 {
		seed = newSeed()
	}
	id = strings.ToLower(rand.Text()[:8])
	one := &oneRun{
		log: newLessonLog(),
		run: lesson.Run{ID: id, Lesson: l.ID, Seed: seed, State: lesson.Running},
	}
	r.keep(id, one)
	r.running = id
	r.group.Go(func() { r.execute(l, one) })
	return id, nil
}

// keep needs r.mu.
func (r *runs) keep(id string, one *oneRun) {
	if len(r.order) == maxRuns {
		delete(r.all, r.order[0])
		r.order = r.order[1:]
	}
	r.all[id] = one
	r.order = append(r.order, id)
}

// execute makes the run. It frees the place for the next one in the same step in
// which it leaves the result, so that nobody sees neither.
func (r *runs) execute(l lesson.Lesson, one *oneRun) {
	o := r.options
	o.ID, o.Seed, o.log = one.run.ID, one.run.Seed, one.log
	run, err := RunLesson(r.ctx, o, l)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = ""
	if err != nil {
		one.err = err
		one.run.State = lesson.Broken
		return
	}
	one.run = run
}

// get returns a run as it stands.
func (r *runs) get(id string) (run lesson.Run, err error, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, found := r.all[id]
	if !found {
		return lesson.Run{}, nil, false
	}
	return one.run, one.err, true
}

// logOf is the log of a run, to follow; nil if there is no such run.
func (r *runs) logOf(id string) *runLog {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.all[id]; one != nil {
		return one.log
	}
	return nil
}

// close ends the run that is under way and waits until it has cleaned up. A
// request that comes later begins none: nobody would wait for it.
func (r *runs) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.group.Wait()
}
