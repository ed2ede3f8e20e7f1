package stage

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"

	"chargeonce/web/control"
)

// maxGates bounds the gates that are armed on one side.
const maxGates = 256

// The gates of each side, in the order in which a request passes them.
var sideGates = map[control.Side][]string{
	control.Safe:  {"received", "begin", "claimed", "provider-called", "committed", "answered"},
	control.Naive: {"received", "looked", "provider-called", "inserted", "answered"},
}

// The fates of a held request.
const (
	fateDeliver = "deliver" // it goes on
	fateDrop    = "drop"    // its client is reset; before any work nothing is done, later the work goes on
	fateDelay   = "delay"   // it goes on after ms
	fateKill    = "kill"    // its process gets SIGKILL
)

// maxDelayMS bounds a delay: as long as the longest silence of the network.
const maxDelayMS = 120_000

// gates are where requests stop on one side, and those that stand there. It is
// safe for concurrent use.
type gates struct {
	system *system

	mu      sync.Mutex // guards what follows
	armed   []control.Gate
	held    []control.Hold
	patient map[string]bool // holds that have stopped the shop's clock
	arrived chan struct{}   // closed and replaced when a request is held
}

func newGates(s *system) *gates {
	return &gates{system: s, patient: make(map[string]bool), arrived: make(chan struct{})}
}

// arm lets the next gate.Count requests of gate.Owner (absent: anybody's) stop
// at a gate. The error is [errBadGate] with the reason, or says that the
// process is down.
func (g *gates) arm(gate control.Gate) (id string, err error) {
	switch {
	case !slices.Contains(sideGates[gate.Side], gate.Gate):
		return "", fmt.Errorf("%w: the gates of this side are %v", errBadGate, sideGates[gate.Side])
	case gate.Count < 1 || gate.Count > 1000:
		return "", fmt.Errorf("%w: count must be 1 to 1000", errBadGate)
	}
	gate.ID = "gate_" + rand.Text()[:8]
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.armed) >= maxGates {
		return "", fmt.Errorf("%w: at most %d gates are armed at a time", errBadGate, maxGates)
	}
	if err := g.system.child.send(lineOf(gate)); err != nil {
		return "", err
	}
	g.armed = append(g.armed, gate)
	return gate.ID, nil
}

func lineOf(gate control.Gate) control.Down {
	return control.Down{Type: "gate", Gate: gate.Gate, Count: gate.Count, Owner: gate.Owner, Freeze: gate.Freeze}
}

// hold takes the news that a request stands at a gate.
func (g *gates) hold(up control.Up) {
	hold := control.Hold{
		Hold: up.Hold, Side: g.system.options.Side, Gate: up.Gate, Owner: up.Owner, Key: up.Key, Trace: up.Trace,
	}
	g.mu.Lock()
	g.used(hold)
	g.held = append(g.held, hold)
	if g.system.options.Patient && up.Owner == g.system.shop.Owner() {
		g.patient[up.Hold] = true
		g.system.patience.hold()
	}
	close(g.arrived)
	g.arrived = make(chan struct{})
	g.mu.Unlock()
	g.system.emit(control.Event{
		Lane: control.LaneAPI, Kind: control.KindGate, Outcome: control.Held,
		Gate: up.Gate, Owner: up.Owner, Key: up.Key, Trace: up.Trace,
		Text: fmt.Sprintf("HELD at %s: the request stands there until you decide its fate.", up.Gate),
	})
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

// decide settles the fate of a held request and does not wait for what comes
// of it. The error is [errNoHold],
// [errBadFate], or says that the process is down.
func (g *gates) decide(id, fate string, ms int64) error {
	if err := checkFate(fate, ms); err != nil {
		return err
	}
	hold, ok := g.take(id)
	if !ok {
		return errNoHold
	}
	g.system.emit(control.Event{
		Lane: control.LaneAPI, Kind: control.KindGate, Gate: hold.Gate, Owner: hold.Owner, Key: hold.Key,
		Trace: hold.Trace, How: fate, Ms: ms, Text: fateText(hold, fate, ms),
	})
	if fate == fateKill {
		_, err := g.system.child.strike()
		return err
	}
	return g.system.child.send(control.Down{Type: "release", Hold: id, Action: fate, MS: ms})
}

func checkFate(fate string, ms int64) error {
	switch fate {
	case fateDeliver, fateDrop, fateKill:
		return nil
	case fateDelay:
		if ms < 1 || ms > maxDelayMS {
			return fmt.Errorf("%w: ms must be 1 to %d", errBadFate, maxDelayMS)
		}
		return nil
	}
	return fmt.Errorf("%w: action must be deliver, drop, delay or kill", errBadFate)
}

func fateText(hold control.Hold, fate string, ms int64) string {
	switch fate {
	case fateDrop:
		return fmt.Sprintf("Dropped at %s: the client is reset.", hold.Gate)
	case fateDelay:
		return fmt.Sprintf("Delayed at %s for %d ms.", hold.Gate, ms)
	case fateKill:
		return fmt.Sprintf("Killed at %s.", hold.Gate)
	}
	return fmt.Sprintf("Delivered at %s: it goes on.", hold.Gate)
}

// take removes a hold and lets the shop's clock go on.
func (g *gates) take(id string) (control.Hold, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, hold := range g.held {
		if hold.Hold == id {
			g.held = slices.Delete(g.held, i, i+1)
			g.goOn(id)
			return hold, true
		}
	}
	return control.Hold{}, false
}

// goOn needs g.mu.
func (g *gates) goOn(id string) {
	if g.patient[id] {
		delete(g.patient, id)
		g.system.patience.resume()
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

// await returns the oldest held request that accept takes, waiting for one.
func (g *gates) await(ctx context.Context, accept func(control.Hold) bool) (control.Hold, error) {
	for {
		g.mu.Lock()
		i := slices.IndexFunc(g.held, accept)
		arrived := g.arrived
		var hold control.Hold
		if i >= 0 {
			hold = g.held[i]
		}
		g.mu.Unlock()
		if i >= 0 {
			return hold, nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return control.Hold{}, fmt.Errorf("wait for a held request: %w", context.Cause(ctx))
		}
	}
}
