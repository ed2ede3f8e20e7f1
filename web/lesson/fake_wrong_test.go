package lesson

import (
	"context"
	"sync"

	"chargeonce/web/control"
)

// wrong is a rig of which a test has replaced some methods. A nil one is the
// rig's own.
type wrong struct {
	Rig
	buy     func(context.Context, Purchase) (Ticket, error)
	held    func(context.Context, string) (control.Hold, error)
	gate    func(context.Context, control.Gate) error
	arm     func(context.Context, control.Fault) error
	release func(context.Context, control.Hold, string) error
	figures func(context.Context) (Figures, error)
}

func (w wrong) Buy(ctx context.Context, p Purchase) (Ticket, error) {
	if w.buy != nil {
		return w.buy(ctx, p)
	}
	return w.Rig.Buy(ctx, p)
}

func (w wrong) Held(ctx context.Context, owner string) (control.Hold, error) {
	if w.held != nil {
		return w.held(ctx, owner)
	}
	return w.Rig.Held(ctx, owner)
}

func (w wrong) Gate(ctx context.Context, g control.Gate) error {
	if w.gate != nil {
		return w.gate(ctx, g)
	}
	return w.Rig.Gate(ctx, g)
}

func (w wrong) Arm(ctx context.Context, f control.Fault) error {
	if w.arm != nil {
		return w.arm(ctx, f)
	}
	return w.Rig.Arm(ctx, f)
}

func (w wrong) Release(ctx context.Context, h control.Hold, action string, ms int64) error {
	if w.release != nil {
		if err := w.release(ctx, h, action); err != nil {
			return err
		}
	}
	return w.Rig.Release(ctx, h, action, ms)
}

func (w wrong) Figures(ctx context.Context) (Figures, error) {
	if w.figures != nil {
		return w.figures(ctx)
	}
	return w.Rig.Figures(ctx)
}

// crowd counts how many owners are in a race at one time.
type crowd struct {
	mu      sync.Mutex // guards what follows
	inside  map[string]int
	largest int
}

func (c *crowd) enter(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside[owner]++
	c.largest = max(c.largest, len(c.inside))
}

func (c *crowd) leave(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside[owner]--; c.inside[owner] == 0 {
		delete(c.inside, owner)
	}
}
