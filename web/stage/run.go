package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
	"chargeonce/web/shop"
)

// runWithin bounds a lesson's run with its start and its end: ten seconds of
// experiment on a machine that is busy with other things.
const runWithin = 90 * time.Second

// RunOptions say where a lesson runs.
type RunOptions struct {
	ID       string // of the run; part of its owners' names
	Exe      string // the binary whose `api` subcommand the children run
	Data     string // a folder of the run's own is made in it, and removed
	Seed     uint64
	Mistakes []Mistake
	Log      io.Writer

	log *runLog // takes the events; nil: a new one
}

// RunLesson makes one experiment on a rig of its own and returns what is left
// of it. Whether the promise held stands in the run; an error means that the
// experiment could not be made. Nothing of the rig is left behind.
func RunLesson(ctx context.Context, o RunOptions, l lesson.Lesson) (run lesson.Run, err error) {
	ctx, cancel := context.WithTimeout(ctx, runWithin)
	defer cancel()
	if o.log == nil {
		o.log = newLessonLog()
	}
	mistake, ok := mistakeByID(o.Mistakes, l.Mistake)
	if !ok {
		return lesson.Run{}, fmt.Errorf("lesson %s: %w: %q", l.ID, errNoMistake, l.Mistake)
	}
	dir := filepath.Join(o.Data, o.ID)
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	begin := time.Now()
	rig, err := openRig(ctx, rigOptions{
		Exe: o.Exe, Data: dir, Owner: lesson.OwnerName(o.ID, ""), Seed: o.Seed, Latency: lessonLatency,
		Mistake: mistake, Patient: l.Patient, Shop: l.Shop, Complete: l.Complete, Log: o.Log,
		Emit:   func(e control.Event) { o.log.add(inRun(e, o.ID, begin)) },
		Record: o.log.exchanges.add,
	})
	if err != nil {
		return lesson.Run{}, err
	}
	defer func() { err = errors.Join(err, rig.close()) }()
	orders := &runOrders{run: o.ID, drafts: make(map[string]shop.Order)}
	return lesson.Execute(ctx, l, lesson.Rigs{
		ID: o.ID, Seed: o.Seed, Record: o.log.record,
		Naive: newRunSide(rig.naive, o.ID, orders, o.log),
		Safe:  newRunSide(rig.safe, o.ID, orders, o.log),
		Arrivals: func(side control.Side, storm lesson.Storm) ([]int, error) {
			return rig.system(side).arrivals(storm, o.Seed)
		},
	})
}

// inRun moves an event onto the time axis of a run.
func inRun(e control.Event, run string, begin time.Time) control.Event {
	if e.AtMS == 0 {
		e.AtMS = time.Now().UnixMilli()
	}
	e.Run, e.AtMS = run, max(0, e.AtMS-begin.UnixMilli())
	return e
}
