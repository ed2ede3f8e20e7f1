package lesson

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"chargeonce/web/control"
)

// fake is one side of a world. It implements [Rig].
type fake struct {
	w       *world
	side    control.Side
	mistake string
	stopped chan struct{}  // closed when the rig is taken down
	running sync.WaitGroup // of its shop, wire and API

	mu       sync.Mutex // guards what follows
	proc     *proc
	gates    map[string]int // gate and owner → how many still stop
	queues   map[string]chan control.Hold
	fates    map[string]chan string // hold → its fate
	faults   []control.Fault
	orders   map[string]*control.Order
	buyers   map[string]string // order → short owner
	wire     map[string]control.Wire
	records  map[string]*keyRecord
	charges  []*control.Charge
	captured []*control.Capture
	loops    int
}

// proc is a life of the API process.
type proc struct {
	dead chan struct{} // closed by a kill
	born time.Time
}

// keyRecord is an idempotency record with what a waiter needs.
type keyRecord struct {
	fence       uint64
	born, lease time.Time
	charge      *control.Charge
	replays     int
	done        chan struct{} // closed by commit 2
}

func (r *keyRecord) open() bool {
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

func newFake(w *world, side control.Side, mistake string) *fake {
	f := &fake{
		w: w, side: side, mistake: mistake, stopped: make(chan struct{}),
		proc:  &proc{dead: make(chan struct{}), born: time.Now()},
		gates: map[string]int{}, queues: map[string]chan control.Hold{}, fates: map[string]chan string{},
		orders: map[string]*control.Order{}, buyers: map[string]string{}, wire: map[string]control.Wire{},
		records: map[string]*keyRecord{},
	}
	w.fakes = append(w.fakes, f)
	return f
}

func (f *fake) emit(e control.Event) {
	e.Side = f.side
	f.w.emit(e)
}

func (f *fake) Arm(_ context.Context, fault control.Fault) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, fault)
	return nil
}

func (f *fake) Gate(_ context.Context, gate control.Gate) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gates[gate.Gate+"/"+OwnerName(worldID, gate.Owner)] += gate.Count
	return nil
}

func (f *fake) queue(owner string) chan control.Hold {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.queues[owner] == nil {
		f.queues[owner] = make(chan control.Hold, 64)
	}
	return f.queues[owner]
}

func (f *fake) Held(ctx context.Context, owner string) (control.Hold, error) {
	select {
	case hold := <-f.queue(OwnerName(worldID, owner)):
		return hold, nil
	case <-ctx.Done():
		return control.Hold{}, ctx.Err()
	}
}

func (f *fake) Release(_ context.Context, hold control.Hold, action string, _ int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	fate := f.fates[hold.Hold]
	if fate == nil {
		return fmt.Errorf("nothing is held as %q", hold.Hold)
	}
	delete(f.fates, hold.Hold)
	if action == Kill {
		f.kill()
		return nil
	}
	fate <- action
	return nil
}

// kill needs f.mu. The process is back after a while, on the same data.
func (f *fake) kill() {
	dead := f.proc
	close(dead.dead)
	f.proc = nil
	f.emit(control.Event{Lane: control.LaneAPI, Kind: control.KindProcess, Outcome: control.Killed})
	f.running.Go(func() {
		time.Sleep(400 * time.Millisecond) // a start takes its time, on virtual time
		f.mu.Lock()
		defer f.mu.Unlock()
		f.proc = &proc{dead: make(chan struct{}), born: time.Now()}
		f.emit(control.Event{Lane: control.LaneAPI, Kind: control.KindProcess, Outcome: control.Ready})
	})
}

func (f *fake) Await(ctx context.Context, cue Cue) (found control.Event, err error) {
	_, err = f.w.record(ctx, func(events []control.Event) (ok bool) {
		found, ok = cue.Find(ofSide(events, f.side), worldID)
		return ok
	})
	return found, err
}

// Figures reads the model's stores, as the stage reads the real ones.
func (f *fake) Figures(context.Context) (Figures, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	figures := Figures{Owners: map[string]control.OwnerBooks{}}
	for name, o := range f.orders {
		figures.Orders = append(figures.Orders, *o)
		short := f.buyers[name]
		books := f.books(OwnerName(worldID, short))
		books.Wanted[o.Currency] += o.Amount
		figures.Owners[short] = books
	}
	for _, key := range slices.Sorted(maps.Keys(f.records)) {
		r, state := f.records[key], "done"
		if r.open() {
			state = "claimed"
		}
		figures.Records = append(figures.Records, control.KeyRecord{Key: key, State: state, Fence: r.fence, Replays: r.replays})
	}
	for _, c := range f.charges {
		figures.Charges = append(figures.Charges, *c)
	}
	for _, c := range f.captured {
		figures.Captures = append(figures.Captures, *c)
	}
	return figures, nil
}

func (f *fake) books(owner string) control.OwnerBooks {
	books := control.OwnerBooks{
		Wanted: control.Sums{}, Ledger: control.Sums{}, Captured: control.Sums{}, Wire: f.wire[owner],
	}
	for _, c := range f.charges {
		if c.Owner == owner && c.Status == "succeeded" {
			books.Charges++
			books.Ledger[c.Currency] += c.Amount
		}
	}
	for _, c := range f.captured {
		if c.Reference == owner {
			books.Captures++
			books.Captured[c.Currency] += c.Amount
		}
	}
	return books
}

// The fake plays the lessons of the first tour, which need none of these.

func (f *fake) Send(context.Context, Request) (Answer, error) { return Answer{}, errUnfaked }
func (f *fake) Disarm(context.Context) error                  { return errUnfaked }
func (f *fake) Reboot(context.Context) error                  { return errUnfaked }
func (f *fake) Clock(context.Context, time.Duration) error    { return errUnfaked }

var errUnfaked = errors.New("the fake rig cannot do this")
