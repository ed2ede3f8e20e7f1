package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chargeonce/idem"
)

const (
	// RetryAfter is when a client that got no final answer should come again:
	// the shortest time that the header can say. An attempt takes less.
	RetryAfter = time.Second
	// minNap keeps a waiter from spinning while a lease has next to no time
	// left.
	minNap = 5 * time.Millisecond
)

// acquire asks for the key until the answer is final or the waiting is over.
func (l *Ledger) acquire(ctx context.Context, t task) (claimed, error) {
	last, err := l.begin(ctx, t)
	if err != nil {
		return claimed{}, err
	}
	if last.Outcome == idem.Busy {
		// Told once, when the waiting starts: a watcher sees the second click
		// while the first is still at work, not afterwards.
		l.opts.Hooks.decided(ctx, t.claim.Key, last.Decision)
		if last, err = l.waitFor(ctx, t, last); err != nil || last.Outcome == idem.Busy {
			return last, err
		}
	}
	if !last.Outcome.Holds() { // the attempt itself tells of the others
		l.opts.Hooks.decided(ctx, t.claim.Key, last.Decision)
	}
	return last, nil
}

// begin makes commit 1.
func (l *Ledger) begin(ctx context.Context, t task) (claimed, error) {
	asked := t.claim
	var begin start
	asked.Resource, begin = t.fresh()
	var c claimed
	err := l.opts.Store.Update(ctx, func(tx Tx) (err error) {
		c, err = claim(tx, asked, begin, l.opts.now(), l.opts.Terms)
		return err
	})
	if err != nil {
		return claimed{}, fmt.Errorf("commit 1: %w", err)
	}
	c.names, c.request = t.names, t.request
	return c, nil
}

// waitFor lets a busy request wait within its bound. It joins the queue before
// it asks, so that no wake falls in between, and whatever wakes it, it asks for
// the key again: it never takes over what the other attempt found.
func (l *Ledger) waitFor(ctx context.Context, t task, last claimed) (claimed, error) {
	bound := t.wait
	if bound == 0 {
		bound = l.opts.BusyWait
	}
	if bound < 0 {
		return last, nil
	}
	patience := time.NewTimer(bound)
	defer patience.Stop()
	for {
		woken, leave, err := l.waiters.Join(t.claim.Key)
		if err != nil { // the queue is full: busy at once serves a loop better
			last.Reason += "; " + err.Error()
			return last, nil
		}
		next, err := l.begin(ctx, t)
		if err != nil || next.Outcome != idem.Busy {
			leave()
			return next, err
		}
		last = next
		err = l.nap(ctx, woken, patience.C, last.Record.LeaseLeft(l.opts.now()))
		leave()
		if errors.Is(err, errWaited) {
			return last, nil
		}
		if err != nil {
			return claimed{}, err
		}
	}
}

// nap returns nil when it is worth asking again: the attempt at work has ended,
// or its lease has. [errWaited] says that the waiting is over.
func (l *Ledger) nap(ctx context.Context, woken <-chan struct{}, patience <-chan time.Time, lease time.Duration) error {
	leaseEnd := time.NewTimer(max(lease, minNap))
	defer leaseEnd.Stop()
	select {
	case <-woken:
		return nil
	case <-leaseEnd.C:
		return nil
	case <-patience:
		return errWaited
	case <-l.closing:
		return errWaited
	case <-ctx.Done():
		return fmt.Errorf("ledger: wait for the key: %w", context.Cause(ctx))
	}
}
