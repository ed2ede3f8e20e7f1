package api

import (
	"time"

	"chargeonce/web/control"
)

// arm takes a line of type gate: the next Count requests of Owner (absent:
// anybody's) stop there. A count of 0 disarms the gate, for this owner or for
// all, and delivers those whom it holds. It reports whether the gate is armed.
func (g *gates) arm(gate control.Down) bool {
	if gate.Gate == "" || len(gate.Gate) > maxGateName || gate.Count < 0 || gate.Count > maxGateCount {
		g.log.Warn("a gate line was refused: it needs a gate and a count", "most", maxGateCount)
		return false
	}
	if gate.Count == 0 {
		g.disarm(gate.Gate, gate.Owner)
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.armed) >= maxArmed {
		g.log.Warn("a gate line was refused: too many gates are armed", "most", maxArmed)
		return false
	}
	g.armed = append(g.armed, gate)
	return true
}

func (g *gates) disarm(gate, owner string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var left []control.Down
	for _, armed := range g.armed {
		if armed.Gate != gate || owner != "" && armed.Owner != owner {
			left = append(left, armed)
		}
	}
	g.armed = left
	for id, h := range g.held {
		if h.gate == gate && (owner == "" || h.who.owner == owner) {
			g.decide(id, control.Down{Action: fateDeliver})
		}
	}
}

// release takes a line of type release. A hold that is gone is no error: the
// stage may disarm a gate and release its holds at once.
func (g *gates) release(fate control.Down) {
	switch fate.Action {
	case fateDeliver, fateDrop:
	case fateDelay:
		if fate.MS < 0 || fate.MS > int64(maxHoldDelay/time.Millisecond) {
			g.log.Warn("a release line was refused: its delay is out of bounds", "most", maxHoldDelay)
			return
		}
	default:
		g.log.Warn("a release line of an unknown action was ignored")
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.decide(fate.Hold, fate)
}

// decide needs g.mu. The first fate is the only one.
func (g *gates) decide(id string, fate control.Down) {
	h, known := g.held[id]
	if !known {
		return
	}
	delete(g.held, id)
	h.fate <- fate // there is room: nobody else can have found it
}

// close disarms every gate and delivers what is held, delays included. What
// comes afterwards passes. It may be called more than once.
func (g *gates) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.closed = true
		close(g.closing)
	}
	g.armed = nil
	clear(g.held)
}
