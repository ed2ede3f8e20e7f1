package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"chargeonce/retrypolicy"
	"chargeonce/web/control"
	"chargeonce/web/lesson"
	"chargeonce/web/network"
)

// Durations of a rig, short enough to be watched.
const (
	rigLease           = 3 * time.Second
	rigBusyWait        = time.Second
	rigProviderTimeout = 500 * time.Millisecond
	manualLatency      = 200 * time.Millisecond // of the manual rig's provider: long enough to be seen and to click into
	lessonLatency      = 20 * time.Millisecond  // of a lesson's
)

// shopPolicy is the retry policy of the shop in a rig, where a lesson does not
// ask for another.
func shopPolicy(wish lesson.ShopPolicy) retrypolicy.Policy {
	return retrypolicy.Policy{
		MaxAttempts: cmp.Or(wish.Attempts, 10), AttemptTimeout: cmp.Or(wish.Timeout, 2*time.Second),
		Base: cmp.Or(wish.Base, 200*time.Millisecond), Cap: cmp.Or(wish.Cap, 2*time.Second), MaxElapsed: 30 * time.Second,
	}
}

// rigOptions describe a rig.
type rigOptions struct {
	Exe     string // the binary whose `api` subcommand the children run
	Data    string // its folders are made below
	Owner   string // whose orders its shops place
	Seed    uint64 // of the jitter: both sides draw the same sequence
	Latency time.Duration
	Mistake Mistake // of the naive side
	Shop    lesson.ShopPolicy
	// Complete: the API completes unfinished work by itself after so long; 0:
	// never.
	Complete time.Duration
	// Patient: a held request stops its shop's clock. Free play wants that; a
	// lesson's holds are part of its script.
	Patient bool
	Log     io.Writer
	Emit    func(control.Event)
	Record  func(control.Side, network.Exchange) // of each word about what is on a wire
}

// rig is two systems that get the same clicks: a naive and a safe one, each
// with data, wires and processes of its own.
type rig struct {
	options rigOptions

	moving sync.Mutex   // one move of the clocks at a time, so that they agree
	mu     sync.RWMutex // guards what follows, and options.Mistake
	safe   *system      // which fresh books replace
	naive  *system      // which a change of mistake replaces as well
	closed bool
}

// openRig starts both sides at the same time. On an error nothing is left
// running.
func openRig(ctx context.Context, o rigOptions) (*rig, error) {
	r := &rig{options: o}
	if err := r.openSides(ctx, 0); err != nil {
		return nil, fmt.Errorf("open the rig: %w", err)
	}
	return r, nil
}

// openSides opens both or none, with their retention clocks ahead by so much.
// It needs r.mu once the rig is shared.
func (r *rig) openSides(ctx context.Context, ahead time.Duration) error {
	var group sync.WaitGroup
	sides := make([]*system, 2)
	errs := make([]error, 2)
	for i, options := range []systemOptions{r.side(control.Naive, r.options.Mistake), r.side(control.Safe, Mistake{})} {
		options.Offset = ahead
		group.Go(func() { sides[i], errs[i] = openSystem(ctx, options) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return errors.Join(err, closeAll(sides))
	}
	r.naive, r.safe = sides[0], sides[1]
	return nil
}

// closeAll ends systems at the same time; nil ones are none.
func closeAll(systems []*system) error {
	var group sync.WaitGroup
	ends := make([]error, len(systems))
	for i, system := range systems {
		if system != nil {
			group.Go(func() { ends[i] = system.close() })
		}
	}
	group.Wait()
	return errors.Join(ends...)
}

// reopen closes both sides, lets change work on what they leave, and opens them
// again with their retention clocks ahead by so much. It holds the lock all the
// while, as makeMistake does, and the clocks'. After an error both sides are
// closed. The error is [errStopping] after close; change is not called then.
func (r *rig) reopen(ctx context.Context, ahead time.Duration, change func() error) error {
	r.moving.Lock()
	defer r.moving.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errStopping
	}
	if err := closeAll([]*system{r.naive, r.safe}); err != nil {
		return fmt.Errorf("close both sides: %w", err)
	}
	if err := change(); err != nil {
		return err
	}
	return r.openSides(ctx, ahead)
}

func (r *rig) side(side control.Side, mistake Mistake) systemOptions {
	return systemOptions{
		Side: side, Exe: r.options.Exe, Data: r.options.Data, Owner: r.options.Owner,
		Random: jitter(r.options.Seed), Latency: r.options.Latency, Mistake: mistake,
		Patient: r.options.Patient, Shop: r.options.Shop, Complete: r.options.Complete,
		Log: r.options.Log, Emit: r.options.Emit,
		Record: func(n network.Exchange) {
			if r.options.Record != nil {
				r.options.Record(side, n)
			}
		},
	}
}

// systems are both sides, in the order in which the panel shows them.
func (r *rig) systems() []*system {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return []*system{r.naive, r.safe}
}

// system finds a side.
func (r *rig) system(side control.Side) *system {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if side == control.Safe {
		return r.safe
	}
	return r.naive
}

// makeMistake restarts the naive side with another mistake, on the same data.
// It holds the lock all the while: whoever asks for the sides waits for the new
// one and never meets the one that is being closed. If the new one does not
// open, there is none until another mistake is chosen. The error is
// [errStopping] after close: a side that is opened then is never closed.
func (r *rig) makeMistake(ctx context.Context, mistake Mistake) error {
	r.moving.Lock() // a move of the clocks that waits for the old side would wait in vain
	defer r.moving.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errStopping
	}
	if err := r.naive.close(); err != nil {
		return fmt.Errorf("close the naive side: %w", err)
	}
	options := r.side(control.Naive, mistake)
	options.Offset = r.safe.clock.now()
	naive, err := openSystem(ctx, options)
	if err != nil {
		return fmt.Errorf("open the naive side: %w", err)
	}
	r.options.Mistake, r.naive = mistake, naive
	return nil
}

// advance moves the retention clocks of both sides on, by the same time, and
// returns how far ahead they are.
func (r *rig) advance(ctx context.Context, by time.Duration) (now time.Duration, err error) {
	r.moving.Lock()
	defer r.moving.Unlock()
	var errs []error
	for _, system := range r.systems() { // both, whatever becomes of the first: they must agree
		now, err = system.advance(ctx, by)
		errs = append(errs, err)
	}
	return now, errors.Join(errs...)
}

// mistake is the one that the naive side makes now.
func (r *rig) mistake() Mistake {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.options.Mistake
}

// close ends both sides at the same time.
func (r *rig) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return closeAll([]*system{r.naive, r.safe})
}

// newSeed takes a seed from the clock, short enough to be read out.
func newSeed() uint64 { return uint64(time.Now().UnixMilli() % 100_000) }

// jitter draws from [0,1), the same sequence for the same seed.
func jitter(seed uint64) func() float64 {
	var mu sync.Mutex // a source is not safe for concurrent use
	source := mathrand.New(mathrand.NewPCG(seed, seed))
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return source.Float64()
	}
}
