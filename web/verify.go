package web

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"chargeonce/web/lesson"
	"chargeonce/web/stage"
)

// verifyAtOnce is how many lessons run at the same time: each has two API
// processes, and more would only wait for each other on a laptop.
const verifyAtOnce = 4

// maxRounds bounds --rounds.
const maxRounds = 1000

// errBroken says that a promise did not hold. The lines have said which.
var errBroken = errors.New("a promise is broken")

// verify runs lessons headless and says whether their promises hold: one line
// each, then a summary. A promise that breaks is an error, and so is an end
// before all of them were tried.
func verify(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	lessons, rounds, err := verifyArgs(args, stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "chargeonce-verify-")
	if err != nil {
		return fmt.Errorf("make a folder for the runs: %w", err)
	}
	exe, err := os.Executable()
	if err != nil {
		return errors.Join(fmt.Errorf("find our own binary: %w", err), os.RemoveAll(dir))
	}
	v := &verification{out: stdout, options: stage.RunOptions{Exe: exe, Data: dir, Mistakes: mistakes(), Log: stderr}}
	for round := range rounds {
		v.round(ctx, lessons, round)
	}
	_, err = fmt.Fprintf(stdout, "%d held, %d broken\n", v.held, v.broken)
	if v.broken > 0 {
		err = errors.Join(err, errBroken)
	}
	return errors.Join(err, ctx.Err(), os.RemoveAll(dir))
}

func verifyArgs(args []string, stderr io.Writer) (lessons []lesson.Lesson, rounds int, err error) {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&rounds, "rounds", 1, "how often each lesson runs")
	if err := parse(flags, args); err != nil {
		return nil, 0, err
	}
	if rounds < 1 || rounds > maxRounds {
		return nil, 0, fmt.Errorf("%w: --rounds must be 1 to %d", errUsage, maxRounds)
	}
	if flags.NArg() == 0 {
		return lesson.All(), rounds, nil
	}
	for _, id := range flags.Args() {
		l, err := lesson.ByID(id)
		if err != nil {
			return nil, 0, fmt.Errorf("%w: %w", errUsage, err)
		}
		lessons = append(lessons, l)
	}
	return lessons, rounds, nil
}

// verification counts what held. Its methods may be called concurrently.
type verification struct {
	options stage.RunOptions

	mu           sync.Mutex // guards what follows
	out          io.Writer
	held, broken int
}

// round runs every lesson once, some at a time. Once ctx has ended it begins no
// other: each would start two processes only to end them.
func (v *verification) round(ctx context.Context, lessons []lesson.Lesson, round int) {
	slots := make(chan struct{}, verifyAtOnce)
	var group sync.WaitGroup
	for i, l := range lessons {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() {
			defer func() { <-slots }()
			v.one(ctx, l, "v"+strconv.Itoa(round)+"n"+strconv.Itoa(i), uint64(round+1))
		})
	}
	group.Wait()
}

// one runs a lesson. An experiment that could not be made counts as broken: its
// promise has not been seen to hold.
func (v *verification) one(ctx context.Context, l lesson.Lesson, id string, seed uint64) {
	begin := time.Now()
	o := v.options
	o.ID, o.Seed = id, seed
	run, err := stage.RunLesson(ctx, o, l)
	took := time.Since(begin).Round(100 * time.Millisecond)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		v.broken++
		v.say("BROKEN %s could not run: %v\n", l.ID, err)
		return
	}
	if run.State == lesson.Held {
		v.held++
		v.say("held %s %v\n", l.ID, took)
		return
	}
	v.broken++
	for _, check := range run.Checks {
		if !check.Held {
			v.say("BROKEN %s %s %s: want %s, got %s\n", l.ID, check.Side, check.Name, check.Want, check.Got)
		}
	}
}

// say needs v.mu. A reader that has gone changes nothing about the promises.
func (v *verification) say(format string, args ...any) { _, _ = fmt.Fprintf(v.out, format, args...) }
