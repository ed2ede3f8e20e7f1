package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
	"chargeonce/web/shop"
)

// runWithin bounds a lesson's run with its start and its end: ten seconds of
// experiment on a machine that is busy with other things.
const runWithin = 60 * time.Second

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
		o.log = newRunLog()
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
		Mistake: mistake, Patient: l.Patient, Log: o.Log,
		Emit: func(e control.Event) { o.log.add(inRun(e, o.ID, begin)) },
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
	events, grown, ok := l.since(0, ringSize)
	if !ok {
		return nil, grown, errRunTooLong
	}
	return events, grown, nil
}

// runOrders are the purchases of a run: both sides get the same orders with
// the same keys, as they get the same clicks. It is safe for concurrent use.
type runOrders struct {
	run string

	mu     sync.Mutex // guards drafts
	drafts map[string]shop.Order
}

func (o *runOrders) draft(p lesson.Purchase) shop.Order {
	o.mu.Lock()
	defer o.mu.Unlock()
	owner := lesson.OwnerName(o.run, p.Owner)
	name := owner + "/" + p.Order
	draft, known := o.drafts[name]
	if !known {
		draft = shop.Draft(p.Amount, p.Currency, p.Card)
		draft.Owner = owner
		o.drafts[name] = draft
	}
	return draft
}

// runSide is one side of a run's rig, as a lesson's script may use it. It is
// safe for concurrent use.
type runSide struct {
	system *system
	run    string
	orders *runOrders
	log    *runLog

	mu    sync.Mutex // guards given
	given map[string]bool
}

var _ lesson.Rig = (*runSide)(nil)

func newRunSide(s *system, run string, orders *runOrders, log *runLog) *runSide {
	return &runSide{system: s, run: run, orders: orders, log: log, given: make(map[string]bool)}
}

// Buy implements [lesson.Rig].
func (r *runSide) Buy(ctx context.Context, p lesson.Purchase) (lesson.Ticket, error) {
	click, err := r.system.shop.Pay(ctx, r.orders.draft(p))
	if err != nil {
		return lesson.Ticket{}, err
	}
	return lesson.Ticket{Wait: func(ctx context.Context) (string, error) {
		state, err := click.Wait(ctx)
		if state == shop.Open {
			return lesson.Unconfirmed, err
		}
		return string(state), err
	}}, nil
}

// Arm implements [lesson.Rig].
func (r *runSide) Arm(_ context.Context, f control.Fault) error {
	wire := r.system.boundary(f.Boundary)
	if wire == nil {
		return fmt.Errorf("arm %q: no such boundary", f.Boundary)
	}
	f.Owner = lesson.OwnerName(r.run, f.Owner)
	_, err := wire.Arm(toNetwork(f))
	return err
}

// Gate implements [lesson.Rig].
func (r *runSide) Gate(ctx context.Context, g control.Gate) error {
	g.Side, g.Owner = r.system.options.Side, lesson.OwnerName(r.run, g.Owner)
	_, err := r.system.gates.arm(ctx, g)
	return err
}

// Held implements [lesson.Rig].
func (r *runSide) Held(ctx context.Context, owner string) (control.Hold, error) {
	full := lesson.OwnerName(r.run, owner)
	return r.system.gates.await(ctx, func(h control.Hold) bool { return h.Owner == full && r.give(h.Hold) })
}

// give hands a hold out once.
func (r *runSide) give(hold string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	given := r.given[hold]
	r.given[hold] = true
	return !given
}

// Release implements [lesson.Rig].
func (r *runSide) Release(_ context.Context, hold control.Hold, action string, ms int64) error {
	return r.system.gates.decide(hold.Hold, action, ms)
}

// Await implements [lesson.Rig].
func (r *runSide) Await(ctx context.Context, cue lesson.Cue) (found control.Event, err error) {
	_, err = r.log.record(ctx, func(events []control.Event) bool {
		mine := slices.DeleteFunc(slices.Clone(events), func(e control.Event) bool { return e.Side != r.system.options.Side })
		var ok bool
		found, ok = cue.Find(mine, r.run)
		return ok
	})
	if err != nil {
		return control.Event{}, fmt.Errorf("wait for %+v: %w", cue, err)
	}
	return found, nil
}

// Figures implements [lesson.Rig].
func (r *runSide) Figures(ctx context.Context) (lesson.Figures, error) {
	side, err := r.system.sideBooks(ctx)
	if err != nil {
		return lesson.Figures{}, err
	}
	if side.Stale {
		return lesson.Figures{}, errChildDown
	}
	figures := lesson.Figures{Owners: make(map[string]control.OwnerBooks)}
	for owner, books := range side.Owners {
		if short, ours := r.short(owner); ours {
			figures.Owners[short] = books
		}
	}
	return figures, r.details(ctx, &figures)
}

// details adds the lines behind the sums.
func (r *runSide) details(ctx context.Context, figures *lesson.Figures) error {
	captures, err := r.system.captures("")
	if err != nil {
		return err
	}
	figures.Captures = captures
	ledger, _ := r.system.ledgerBooks(ctx)
	for _, owner := range slices.Sorted(maps.Keys(ledger.Owners)) {
		figures.Charges = append(figures.Charges, ledger.Owners[owner].List...)
		records, err := r.system.keyRecords(ctx, owner, "")
		if err != nil {
			return err
		}
		figures.Records = append(figures.Records, records...)
	}
	return r.system.shop.Each(ctx, func(o shop.Order) {
		figures.Orders = append(figures.Orders, control.Order{
			ID: o.ID, Owner: o.Owner, Key: o.Key, Amount: o.Amount, Currency: o.Currency,
			Card: o.Card, State: string(o.State), Charge: o.Charge,
		})
	})
}

// short is an owner's name as scripts use it; ours is false for others.
func (r *runSide) short(owner string) (short string, ours bool) {
	own := lesson.OwnerName(r.run, "")
	if owner == own {
		return "", true
	}
	return strings.CutPrefix(owner, own+"_")
}
