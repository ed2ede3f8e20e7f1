package ledger

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"chargeonce/idem"
)

const (
	// DefaultCompleteAtOnce bounds the records that the completer works on at
	// one time: enough to get through an outage's leftovers, and few beside what
	// clients ask for.
	DefaultCompleteAtOnce = 4
	// completeLook bounds how far one look goes down the agenda. Only records
	// at work or resting stand before those to take, so it is hardly reached.
	completeLook = 1000
)

// completer resumes what nobody comes back for: records whose attempt ended
// without an outcome at least [Options.CompleteAfter] ago. It does what the
// next request with the key would do, out of the stored work alone, and it is
// no privileged party: it asks for the key like anybody else. All its fields
// belong to the goroutine of run.
type completer struct {
	ledger  *Ledger
	ended   chan completed
	working map[idem.Key]bool
	// resting holds back records that could not even be claimed (a full disk,
	// broken books), so that they are not asked for in a loop and others get
	// their turn.
	resting map[idem.Key]time.Time
}

// completed is how the work on one record ended.
type completed struct {
	key idem.Key
	err error // it could not be claimed
}

func newCompleter(l *Ledger) *completer {
	return &completer{
		ledger:  l,
		ended:   make(chan completed, l.opts.CompleteAtOnce),
		working: make(map[idem.Key]bool),
		resting: make(map[idem.Key]time.Time),
	}
}

// run looks for records until the ledger closes. What is under way then goes
// on: it holds slots, for which Close waits.
func (c *completer) run() {
	for {
		next, err := c.look()
		if err != nil {
			c.ledger.opts.Hooks.trouble(context.Background(), "look for abandoned keys", err)
		}
		timer := time.NewTimer(next)
		select {
		case <-c.ledger.closing:
			timer.Stop()
			return
		case end := <-c.ended:
			timer.Stop()
			c.end(end)
		case <-timer.C:
		}
	}
}

// look takes up what is due, as far as there are hands for it, and says when to
// look again. That is never later than CompleteAfter from now: whatever is
// given up after this look is not due before, so that no look can be too late.
func (c *completer) look() (next time.Duration, err error) {
	due, next, err := c.due(c.ledger.opts.now().Wall)
	if err != nil {
		return c.ledger.opts.CompleteAfter, fmt.Errorf("read the agenda: %w", err)
	}
	for _, record := range due {
		if !c.take(record) {
			break // as much is under way as the ledger allows; clients go first
		}
	}
	return next, nil
}

// due reads what may be taken up now, and how long until there is more.
func (c *completer) due(now time.Time) (due []idem.Record, next time.Duration, err error) {
	opts := c.ledger.opts
	next = opts.CompleteAfter
	for key, until := range c.resting {
		if !now.Before(until) {
			delete(c.resting, key)
		}
	}
	looked := 0
	err = opts.Store.View(context.Background(), func(r Reader) error {
		return r.Agenda(OpenKeys, time.Time{}, func(d Due) (bool, error) {
			if left := d.At.Add(opts.CompleteAfter).Sub(now); left > 0 {
				next = min(next, left)
				return false, nil
			}
			until, rests := c.resting[d.Record.Key]
			switch {
			case rests:
				next = min(next, until.Sub(now))
			case !c.working[d.Record.Key]:
				due = append(due, d.Record)
			}
			looked++
			return len(c.working)+len(due) < opts.CompleteAtOnce && looked < completeLook, nil
		})
	})
	return due, next, err
}

// take starts the work on one record.
func (c *completer) take(record idem.Record) bool {
	slot, err := c.ledger.enter()
	if err != nil {
		return false
	}
	c.working[record.Key] = true
	go func() {
		defer slot.release()
		end := completed{record.Key, errEnded} // stands if it leaves without returning
		defer func() {
			if value := recover(); value != nil {
				end.err = &PanicError{Value: value, Stack: debug.Stack()}
			}
			c.ended <- end
		}()
		end.err = c.ledger.complete(slot, record)
	}()
	return true
}

func (c *completer) end(end completed) {
	delete(c.working, end.key)
	if end.err == nil {
		return
	}
	c.resting[end.key] = c.ledger.opts.now().Wall.Add(c.ledger.opts.CompleteAfter)
	c.ledger.opts.Hooks.trouble(context.Background(), "complete an abandoned key", end.err)
}

// errNothingLeft says that a key has become free before it could be completed.
var errNothingLeft = errors.New("ledger: the key has nothing left to complete")

// complete asks for the key as a request with the same body would, and goes on
// from there. Whatever the attempt comes to is on the record; the error says
// that there was none.
func (l *Ledger) complete(slot *slot, record idem.Record) error {
	ctx := context.Background()
	l.opts.Hooks.completing(ctx, record)
	c, err := l.begin(ctx, task{
		claim: idem.Claim{Key: record.Key, Fingerprint: record.Fingerprint, Operation: record.Operation},
		names: func(string) Result { return Result{} },
		fresh: func() (string, start) {
			// A new life of the key would be somebody else's payment.
			return record.Resource, func(Tx, idem.Now) (started, error) { return started{}, errNothingLeft }
		},
	})
	if err != nil {
		return err
	}
	if c.Outcome != idem.Resumed { // a client was faster
		return nil
	}
	_, _ = newAttempt(l, c, slot).run(ctx)
	return nil
}
