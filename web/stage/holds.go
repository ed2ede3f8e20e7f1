package stage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chargeonce/web/control"
)

// The fates of a held request.
const (
	fateDeliver = "deliver" // it goes on
	fateDrop    = "drop"    // its client is reset; before any work nothing is done, later the work goes on
	fateDelay   = "delay"   // it goes on after ms
	fateKill    = "kill"    // its process gets SIGKILL
)

// maxDelayMS bounds a delay: as long as the longest silence of the network.
const maxDelayMS = 120_000

// hold takes the news that a request stands at a gate.
func (g *gates) hold(up control.Up) {
	hold := control.Hold{
		Hold: up.Hold, Side: g.system.options.Side, Gate: up.Gate, Owner: up.Owner, Key: up.Key, Trace: up.Trace,
	}
	g.mu.Lock()
	g.used(hold)
	g.held = append(g.held, hold)
	if g.system.options.Patient && g.ofShop(up.Owner) {
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

// ofShop reports whether an owner's orders are the shop's: its own name, or in
// a run one that begins with it.
func (g *gates) ofShop(owner string) bool {
	name := g.system.shop().Owner()
	return owner == name || strings.HasPrefix(owner, name+"_")
}

// decide settles the fate of a held request and does not wait for what comes
// of it. The error is [errNoHold], [errBadFate] with the reason, or
// [errChildDown].
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
