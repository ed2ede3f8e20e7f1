package lesson

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/web/control"
)

// raceOn executes one order on a rig and returns its figures.
func raceOn(t *testing.T, letters string, change func(*fake) Rig) (figures Figures, took time.Duration, err error) {
	t.Helper()
	at := slices.IndexFunc(Orders(), func(o Order) bool { return o.Letters() == letters })
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		f := newFake(w, control.Safe, "")
		rig := Rig(f)
		if change != nil {
			rig = change(f)
		}
		ctx, cancel := context.WithTimeout(t.Context(), MaxRun)
		defer cancel()
		err = raceOne(ctx, control.Safe, rig, Orders()[at])
		figures, _ = f.Figures(ctx)
		took = time.Since(w.start)
		w.close()
	})
	return figures, took, err
}

func TestALoserWhoseWaitingRunsOutStillGetsTheWinnersAnswer(t *testing.T) {
	figures, took, err := raceOn(t, "ABAABB", func(f *fake) Rig {
		return wrong{Rig: f, release: func(ctx context.Context, hold control.Hold, _ string) error {
			if hold.Gate != "claimed" {
				return nil
			}
			// The winner is slow: its charge begins only when the loser has been
			// told 409 and has asked again.
			_, err := f.Await(ctx, Cue{Lane: control.LaneShop, Kind: control.KindRequest, Attempt: 2})
			return err
		}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if captured, _ := captures(figures); captured != 1 || took < time.Second {
		t.Errorf("%d captures after %v", captured, took)
	}
}

func TestARaceWithARequestThatNobodySentIsRefused(t *testing.T) {
	for name, trace := range map[string]string{"of a stranger": "elsewhere.1", "without a trace": ""} {
		_, _, err := raceOn(t, "ABABAB", func(f *fake) Rig {
			holds := 0
			return wrong{Rig: f, held: func(ctx context.Context, owner string) (control.Hold, error) {
				hold, err := f.Held(ctx, owner)
				if holds++; holds == 3 || trace == "" {
					return control.Hold{Hold: hold.Hold, Gate: hold.Gate, Owner: owner, Trace: trace}, err
				}
				return hold, err
			}}
		})
		if !errors.Is(err, errStranger) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAClickThatIsNotPaidFailsItsOrder(t *testing.T) {
	refuse := func(context.Context) (string, error) { return Refused, nil }
	_, _, err := raceOn(t, "ABABAB", func(f *fake) Rig {
		return wrong{Rig: f, buy: func(context.Context, Purchase) (Ticket, error) { return Ticket{Wait: refuse}, nil }}
	})
	if !errors.Is(err, errUnpaid) || !strings.Contains(err.Error(), "click A is refused") {
		t.Errorf("before it is held: %v", err)
	}
	_, _, err = raceOn(t, "ABABAB", func(f *fake) Rig {
		return wrong{Rig: f, buy: func(ctx context.Context, p Purchase) (Ticket, error) {
			ticket, err := f.Buy(ctx, p)
			return Ticket{Wait: func(ctx context.Context) (string, error) {
				_, err := ticket.Wait(ctx)
				return Unconfirmed, err
			}}, err
		}}
	})
	if !errors.Is(err, errUnpaid) {
		t.Errorf("after it ran: %v", err)
	}
}

func TestOneOrderThatFailsEndsThemAll(t *testing.T) {
	run, _, err := execute(t, doubleClick(), func(r Rigs) Rigs {
		f := r.Safe.(*fake)
		r.Safe = wrong{Rig: f, gate: func(ctx context.Context, g control.Gate) error {
			if g.Owner == "o05" {
				return errBroken
			}
			return f.Gate(ctx, g)
		}}
		return r
	})
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "double-click, safe side: order 5, ABAABB: it is broken") {
		t.Errorf("%s: %v", run.State, err)
	}
}

func TestOrdersRunSideBySideWithinABound(t *testing.T) {
	c := &crowd{inside: make(map[string]int)}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		defer w.close()
		f := newFake(w, control.Naive, "look-then-insert")
		rig := wrong{Rig: f, buy: func(ctx context.Context, p Purchase) (Ticket, error) {
			c.enter(p.Owner)
			ticket, err := f.Buy(ctx, p)
			return Ticket{Wait: func(ctx context.Context) (string, error) {
				defer c.leave(p.Owner)
				return ticket.Wait(ctx)
			}}, err
		}}
		if err := raceAll(t.Context(), control.Naive, rig, Orders()); err != nil {
			t.Fatal(err)
		}
	})
	if c.largest != maxRaces {
		t.Errorf("%d orders at one time, want %d", c.largest, maxRaces)
	}
}

// A gate that is armed too late would let the race begin one step ahead, and
// its books would be those of another order.
func TestARequestThatPassedItsFirstGateFailsItsOrder(t *testing.T) {
	_, _, err := raceOn(t, "ABABAB", func(f *fake) Rig {
		return wrong{Rig: f, gate: func(ctx context.Context, g control.Gate) error {
			if g.Gate == "received" {
				return nil // and nothing is armed
			}
			return f.Gate(ctx, g)
		}}
	})
	if !errors.Is(err, errTooFar) || !strings.Contains(err.Error(), "click A is first held at claimed, not at received") {
		t.Errorf("%v", err)
	}
}
