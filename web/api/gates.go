package api

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"chargeonce/web/control"
)

const (
	maxArmed     = 256  // gates that are armed at one time, as many as the stage arms
	maxGateCount = 1000 // requests that one gate may stop
	// maxHolds bounds what stands at gates; a request more passes. Each holds a
	// goroutine and its request, some ten kilobytes.
	maxHolds = 1000
	// maxGateName is far longer than any name of a gate.
	maxGateName = 32
	// maxHoldDelay is as long as the longest silence of the network.
	maxHoldDelay = 2 * time.Minute
)

// The fates of a held request.
const (
	fateDeliver = "deliver" // it goes on
	fateDrop    = "drop"    // its client is reset; at "received" no work is done, later the work goes on
	fateDelay   = "delay"   // it goes on after a while
)

// gates are where the stage lets requests stop. A request that stands there
// holds no lock and no transaction, its lease goes on being renewed unless it
// is frozen, and from then on it goes on whatever its client does. The stage
// alone decides: only the end of the process delivers by itself. It is safe
// for concurrent use.
type gates struct {
	tell    func(control.Up) bool // false: the stage will not hear of it
	keyless bool
	log     *slog.Logger
	closing chan struct{}

	mu     sync.Mutex // guards what follows
	closed bool
	armed  []control.Down   // of type gate, oldest first; Count is what is left
	held   map[string]*hold // by id
	frozen map[string]int   // by request: how many holds stop its heart
}

// hold is a request that stands at a gate.
type hold struct {
	id, gate string
	who      call
	freeze   bool
	fate     chan control.Down // of type release; one comes at most
}

func newGates(tell func(control.Up) bool, keyless bool, log *slog.Logger) *gates {
	return &gates{
		tell: tell, keyless: keyless, log: log, closing: make(chan struct{}),
		held: make(map[string]*hold), frozen: make(map[string]int),
	}
}

// at is a [Gate]. It returns when the request may go on.
func (g *gates) at(ctx context.Context, point string) {
	h := g.stop(point, callFrom(ctx))
	if h == nil {
		return
	}
	h.who.link.stay()
	up := control.Up{Type: "held", Hold: h.id, Gate: point, Owner: h.who.owner, Key: h.who.key.Value, Trace: h.who.trace}
	if g.keyless {
		up.Key = ""
	}
	if !g.tell(up) { // a hold that nobody knows of could never end
		g.log.Warn("a request was not held: the stage does not read", "gate", point)
		g.release(control.Down{Hold: h.id, Action: fateDeliver})
	}
	if point == AtAnswered {
		// The answer is out and its connection free for the next request, which
		// must not stand in line behind this one.
		go g.stand(h)
		return
	}
	g.stand(h)
}

// stop holds a request if a gate is armed for it; the oldest one counts down.
func (g *gates) stop(point string, who call) *hold {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := g.armedFor(point, who.owner)
	if i < 0 || g.closed {
		return nil
	}
	if len(g.held) >= maxHolds {
		g.log.Warn("a request was not held: too many are", "gate", point, "holds", maxHolds)
		return nil
	}
	h := &hold{id: "hold_" + rand.Text(), gate: point, who: who, freeze: g.armed[i].Freeze, fate: make(chan control.Down, 1)}
	if g.armed[i].Count--; g.armed[i].Count == 0 {
		g.armed = append(g.armed[:i:i], g.armed[i+1:]...)
	}
	g.held[h.id] = h
	if h.freeze {
		g.frozen[who.id]++
	}
	return h
}

// armedFor needs g.mu.
func (g *gates) armedFor(point, owner string) int {
	for i, gate := range g.armed {
		if gate.Gate == point && (gate.Owner == "" || gate.Owner == owner) {
			return i
		}
	}
	return -1
}

// stand waits for the request's fate and meets it.
func (g *gates) stand(h *hold) {
	defer g.thaw(h)
	var fate control.Down
	select {
	case fate = <-h.fate:
	case <-g.closing:
		return
	}
	switch {
	case fate.Action == fateDelay:
		timer := time.NewTimer(time.Duration(fate.MS) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-g.closing:
		}
	case fate.Action == fateDrop && h.gate != AtAnswered: // what has left cannot be taken back
		h.who.link.cut()
	}
}

// thaw lets the heart of a frozen request beat again. Whether its claim is
// still its own, the fence will tell.
func (g *gates) thaw(h *hold) {
	if !h.freeze {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.frozen[h.who.id]--; g.frozen[h.who.id] == 0 {
		delete(g.frozen, h.who.id)
	}
}

// beats reports whether the request of a context may renew its lease.
func (g *gates) beats(ctx context.Context) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.frozen[callFrom(ctx).id] == 0
}
