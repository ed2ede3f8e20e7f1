package lesson

import (
	"context"
	"fmt"
	"slices"
	"time"

	"chargeonce/web/control"
)

// only is the purchase of a lesson that needs no other.
var only = Purchase{Order: "order-1", Amount: price, Currency: euro, Card: visa}

// paid waits for a click's definite answer, which must be that it is paid.
func paid(ctx context.Context, ticket Ticket) error {
	state, err := ticket.Wait(ctx)
	if err != nil {
		return err
	}
	return wantPaid("the click", state)
}

func wantPaid(click, state string) error {
	if state != Paid {
		return fmt.Errorf("%w: %s is %s", errUnpaid, click, state)
	}
	return nil
}

// killedAt is the script that stops the first attempt at a gate and kills its
// process while it stands there; the shop then asks until it is paid.
func killedAt(gate string) func(context.Context, control.Side, Rig) error {
	return func(ctx context.Context, _ control.Side, rig Rig) error {
		ticket, hold, err := buyHeld(ctx, rig, control.Gate{Gate: gate})
		if err != nil {
			return err
		}
		if err := rig.Release(ctx, hold, Kill, 0); err != nil {
			return err
		}
		return paid(ctx, ticket)
	}
}

// buyHeld makes the first attempt of the one purchase stop at a gate, and
// returns when it stands there.
func buyHeld(ctx context.Context, rig Rig, gate control.Gate) (ticket Ticket, hold control.Hold, err error) {
	gate.Count = 1
	if err = rig.Gate(ctx, gate); err != nil {
		return ticket, hold, err
	}
	if ticket, err = rig.Buy(ctx, only); err != nil {
		return ticket, hold, err
	}
	hold, err = rig.Held(ctx, only.Owner)
	return ticket, hold, err
}

// settledPoll is the pause between two looks at the books.
const settledPoll = 25 * time.Millisecond

// allSettled waits until no order of the run is open any more: each has a
// definite outcome in the shop's journal.
func allSettled(ctx context.Context, rig Rig) error {
	return untilBooks(ctx, rig, func(books Figures) bool {
		return !slices.ContainsFunc(books.Orders, func(o control.Order) bool { return o.State == "open" })
	})
}

// untilBooks waits until the stored books of a side are as they should become.
func untilBooks(ctx context.Context, rig Rig, settled func(Figures) bool) error {
	for {
		books, err := rig.Figures(ctx)
		if err != nil || settled(books) {
			return err
		}
		select {
		case <-time.After(settledPoll):
		case <-ctx.Done():
			return fmt.Errorf("wait for the books: %w", ctx.Err())
		}
	}
}
