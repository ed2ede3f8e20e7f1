package lesson

import (
	"context"
	"fmt"
	"sync"

	"chargeonce/web/control"
)

// maxRaces bounds the orders under way at one time on one side: enough to make
// twenty of them in a second or two, few enough that none comes near the two
// seconds after which the shop would send an attempt 2 into the experiment.
const maxRaces = 4

// raceGates are the gates between the steps. The third step is let run to its
// end: the answer proves that it has been made.
var raceGates = map[control.Side][]string{
	control.Naive: {"received", "looked", "provider-called"},
	control.Safe:  {"received", "claimed", "provider-called"},
}

// raceAll really executes every order of the board on one side.
func raceAll(ctx context.Context, side control.Side, rig Rig, orders []Order) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slots := make(chan struct{}, maxRaces)
	var running sync.WaitGroup
	for _, o := range orders {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			if err := raceOne(ctx, side, rig, o); err != nil {
				cancel(fmt.Errorf("order %s, %s: %w", o.Name, o.Letters(), err))
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// raceOne executes one order: two clicks on one purchase, stopped before their
// first step and then let go one step at a time.
func raceOne(ctx context.Context, side control.Side, rig Rig, o Order) error {
	for _, gate := range raceGates[side] {
		if err := rig.Gate(ctx, control.Gate{Gate: gate, Owner: o.Owner, Count: len(clicks)}); err != nil {
			return err
		}
	}
	r := &race{side: side, rig: rig, owner: o.Owner, news: make(chan news), racers: make(map[string]*racer)}
	ctx, cancel := context.WithCancel(ctx)
	defer r.listeners.Wait()
	defer cancel()
	r.listen(ctx)
	for _, name := range clicks {
		if err := r.start(ctx, name); err != nil {
			return err
		}
	}
	for _, step := range o.Steps {
		if err := r.step(ctx, r.racers[click(step)]); err != nil {
			return err
		}
	}
	return r.finish(ctx)
}

// race is one order under way. Three sorts of listeners report to one loop, so
// that nothing is missed whatever comes first and nobody ever sleeps.
type race struct {
	side      control.Side
	rig       Rig
	owner     string
	news      chan news
	racers    map[string]*racer
	listeners sync.WaitGroup
}

// racer is one of the two requests.
type racer struct {
	name  string
	loop  string        // of its trace
	hold  *control.Hold // where it stands; nil: nowhere
	waits bool          // told busy: it goes on by itself, when the winner is done
	state string        // of its click, once ended
}

// start clicks, and waits until the request has arrived: the order of arrival
// tells the two apart.
func (r *race) start(ctx context.Context, name string) error {
	ticket, err := r.rig.Buy(ctx, Purchase{Order: "order-" + r.owner, Owner: r.owner, Amount: price, Currency: euro, Card: visa})
	if err != nil {
		return err
	}
	one := &racer{name: name}
	r.racers[name] = one
	r.listeners.Go(func() {
		state, err := ticket.Wait(ctx)
		r.report(ctx, news{racer: name, state: state, err: err})
	})
	for one.hold == nil && one.state == "" {
		if err := r.next(ctx); err != nil {
			return err
		}
	}
	switch first := raceGates[r.side][0]; {
	case one.hold == nil:
		return fmt.Errorf("%w: click %s is %s before it was held", errUnpaid, name, one.state)
	case one.hold.Gate != first:
		return fmt.Errorf("%w: click %s is first held at %s, not at %s", errTooFar, name, one.hold.Gate, first)
	}
	return nil
}

// step lets a request make its next step, and returns when it is made. One
// that waits for the other, or has its answer, has no step left to make.
func (r *race) step(ctx context.Context, one *racer) error {
	if one.hold == nil {
		return nil
	}
	if err := r.release(ctx, one); err != nil {
		return err
	}
	for one.hold == nil && !one.waits && one.state == "" {
		if err := r.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// finish lets everything go on until both clicks have their answer.
func (r *race) finish(ctx context.Context) error {
	for _, name := range clicks {
		for one := r.racers[name]; one.state == ""; {
			for _, held := range r.racers {
				if err := r.release(ctx, held); err != nil {
					return err
				}
			}
			if err := r.next(ctx); err != nil {
				return err
			}
		}
		if err := wantPaid("click "+name, r.racers[name].state); err != nil {
			return err
		}
	}
	return nil
}

func (r *race) release(ctx context.Context, one *racer) error {
	if one.hold == nil {
		return nil
	}
	hold := *one.hold
	one.hold = nil
	return r.rig.Release(ctx, hold, Deliver, 0)
}
