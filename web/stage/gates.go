package stage

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"chargeonce/idem"
	"chargeonce/web/control"
)

// armWithin bounds the waiting for the API process to take note of a gate. It
// does so at once, unless it is being started again.
const armWithin = 10 * time.Second

// maxGates bounds the gates that are armed on one side.
const maxGates = 256

// sideGates are the gates of each side, in the order in which a request passes them.
var sideGates = map[control.Side][]string{
	control.Safe:  {"received", "begin", "claimed", "provider-called", "committed", "answered"},
	control.Naive: {"received", "looked", "provider-called", "inserted", "answered"},
}

// gates are where requests stop on one side, and those that stand there. It is
// safe for concurrent use.
type gates struct {
	system *system

	mu      sync.Mutex // guards what follows
	armed   []control.Gate
	held    []control.Hold
	patient map[string]bool // holds that have stopped the shop's clock
	arrived chan struct{}   // closed and replaced when a request is held
	// unsure are gates, by id, of which the API process has not said yet that
	// they are armed; the channel is closed when it does.
	unsure map[string]chan struct{}
}

func newGates(s *system) *gates {
	return &gates{
		system: s, patient: make(map[string]bool), arrived: make(chan struct{}),
		unsure: make(map[string]chan struct{}),
	}
}

// arm lets the next gate.Count requests of gate.Owner (absent: anybody's) stop
// at a gate. It returns when the API process has said that they will: requests
// reach it by another way, and one that is sent now must not be too early. The
// error is [errBadGate] with the reason, or [errChildDown].
func (g *gates) arm(ctx context.Context, gate control.Gate) (id string, err error) {
	switch {
	case !slices.Contains(g.system.passes(), gate.Gate):
		return "", fmt.Errorf("%w: the gates of this side are %v", errBadGate, g.system.passes())
	case gate.Count < 1 || gate.Count > 1000:
		return "", fmt.Errorf("%w: count must be 1 to 1000", errBadGate)
	case gate.Owner != "" && !idem.ValidOwner(gate.Owner):
		return "", fmt.Errorf("%w: the owner's name is malformed", errBadGate)
	}
	gate.ID = "gate_" + rand.Text()[:8]
	sure, err := g.send(gate)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, armWithin)
	defer cancel()
	select {
	case <-sure:
		return gate.ID, nil
	case <-ctx.Done():
		g.confirm(gate.ID)
		return "", fmt.Errorf("%w: the gate may be armed or not: %w", errChildDown, context.Cause(ctx))
	}
}

// send tells the API process of a gate. The channel is closed when it is armed
// there; a process that dies before that is followed by one that is told again.
// The line is written under the lock, so that no process is born between the
// line and the note of it: it would be told twice, or never.
func (g *gates) send(gate control.Gate) (sure chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.armed) >= maxGates {
		return nil, fmt.Errorf("%w: at most %d gates are armed at a time", errBadGate, maxGates)
	}
	if err := g.system.child.send(lineOf(gate)); err != nil {
		return nil, err
	}
	sure = make(chan struct{})
	g.unsure[gate.ID] = sure
	g.armed = append(g.armed, gate)
	return sure, nil
}

// confirm takes the news that a gate is armed.
func (g *gates) confirm(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if sure, waiting := g.unsure[id]; waiting {
		close(sure)
		delete(g.unsure, id)
	}
}

func lineOf(gate control.Gate) control.Down {
	return control.Down{Type: "gate", Hold: gate.ID, Gate: gate.Gate, Count: gate.Count, Owner: gate.Owner, Freeze: gate.Freeze}
}

// passes are the gates that a request comes by on this side now.
func (s *system) passes() []string {
	if s.options.Mistake.Gates != nil {
		return s.options.Mistake.Gates
	}
	return sideGates[s.options.Side]
}

// used counts a gate down, as the API process has done. It needs g.mu.
func (g *gates) used(hold control.Hold) {
	for i := range g.armed {
		gate := &g.armed[i]
		if gate.Gate == hold.Gate && (gate.Owner == "" || gate.Owner == hold.Owner) {
			if gate.Count--; gate.Count == 0 {
				g.armed = slices.Delete(g.armed, i, i+1)
			}
			return
		}
	}
}

// clear disarms every gate and delivers what is held.
func (g *gates) clear() {
	g.mu.Lock()
	armed, held := g.armed, g.held
	g.armed, g.held = nil, nil
	for _, hold := range held {
		g.goOn(hold.Hold)
	}
	g.mu.Unlock()
	for _, gate := range armed {
		gate.Count = 0
		_ = g.system.child.send(lineOf(gate)) // a process that is down has no gates
	}
	for _, hold := range held {
		_ = g.system.child.send(control.Down{Type: "release", Hold: hold.Hold, Action: fateDeliver})
	}
}

// died forgets what stood in a process that is gone.
func (g *gates) died() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, hold := range g.held {
		g.goOn(hold.Hold)
	}
	g.held = nil
}

// born arms the next process like the one before.
func (g *gates) born() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, gate := range g.armed {
		_ = g.system.child.send(lineOf(gate)) // if it is down again, it will be born again
	}
}

// state lists what is armed and what is held.
func (g *gates) state() (armed []control.Gate, held []control.Hold) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.armed), slices.Clone(g.held)
}
