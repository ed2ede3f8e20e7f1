package retrypolicy

import (
	"sync"
	"time"
)

// What a zero Breaker means. Ten attempts are enough to tell an outage from
// bad luck; five seconds are a restart of the server.
const (
	defaultWindow       = 10 * time.Second
	defaultMinVolume    = 10
	defaultFailureRatio = 0.5
	defaultCooldown     = 5 * time.Second
	defaultProbes       = 1
)

// Breaker is a circuit breaker: it stops attempts to a server that is clearly
// down, which spares both the server and the callers who would wait for it.
//
//	         too many failures                cool-down over
//	closed ───────────────────▶ open ─────────────────────────▶ half-open
//	   ▲                          ▲     (with the next Allow)     │    │
//	   │                          └──────── a probe fails ────────┘    │
//	   └─────────────────────────── all probes are healthy ────────────┘
//
// Whoever wants to send asks [Breaker.Allow] for a [Permit] and says with
// [Permit.Done] what became of it; [Client] does both for each attempt. Every
// change of state begins a new generation, and a permit of an older one
// decides nothing any more: failures that arrive after the opening do not
// prolong the cool-down.
//
// The zero value is ready for use. It may be used concurrently, but its fields
// must not be changed after the first use. Its methods take the time as an
// argument, so all clients of one breaker should use the same [Clock].
type Breaker struct {
	// Window is the time over which failures are counted. 0 or less means 10 s.
	Window time.Duration
	// MinVolume is how many attempts, healthy or failing, the window must hold
	// before their ratio means anything. 0 or less means 10.
	MinVolume int
	// FailureRatio opens the breaker when that share of the window has failed.
	// 0 or less means 0.5.
	FailureRatio float64
	// Cooldown is the time from opening to half-open. 0 or less means 5 s.
	Cooldown time.Duration
	// Probes is exactly how many attempts half-open lets through. They all
	// have to be healthy to close the breaker. 0 or less means 1.
	Probes int
	// OnChange is told each change of state, once, by the goroutine that caused
	// it, after the lock is released: it may ask the breaker. Two changes in
	// quick succession may be told out of order; Generation puts them right.
	OnChange func(Change)

	mu         sync.Mutex // guards what follows
	state      State
	generation uint64
	window     window    // of attempts that ended while closed
	until      time.Time // while open: the end of the cool-down
	probing    int       // while half-open: places that are taken
	healthy    int       // while half-open: probes that ended well
	untold     []Change  // for OnChange, when the lock is released
}

// Permit is the leave to make one attempt. It is safe for concurrent use.
type Permit struct {
	breaker    *Breaker
	generation uint64
	over       bool // guarded by breaker.mu
}

// Allow asks for leave to make one attempt now. The error is an [OpenError].
// Whoever gets a permit must call its Done, or a probe's place stays taken.
func (b *Breaker) Allow(now time.Time) (*Permit, error) {
	permit, open := b.allow(now)
	if open != nil {
		return nil, open
	}
	return permit, nil
}

func (b *Breaker) allow(now time.Time) (*Permit, *OpenError) {
	b.mu.Lock()
	defer b.unlock()
	b.coolDown(now)
	switch {
	case b.state == Open:
		return nil, &OpenError{State: Open, After: b.until.Sub(now)}
	case b.state == HalfOpen && b.probing >= positiveOr(b.Probes, defaultProbes):
		return nil, &OpenError{State: HalfOpen}
	case b.state == HalfOpen:
		b.probing++
	}
	return &Permit{breaker: b, generation: b.generation}, nil
}

// Done says what became of the attempt. Only the first call counts, and only
// while the breaker is still in the generation of the permit. A neutral result
// frees a probe's place.
func (p *Permit) Done(now time.Time, health Health) {
	b := p.breaker
	b.mu.Lock()
	defer b.unlock()
	if p.over || p.generation != b.generation {
		return
	}
	p.over = true
	switch b.state {
	case Closed:
		b.counted(now, health)
	case HalfOpen:
		b.probed(now, health)
	case Open:
		// An open breaker gives no permits, so none is of its generation.
	}
}

// State returns the state as of now.
func (b *Breaker) State(now time.Time) State {
	b.mu.Lock()
	defer b.unlock()
	b.coolDown(now)
	return b.state
}

// left returns how long the breaker will stay open; 0 or less if it is not.
func (b *Breaker) left(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != Open {
		return 0
	}
	return b.until.Sub(now)
}

// unlock releases the lock, and only then tells what has changed.
func (b *Breaker) unlock() {
	changes := b.untold
	b.untold = nil
	b.mu.Unlock()
	if b.OnChange == nil {
		return
	}
	for _, change := range changes {
		b.OnChange(change)
	}
}
