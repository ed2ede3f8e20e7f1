package retrypolicy

import (
	"fmt"
	"time"
)

// State is what a [Breaker] does with attempts.
type State int

// The states. Closed is the zero value.
const (
	Closed   State = iota // lets all attempts through
	Open                  // refuses all
	HalfOpen              // lets Probes attempts through, to see
)

// String returns "closed", "open" or "half-open".
func (s State) String() string {
	switch s {
	case Open:
		return "open"
	case HalfOpen:
		return "half-open"
	}
	return "closed"
}

// Change is one change of a breaker's state.
type Change struct {
	From, To   State
	Generation uint64 // that begins with it; from 1
	At         time.Time
	Reason     string // why, in a few words that hold no data of a request
}

// coolDown needs the lock. Nobody watches the clock for an open breaker: the
// first one to ask after its time makes it half-open.
func (b *Breaker) coolDown(now time.Time) {
	if b.state == Open && !now.Before(b.until) {
		b.set(HalfOpen, now, "the cool-down is over")
	}
}

// counted needs the lock. It takes an attempt that ended while closed.
func (b *Breaker) counted(now time.Time, health Health) {
	if health == Neutral {
		return
	}
	b.window.length = positiveOr(b.Window, defaultWindow)
	b.window.count(now, health == Failing)
	sum := b.window.total()
	ratio := b.FailureRatio
	if !(ratio > 0) {
		ratio = defaultFailureRatio
	}
	if health == Failing && sum.all >= positiveOr(b.MinVolume, defaultMinVolume) &&
		float64(sum.failed) >= ratio*float64(sum.all) {
		b.set(Open, now, fmt.Sprintf("%d of %d attempts failed within %v", sum.failed, sum.all, b.window.length))
	}
}

// probed needs the lock. It takes a probe that ended while half-open. One
// failure is enough here, whatever the volume: at low traffic the window would
// never fill, and the breaker would stay half-open for ever.
func (b *Breaker) probed(now time.Time, health Health) {
	switch health {
	case Failing:
		b.set(Open, now, "a probe failed")
	case Healthy:
		b.healthy++
		if b.healthy >= positiveOr(b.Probes, defaultProbes) {
			b.set(Closed, now, fmt.Sprintf("%d of %d probes were healthy", b.healthy, b.healthy))
		}
	case Neutral:
		b.probing--
	}
}

// set needs the lock. Every change of state is made here.
func (b *Breaker) set(to State, now time.Time, reason string) {
	b.generation++
	b.untold = append(b.untold, Change{From: b.state, To: to, Generation: b.generation, At: now, Reason: reason})
	b.state, b.window, b.probing, b.healthy = to, window{}, 0, 0
	if to == Open {
		b.until = now.Add(positiveOr(b.Cooldown, defaultCooldown))
	}
}
