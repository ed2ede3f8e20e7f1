package api

import (
	"context"
	"time"

	"chargeonce/ledger"
)

// desk is the state of [deliverer.run], whose goroutine alone touches it.
type desk struct {
	*deliverer
	schedule *schedule
	out      int  // attempts under way
	again    int  // of them: not first ones
	full     bool // the last look left something behind for want of room
}

// run decides what is delivered when; attempts have goroutines of their own.
func (d *deliverer) run(ctx, attempts context.Context) {
	defer close(d.ended)
	k := &desk{deliverer: d, schedule: newSchedule()}
	defer k.drain()
	tick := time.NewTicker(outboxTick)
	defer tick.Stop()
	due := time.NewTimer(outboxTick)
	defer due.Stop()
	k.look(ctx)
	for {
		k.send(attempts)
		due.Reset(k.pause())
		select {
		case <-ctx.Done():
			return
		case <-due.C:
		case r := <-d.results:
			k.settle(r)
			if k.full {
				k.look(ctx)
			}
		case <-d.news:
			k.look(ctx)
		case <-tick.C:
			k.look(ctx)
		}
	}
}

// look takes in what was committed since the last look.
func (k *desk) look(ctx context.Context) {
	for {
		limit := min(pendingPage, k.schedule.room())
		if k.full = limit == 0; k.full {
			return
		}
		var queue []ledger.Queued
		err := k.Store.View(ctx, func(outbox ledger.Reader) (err error) {
			queue, err = outbox.Pending(k.schedule.last, limit)
			return err
		})
		if err != nil {
			if ctx.Err() == nil {
				k.Log.Warn("the outbox could not be read", "error", err.Error())
			}
			return
		}
		k.schedule.add(k.known(queue))
		if n := len(queue); n > 0 {
			k.schedule.last = queue[n-1].Seq
		}
		if len(queue) < limit {
			return
		}
	}
}

// send starts what is due, as far as there are places.
func (k *desk) send(attempts context.Context) {
	for k.out < maxDeliveries {
		next, ok := k.schedule.next(time.Now(), k.again < maxRedeliveries)
		if !ok {
			return
		}
		k.out++
		if next.attempt > 1 {
			k.again++
		}
		go func() { k.results <- k.attempt(attempts, next) }()
	}
}

// pause is how long nothing will be due by itself. Where no place is free, the
// next result will tell.
func (k *desk) pause() time.Duration {
	wait, ok := k.schedule.wait(time.Now())
	if !ok || k.out == maxDeliveries || k.again == maxRedeliveries {
		return outboxTick
	}
	return wait
}

// settle takes note of what an attempt came to.
func (k *desk) settle(r result) {
	k.out--
	if r.attempt > 1 {
		k.again--
	}
	if r.reason == "" {
		k.schedule.done(r.delivery)
		return
	}
	wait, setAside := redeliveryWait(r.attempt, k.Random())
	k.schedule.failed(r.delivery, time.Now().Add(wait))
	k.tellWait(r, wait, setAside)
	if setAside {
		k.Log.Warn("a delivery is set aside; it is tried every now and then", "event", r.ID, "attempts", r.attempt, "reason", r.reason)
	}
}

// drain waits for the attempts that are under way.
func (k *desk) drain() {
	for ; k.out > 0; k.out-- {
		<-k.results
	}
}
