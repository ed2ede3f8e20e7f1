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
			k.settle(ctx, r)
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
		queue, err := k.page(ctx, k.schedule.last)
		if err != nil {
			break
		}
		k.schedule.add(k.known(queue))
		if n := len(queue); n > 0 {
			k.schedule.last = queue[n-1].Seq
		}
		if len(queue) < pendingPage {
			break
		}
	}
	for _, q := range k.schedule.turns { // those for which a read has failed, too
		k.refill(ctx, q.endpoint)
	}
}

// refill takes in what was left behind for one endpoint, if there is room for it
// now. Others' rows between are read and passed over, each at most once in all.
func (k *desk) refill(ctx context.Context, endpoint string) {
	after, more := k.schedule.hungry(endpoint)
	for more {
		queue, err := k.page(ctx, after)
		if err != nil {
			return
		}
		if more = k.schedule.refill(endpoint, queue, len(queue) < pendingPage); more {
			after = queue[len(queue)-1].Seq
		}
	}
}

// page reads some of the queue, behind a place in it.
func (k *desk) page(ctx context.Context, after uint64) (queue []ledger.Queued, err error) {
	err = k.Store.View(ctx, func(outbox ledger.Reader) (err error) {
		queue, err = outbox.Pending(after, pendingPage)
		return err
	})
	if err != nil && ctx.Err() == nil {
		k.Log.Warn("the outbox could not be read", "error", err.Error())
	}
	return queue, err
}

// send starts what is due, as far as there are places.
func (k *desk) send(attempts context.Context) {
	for {
		next, ok := k.schedule.next(time.Now())
		if !ok {
			return
		}
		go func() { k.results <- k.attempt(attempts, next) }()
	}
}

// pause is how long nothing will be due by itself.
func (k *desk) pause() time.Duration {
	if wait, ok := k.schedule.wait(time.Now()); ok {
		return wait
	}
	return outboxTick
}

// settle takes note of what an attempt came to.
func (k *desk) settle(ctx context.Context, r result) {
	if r.reason == "" {
		k.schedule.done(r.delivery)
		k.refill(ctx, r.Endpoint)
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
	for ; k.schedule.out > 0; k.schedule.out-- {
		<-k.results
	}
}
