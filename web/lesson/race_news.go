package lesson

import (
	"context"
	"fmt"
	"strings"

	"chargeonce/web/control"
)

// news is what a listener learned.
type news struct {
	hold  *control.Hold  // a request stands at a gate
	busy  *control.Event // a request was told to wait
	racer string         // a click has ended …
	state string         // … like this
	err   error
}

// loopOf cuts a trace, LOOP.ATTEMPT, to its payment loop, which is one click.
func loopOf(trace string) string {
	loop, _, _ := strings.Cut(trace, ".")
	return loop
}

// listen reports every hold of the owner, and the request that is told busy:
// a request that waits for another stands at no gate.
func (r *race) listen(ctx context.Context) {
	r.listeners.Go(func() {
		for {
			hold, err := r.rig.Held(ctx, r.owner)
			if !r.report(ctx, news{hold: &hold, err: err}) || err != nil {
				return
			}
		}
	})
	r.listeners.Go(func() {
		busy, err := r.rig.Await(ctx, Cue{Kind: control.KindDecision, Outcome: control.Busy, Owner: r.owner})
		r.report(ctx, news{busy: &busy, err: err})
	})
}

// report hands news to the loop, unless nobody is interested any more.
func (r *race) report(ctx context.Context, n news) bool {
	if ctx.Err() != nil {
		return false // and what failed, failed because of that
	}
	select {
	case r.news <- n:
		return true
	case <-ctx.Done():
		return false
	}
}

// next takes in one piece of news.
func (r *race) next(ctx context.Context) error {
	var n news
	select {
	case n = <-r.news:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	switch {
	case n.err != nil:
		return n.err
	case n.hold != nil:
		return r.arrived(n.hold)
	case n.busy != nil:
		if one := r.byTrace(n.busy.Trace); one != nil {
			one.waits = true
		}
	default:
		r.racers[n.racer].state = n.state
	}
	return nil
}

// arrived notes where a request stands. The first sight of a click, at the
// first gate, is also how its trace becomes known.
func (r *race) arrived(hold *control.Hold) error {
	one := r.byTrace(hold.Trace)
	if one == nil || hold.Trace == "" {
		return fmt.Errorf("%w: at %s, trace %q", errStranger, hold.Gate, hold.Trace)
	}
	one.loop, one.hold, one.waits = loopOf(hold.Trace), hold, false
	return nil
}

// byTrace finds the click to which a request belongs: by its payment loop, or
// else the one that has just been made and not been seen yet.
func (r *race) byTrace(trace string) *racer {
	loop := loopOf(trace)
	for _, one := range r.racers {
		if one.loop == loop {
			return one
		}
	}
	for _, one := range r.racers {
		if one.loop == "" {
			return one
		}
	}
	return nil
}
