package api

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/idem"
	"chargeonce/web/control"
)

// at sends a request of an owner through a gate and reports when it is past.
func (g *gates) pass(owner, point string) <-chan struct{} {
	past := make(chan struct{})
	ctx := withCall(context.Background(), &call{id: "req_" + owner, owner: owner, key: idem.Key{Owner: owner, Value: "k"}})
	go func() {
		g.at(ctx, point)
		close(past)
	}()
	return past
}

// isPast is for bubbles, where everything that can happen has happened.
func isPast(past <-chan struct{}) bool {
	synctest.Wait()
	select {
	case <-past:
		return true
	default:
		return false
	}
}

// audience collects what the stage is told.
type audience struct {
	deaf bool

	mu  sync.Mutex // guards ups
	ups []control.Up
}

func (a *audience) tell(up control.Up) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ups = append(a.ups, up)
	return !a.deaf
}

// hold is what was told of an owner's first hold.
func (a *audience) hold(owner string) (found control.Up) {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, up := range a.ups {
		if up.Owner == owner {
			return up
		}
	}
	return found
}

func TestAGateStopsItsOwnersNextRequestsAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard audience
		g := newGates(heard.tell, false, discard())
		g.arm(control.Down{Gate: "claimed", Owner: "a", Count: 1})
		g.arm(control.Down{Gate: "claimed", Count: 1})
		if !isPast(g.pass("a", "begin")) {
			t.Error("a request stopped at another gate")
		}
		first := g.pass("a", "claimed") // takes the older gate
		if isPast(first) {
			t.Fatal("the request did not stop")
		}
		second := g.pass("b", "claimed")
		if isPast(second) || !isPast(g.pass("b", "claimed")) || !isPast(g.pass("a", "claimed")) {
			t.Error("each gate stops as many as it counts")
		}
		g.release(control.Down{Hold: heard.hold("a").Hold, Action: fateDeliver})
		if !isPast(first) || isPast(second) {
			t.Error("a fate is one request's")
		}
		g.arm(control.Down{Gate: "claimed", Count: 0})
		if !isPast(second) {
			t.Error("a disarmed gate keeps its holds")
		}
	})
}

func TestDisarmingForOneOwnerLeavesTheOthersHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard audience
		g := newGates(heard.tell, true, discard())
		g.arm(control.Down{Gate: "claimed", Owner: "a", Count: 2})
		g.arm(control.Down{Gate: "claimed", Owner: "b", Count: 2})
		a, b := g.pass("a", "claimed"), g.pass("b", "claimed")
		synctest.Wait()
		g.arm(control.Down{Gate: "claimed", Owner: "a", Count: 0})
		if !isPast(a) || isPast(b) || !isPast(g.pass("a", "claimed")) {
			t.Error("a's gate is disarmed, and b's is not")
		}
		if heard.hold("a").Key != "" {
			t.Errorf("a key that nobody sent is told: %+v", heard.hold("a"))
		}
		g.close()
		if !isPast(b) || !isPast(g.pass("b", "claimed")) {
			t.Error("closed gates let everything pass")
		}
		g.close()
	})
}

func TestADelayGoesOnAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard audience
		g := newGates(heard.tell, false, discard())
		g.arm(control.Down{Gate: "claimed", Count: 1, Freeze: true})
		past, began := g.pass("a", "claimed"), time.Now()
		synctest.Wait()
		g.release(control.Down{Hold: heard.hold("a").Hold, Action: fateDelay, MS: 700})
		<-past
		if waited := time.Since(began); waited != 700*time.Millisecond {
			t.Errorf("went on after %v", waited)
		}
	})
}

func TestAFrozenRequestsHeartStopsUntilItGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard audience
		g := newGates(heard.tell, false, discard())
		of := func(owner string) context.Context {
			return withCall(context.Background(), &call{id: "req_" + owner, owner: owner})
		}
		g.arm(control.Down{Gate: "claimed", Owner: "a", Count: 1, Freeze: true})
		g.arm(control.Down{Gate: "claimed", Owner: "b", Count: 1})
		a := g.pass("a", "claimed")
		g.pass("b", "claimed")
		synctest.Wait()
		if g.beats(of("a")) || !g.beats(of("b")) || !g.beats(context.Background()) {
			t.Error("the frozen request's heart alone stands still")
		}
		g.release(control.Down{Hold: heard.hold("a").Hold, Action: fateDeliver})
		<-a
		if !g.beats(of("a")) || len(g.frozen) != 0 {
			t.Error("it beats again")
		}
		g.close()
	})
}

func TestAHoldThatTheStageCannotHearOfIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &audience{deaf: true}
		g := newGates(heard.tell, false, discard())
		g.arm(control.Down{Gate: "claimed", Count: 1})
		if !isPast(g.pass("a", "claimed")) || len(heard.ups) != 1 {
			t.Error("the request stands where nobody knows")
		}
	})
}

func TestGatesAndHoldsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard audience
		g := newGates(heard.tell, false, discard())
		for range maxArmed + 1 {
			g.arm(control.Down{Gate: "claimed", Count: maxGateCount})
		}
		if len(g.armed) != maxArmed {
			t.Errorf("%d gates are armed", len(g.armed))
		}
		var held []<-chan struct{}
		for i := range maxHolds {
			held = append(held, g.pass(fmt.Sprint("o", i), "claimed"))
			synctest.Wait() // one speaker at a time
		}
		if !isPast(g.pass("late", "claimed")) || isPast(held[0]) {
			t.Error("one more than there is room for passes")
		}
		g.close()
		for _, past := range held {
			<-past
		}
	})
}

func TestLinesThatMakeNoSenseChangeNothing(t *testing.T) {
	var log bytes.Buffer
	g := newGates((&audience{}).tell, false, slog.New(slog.NewTextHandler(&log, nil)))
	for _, gate := range []control.Down{
		{Count: 1},
		{Gate: "claimed", Count: -1},
		{Gate: "claimed", Count: maxGateCount + 1},
		{Gate: strings.Repeat("x", maxGateName+1), Count: 1},
	} {
		g.arm(gate)
	}
	if len(g.armed) != 0 || strings.Count(log.String(), "refused") != 4 {
		t.Errorf("armed %v, said %s", g.armed, log.String())
	}
	log.Reset()
	h := &hold{id: "hold_1", fate: make(chan control.Down, 1)}
	g.held[h.id] = h
	g.release(control.Down{Hold: h.id, Action: "explode"})
	g.release(control.Down{Hold: h.id, Action: fateDelay, MS: -1})
	g.release(control.Down{Hold: h.id, Action: fateDelay, MS: maxHoldDelay.Milliseconds() + 1})
	g.release(control.Down{Hold: "hold_2", Action: fateDrop})
	if len(h.fate) != 0 || strings.Count(log.String(), "level=WARN") != 3 {
		t.Errorf("%d fates, said %s", len(h.fate), log.String())
	}
	g.release(control.Down{Hold: h.id, Action: fateDrop})
	g.release(control.Down{Hold: h.id, Action: fateDeliver}) // too late
	if fate := <-h.fate; fate.Action != fateDrop || len(h.fate) != 0 {
		t.Errorf("the first fate is the only one, got %+v", fate)
	}
}
