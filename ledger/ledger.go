package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"chargeonce/idem"
)

// maxRounds bounds how often one request asks for its key anew after it lost
// its claim. Each loss takes a lease's time and another attempt that is alive,
// so a second loss is rare and a third hardly possible.
const maxRounds = 4

// Ledger makes charges and refunds. It is safe for concurrent use.
type Ledger struct {
	opts    Options
	waiters idem.Waiters
	closing <-chan struct{} // closed by the first Close: nobody waits any more
	stop    func()          // closes it
	idle    chan struct{}   // closed when nothing is under way after that

	mu       sync.Mutex // guards what follows
	closed   bool
	underWay int // slots that are held
	loops    int // the completer and the reaper, as far as they run
}

// New checks the options and returns a ledger over its store; where the options
// ask for a completer or a reaper, they run until [Ledger.Close]. The error is
// [idem.ErrTerms] where the durations would let two attempts work at once or
// let a late retry charge again.
func New(opts Options) (*Ledger, error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &Ledger{
		opts:    opts,
		waiters: idem.Waiters{Max: opts.MaxWaiters},
		closing: ctx.Done(),
		stop:    stop,
		idle:    make(chan struct{}),
	}
	if opts.CompleteAfter > 0 {
		l.loop(newCompleter(l).run)
	}
	if opts.ReapEvery > 0 {
		l.loop(func() { l.reapOften(ctx) })
	}
	return l, nil
}

// Charge makes the charge that the request asks for, once per key, and says
// what this request may answer. The answer to send is in the result's record
// for started, resumed and replay.
//
// It returns once the outcome is durable, or when ctx ends: the work that was
// begun then goes on without the caller. Errors: [ErrInvalid],
// [ErrOverloaded], [ErrClosed] (nothing was done); [ErrOutcomeUnknown] and
// [ErrProviderRefused] (the key is open: the result names the charge and, for
// the first, when to come again); those of the store.
func (l *Ledger) Charge(ctx context.Context, req ChargeRequest) (Result, error) {
	if err := req.Validate(); err != nil {
		return Result{}, err
	}
	return l.do(ctx, l.chargeTask(req))
}

func (l *Ledger) chargeTask(req ChargeRequest) task {
	return task{
		claim:   idem.Claim{Key: req.Key, Fingerprint: req.Fingerprint, Operation: req.Operation},
		request: req.Request,
		wait:    req.Wait,
		names:   func(id string) Result { return Result{Charge: id} },
		fresh: func() (string, start) {
			fresh := l.pendingCharge(req)
			return fresh.ID, func(tx Tx, now idem.Now) (started, error) {
				fresh.Created = now.Wall
				return startCharge(tx, fresh)
			}
		},
	}
}

// pendingCharge is the charge that a request asks for, under a new id.
func (l *Ledger) pendingCharge(req ChargeRequest) Charge {
	return Charge{
		ID: l.opts.NewID("ch_"), Owner: req.Key.Owner, Status: Pending,
		Amount: req.Amount, Currency: req.Currency, Card: req.Card,
		Description: req.Description, Metadata: maps.Clone(req.Metadata),
		Key: req.Key.Value, Request: req.Request, Version: req.Version,
	}
}

// do makes what a task asks for, once per key.
func (l *Ledger) do(ctx context.Context, t task) (Result, error) {
	slot, err := l.enter()
	if err != nil {
		return Result{}, err
	}
	defer slot.release()
	l.opts.Hooks.at(ctx, AtBegin)

	var last claimed
	for range maxRounds {
		last, err = l.acquire(ctx, t)
		if err != nil {
			return Result{}, err
		}
		if last.answered() {
			return l.answer(ctx, last), nil
		}
		if !last.Outcome.Holds() {
			return last.result(), nil
		}
		result, err := l.detach(ctx, slot, last)
		if !errors.Is(err, errLost) {
			return result, err
		}
	}
	return last.unknown(), fmt.Errorf("%w: the claim was lost %d times", ErrOutcomeUnknown, maxRounds)
}

// answer tells of a key that one commit claimed and finished.
func (l *Ledger) answer(ctx context.Context, c claimed) Result {
	l.opts.Hooks.decided(ctx, c.Record.Key, c.Decision)
	l.opts.Hooks.committed(ctx, Commit{Phase: 2, Work: c.work, Record: c.Record, Rows: c.rows})
	l.opts.Hooks.at(ctx, AtCommitted)
	return c.result()
}

// detach runs the attempt on its own, so that a client that hangs up does not
// stop a charge half way, and waits for it as long as the caller does.
func (l *Ledger) detach(ctx context.Context, slot *slot, c claimed) (Result, error) {
	type end struct {
		result Result
		err    error
	}
	done := make(chan end, 1)
	slot.hold()
	go func() {
		defer slot.release()
		// Stands if the attempt leaves without returning (runtime.Goexit).
		e := end{c.unknown(), fmt.Errorf("%w: the attempt ended early", ErrOutcomeUnknown)}
		defer func() { done <- e }()
		e.result, e.err = newAttempt(l, c, slot).run(context.WithoutCancel(ctx))
	}()
	select {
	case e := <-done:
		return e.result, e.err
	case <-ctx.Done():
		return c.unknown(), fmt.Errorf("%w: the caller left: %w", ErrOutcomeUnknown, context.Cause(ctx))
	}
}

// Close refuses new calls, sends waiting ones away, and waits for the work
// under way, also that whose clients have gone, until ctx ends; it then
// returns the cause. The store stays open: it belongs to the caller.
func (l *Ledger) Close(ctx context.Context) error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		l.stop()
		l.rest()
	}
	l.mu.Unlock()
	select {
	case <-l.idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("ledger: work is still under way: %w", context.Cause(ctx))
	}
}
