package ledger

import (
	"context"
	"runtime/debug"
	"time"

	"chargeonce/idem"
)

// beats is how many heartbeats fit in a lease: two may be late or fail to get
// through before the claim is up for others.
const beats = 3

// write is the only way in which an attempt changes its record. After the last
// one the others are refused with [errEnded]: a late heartbeat would otherwise
// renew a lease that nobody stands behind.
func (a *attempt) write(ctx context.Context, last bool,
	fn func(tx Tx, mine idem.Record, now idem.Now) (idem.Record, error),
) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return errEnded
	}
	var next idem.Record
	err := a.ledger.opts.Store.Update(ctx, func(tx Tx) error {
		var err error
		next, err = fn(tx, a.record, a.ledger.opts.now())
		return err
	})
	if err != nil {
		return err
	}
	a.record, a.ended = next, last
	return nil
}

// keepAlive renews the lease until stop, which waits for a beat under way.
func (a *attempt) keepAlive(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(a.ledger.opts.Terms.Lease / beats)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if err := a.beat(ctx); err != nil {
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// beat renews once. A failure is remembered, and the heart stops.
func (a *attempt) beat(ctx context.Context) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = a.lose(&PanicError{Value: value, Stack: debug.Stack()})
		}
	}()
	if !a.ledger.opts.Hooks.beat(ctx, a.claim.work) {
		return nil
	}
	err = a.write(ctx, false, func(tx Tx, mine idem.Record, now idem.Now) (idem.Record, error) {
		return idem.Renew(tx, mine, now, a.ledger.opts.Terms)
	})
	if err != nil {
		return a.lose(err)
	}
	return nil
}

func (a *attempt) lose(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lost = err
	return err
}

// held is the latest copy of our own record.
func (a *attempt) held() idem.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.record
}
