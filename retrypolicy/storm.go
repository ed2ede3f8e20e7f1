package retrypolicy

import (
	"math/rand/v2"
	"time"
)

const (
	// StormWindow is how finely a [Storm] counts arrivals: 20 ms, one frame of
	// a picture at 50 Hz, and short against every wait of a sensible policy.
	StormWindow = 20 * time.Millisecond

	// MaxStormClients bounds the callers of one storm: what a laptop simulates
	// within a second or two.
	MaxStormClients = 100_000

	// maxStormEvents bounds the work: attempts, their ends and new calls. Ten
	// attempts of every caller fit; a policy that hardly waits goes on for ever.
	maxStormEvents = 2_000_000

	// maxStormTime is the virtual time at which a storm is given up.
	maxStormTime = time.Hour
)

// Storm is an outage as the server sees it: many callers whose attempts fail
// together, and who therefore come back under one policy. It is computed on
// virtual time, event by event, with the same [Policy.Delay], [Budget] and
// [Breaker] that a [Client] uses: an hour of a thousand callers takes
// milliseconds, and the same fields always give the same figures.
//
// The outage lasts from 0 to Outage; every attempt that arrives within it
// fails, and so does what exceeds Capacity afterwards. No server asks for
// waits, and no caller has a deadline.
type Storm struct {
	Clients int           // callers, each with one call to bring home; at most MaxStormClients
	Spread  time.Duration // the calls begin evenly within this time; 0 or less: all at once
	Outage  time.Duration // 0: the server is up, and only Capacity limits it
	Latency time.Duration // from arrival to answer or failure; not below AttemptTimeout: all time out

	// Capacity is how many attempts the server answers in one StormWindow
	// once it is up; it refuses the others at once. 0: any number.
	Capacity int

	Policy  Policy   // its Random is not used; see Seed
	Budget  *Budget  // shared by all callers, as by the calls of one process; nil: none
	Breaker *Breaker // likewise. A run changes both, so each needs fresh ones

	// Again is how long a caller whose call has failed waits before it calls
	// once more, with full jitter unless the policy has none. 0: it gives up.
	Again time.Duration

	// Seed decides all that is random: caller i draws from the PCG generator
	// (Seed, i) of math/rand/v2.
	Seed uint64
}

// Arrivals are the figures of one storm.
type Arrivals struct {
	Windows  []int // attempts that arrived, in each StormWindow from 0 to the last one
	Attempts int   // all of them
	Served   int   // callers that got their answer; the others gave up
	Calls    int   // begun; more than callers where there is an Again
}

// Peak returns the most arrivals of one StormWindow that begins at from or
// later.
func (a Arrivals) Peak(from time.Duration) (most int) {
	for i, arrived := range a.Windows {
		if time.Duration(i)*StormWindow >= from {
			most = max(most, arrived)
		}
	}
	return most
}

// Run simulates the storm. The error is ErrStorm where it is too large.
func (s Storm) Run() (Arrivals, error) {
	if s.Clients > MaxStormClients {
		return Arrivals{}, ErrStorm
	}
	s.Policy, s.Spread, s.Latency = s.Policy.withDefaults(), max(0, s.Spread), max(0, s.Latency)
	sim := &simulation{Storm: s}
	for i := range s.Clients {
		begin := s.Spread / time.Duration(s.Clients) * time.Duration(i)
		sim.push(begin, &caller{random: rand.New(rand.NewPCG(s.Seed, uint64(i))).Float64}, (*simulation).begin)
	}
	for events := 0; sim.next(); events++ {
		if events >= maxStormEvents {
			return Arrivals{}, ErrStorm
		}
	}
	return sim.seen, nil
}
