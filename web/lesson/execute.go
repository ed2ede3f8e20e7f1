package lesson

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"chargeonce/web/control"
)

const (
	// MaxRun bounds an experiment. A run takes at most 10 s; the rest is what a
	// machine with other work may add before something is stuck.
	MaxRun = 45 * time.Second
	// maxRead bounds the reading of one side's books, which are small.
	maxRead = 5 * time.Second
)

// Execute makes the experiment on both sides at once, reads the stored books
// and judges the promises. The run comes back as far as it got, held or broken;
// a script that failed or books that could not be read break it, and are the
// error as well.
func Execute(ctx context.Context, l Lesson, rigs Rigs) (Run, error) {
	run := Run{ID: rigs.ID, Lesson: l.ID, Seed: rigs.Seed, State: Running}
	both := []*sideRun{{side: control.Naive, rig: rigs.Naive}, {side: control.Safe, rig: rigs.Safe}}
	experiment(ctx, l, both)
	var errs []error
	for _, s := range both {
		s.read(ctx)
		s.takeArrivals(l, rigs.Arrivals)
		errs = append(errs, s.failed, s.unread)
	}
	var err error
	if run.Events, err = record(ctx, l, rigs, both); ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		errs = append(errs, err)
	}
	run.Events = withoutNarration(run.Events)
	run.Books = booksOf(run.ID, both)
	for _, s := range both {
		run.Checks = append(run.Checks, s.judge(l, run)...)
	}
	run.State = verdict(run.Checks)
	run.Steps = Tell(l, run)
	run.Arrivals = arrivalsOf(l, both)
	run.Board = board(l, run, map[control.Side]Figures{control.Naive: both[0].figures, control.Safe: both[1].figures})
	return run, errors.Join(errs...)
}

// sideRun is one side of a run under way.
type sideRun struct {
	side           control.Side
	rig            Rig
	figures        Figures
	failed, unread error // the script; the reading of the books
}

// experiment runs the script on all sides at once. A side that fails ends the
// others: without its counterpart an experiment shows nothing.
func experiment(ctx context.Context, l Lesson, both []*sideRun) {
	ctx, cancel := context.WithTimeout(ctx, MaxRun)
	defer cancel()
	var running sync.WaitGroup
	for _, s := range both {
		running.Go(func() {
			if err := l.Script(ctx, s.side, s.rig); err != nil {
				s.failed = fmt.Errorf("%s, %s side: %w", l.ID, s.side, err)
				cancel()
			}
		})
	}
	running.Wait()
}

func (s *sideRun) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxRead)
	defer cancel()
	s.figures, s.unread = s.rig.Figures(ctx)
}

// picture is the money that the events of the side add up to.
func (s *sideRun) picture(events []control.Event) string {
	return fold(ofSide(events, s.side), nil).text()
}

// judge makes the checks of one side: its promises, from the books alone, and
// then that the recording tells the truth.
func (s *sideRun) judge(l Lesson, run Run) []Check {
	c := checks{side: s.side}
	c.equal("the script ran to its end", "yes", yes(s.failed))
	if s.unread != nil {
		c.equal("the books can be read", "yes", yes(s.unread))
		return c.all
	}
	c.all = append(c.all, l.Promises(s.side, s.figures)...)
	c.equal("the picture equals the books", moneyOf(s.figures, nil).text(), s.picture(run.Events))
	c.equal("beats without an event", "[]", fmt.Sprint(untold(l, s.side, run.Events, run.ID)))
	return c.all
}

func yes(err error) string {
	if err != nil {
		return "no: " + err.Error()
	}
	return "yes"
}

func verdict(checks []Check) State {
	for _, c := range checks {
		if !c.Held {
			return Broken
		}
	}
	return Held
}

// booksOf gives the owners the names under which the books have them.
func booksOf(run string, both []*sideRun) control.Books {
	books := control.Books{Sides: make(map[control.Side]control.SideBooks)}
	for _, s := range both {
		owners := make(map[string]control.OwnerBooks, len(s.figures.Owners))
		for short, figures := range s.figures.Owners {
			owners[OwnerName(run, short)] = figures
		}
		books.Sides[s.side] = control.SideBooks{Owners: owners}
	}
	return books
}
