package stage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
	"chargeonce/web/network"
	"chargeonce/web/shop"
)

// runOrders are the purchases of a run: both sides get the same orders with
// the same keys, as they get the same clicks. It is safe for concurrent use.
type runOrders struct {
	run string

	mu     sync.Mutex // guards drafts
	drafts map[string]shop.Order
}

// draft is the order of a purchase: minted for the side that comes first, and
// the same for the other one.
func (o *runOrders) draft(p lesson.Purchase) shop.Order {
	o.mu.Lock()
	defer o.mu.Unlock()
	owner := lesson.OwnerName(o.run, p.Owner)
	name := owner + "/" + p.Order
	draft, known := o.drafts[name]
	if !known {
		draft = shop.Draft(p.Amount, p.Currency, p.Card)
		draft.Owner, draft.Number = owner, p.Number
		if p.Key != "" {
			draft.Key = p.Key
		}
		o.drafts[name] = draft
	}
	return draft
}

// placed is the draft of an order that was placed.
func (o *runOrders) placed(owner, order string) (shop.Order, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	draft, known := o.drafts[owner+"/"+order]
	if !known {
		return shop.Order{}, fmt.Errorf("no order %q of %s was placed", order, owner)
	}
	return draft, nil
}

// runSide is one side of a run's rig, as a lesson's script may use it. It is
// safe for concurrent use.
type runSide struct {
	system *system
	run    string
	orders *runOrders
	log    *runLog

	filled atomic.Bool // something was sent about the lesson's cart

	mu    sync.Mutex // guards given
	given map[string]bool
}

var _ lesson.Rig = (*runSide)(nil)

func newRunSide(s *system, run string, orders *runOrders, log *runLog) *runSide {
	return &runSide{system: s, run: run, orders: orders, log: log, given: make(map[string]bool)}
}

// Buy implements [lesson.Rig].
func (r *runSide) Buy(ctx context.Context, p lesson.Purchase) (lesson.Ticket, error) {
	click, err := r.system.shop().Pay(ctx, r.orders.draft(p))
	if err != nil {
		return lesson.Ticket{}, err
	}
	return lesson.Ticket{Wait: func(ctx context.Context) (string, error) {
		state, err := click.Wait(ctx)
		if state == shop.Open {
			return lesson.Unconfirmed, err
		}
		return string(state), err
	}}, nil
}

// Arm implements [lesson.Rig].
func (r *runSide) Arm(_ context.Context, f control.Fault) error {
	wire := r.system.boundary(f.Boundary)
	if wire == nil {
		return fmt.Errorf("arm %q: no such boundary", f.Boundary)
	}
	f.Owner = lesson.OwnerName(r.run, f.Owner)
	scripted := toNetwork(f)
	scripted.Posing = scripted.Kind == network.Status // a script's word is good for any status
	_, err := wire.Arm(scripted)
	return err
}

// Disarm implements [lesson.Rig].
func (r *runSide) Disarm(context.Context) error {
	r.system.disarm()
	return nil
}

// Gate implements [lesson.Rig].
func (r *runSide) Gate(ctx context.Context, g control.Gate) error {
	g.Side, g.Owner = r.system.options.Side, lesson.OwnerName(r.run, g.Owner)
	_, err := r.system.gates.arm(ctx, g)
	return err
}

// Held implements [lesson.Rig].
func (r *runSide) Held(ctx context.Context, owner string) (control.Hold, error) {
	full := lesson.OwnerName(r.run, owner)
	return r.system.gates.await(ctx, func(h control.Hold) bool { return h.Owner == full && r.give(h.Hold) })
}

// give hands a hold out once.
func (r *runSide) give(hold string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	given := r.given[hold]
	r.given[hold] = true
	return !given
}

// Release implements [lesson.Rig].
func (r *runSide) Release(_ context.Context, hold control.Hold, action string, ms int64) error {
	return r.system.gates.decide(hold.Hold, action, ms)
}

// Await implements [lesson.Rig].
func (r *runSide) Await(ctx context.Context, cue lesson.Cue) (found control.Event, err error) {
	_, err = r.log.record(ctx, func(events []control.Event) bool {
		mine := slices.DeleteFunc(slices.Clone(events), func(e control.Event) bool { return e.Side != r.system.options.Side })
		var ok bool
		found, ok = cue.Find(mine, r.run)
		return ok
	})
	if err != nil {
		return control.Event{}, fmt.Errorf("wait for %+v: %w", cue, err)
	}
	return found, nil
}

// Figures implements [lesson.Rig].
func (r *runSide) Figures(ctx context.Context) (lesson.Figures, error) {
	side, err := r.system.sideBooks(ctx)
	if err != nil {
		return lesson.Figures{}, err
	}
	if side.Stale {
		return lesson.Figures{}, errChildDown
	}
	figures := lesson.Figures{Owners: make(map[string]control.OwnerBooks)}
	for owner, books := range side.Owners {
		if short, ours := r.short(owner); ours {
			figures.Owners[short] = books
		}
	}
	return figures, r.details(ctx, &figures)
}

// details adds the lines behind the sums.
func (r *runSide) details(ctx context.Context, figures *lesson.Figures) error {
	captures, err := r.system.captures("")
	if err != nil {
		return err
	}
	figures.Captures = captures
	if r.filled.Load() {
		if figures.Cart, err = r.system.cart(ctx, lesson.OwnerName(r.run, "")); err != nil {
			return err
		}
	}
	ledger, _ := r.system.ledgerBooks(ctx)
	for _, owner := range slices.Sorted(maps.Keys(ledger.Owners)) {
		figures.Charges = append(figures.Charges, ledger.Owners[owner].List...)
		records, err := r.system.keyRecords(ctx, owner, "")
		if err != nil {
			return err
		}
		figures.Records = append(figures.Records, records...)
	}
	return r.system.shop().Each(ctx, func(o shop.Order) {
		figures.Orders = append(figures.Orders, control.Order{
			ID: o.ID, Owner: o.Owner, Key: o.Key, Amount: o.Amount, Currency: o.Currency,
			Card: o.Card, State: string(o.State), Charge: o.Charge, Reason: o.Reason,
		})
	})
}

// short is an owner's name as scripts use it; ours is false for others.
func (r *runSide) short(owner string) (short string, ours bool) {
	own := lesson.OwnerName(r.run, "")
	if owner == own {
		return "", true
	}
	return strings.CutPrefix(owner, own+"_")
}
