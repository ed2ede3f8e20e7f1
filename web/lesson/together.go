package lesson

import (
	"context"
	"fmt"
	"sync"
)

// maxTogether bounds the payments under way at one time on one side: enough to
// make two hundred in a few seconds, few enough for a small machine on which
// other lessons run.
const maxTogether = 16

// ends waits for a click's first answer, which must be the given one.
func ends(ctx context.Context, ticket Ticket, want string) error {
	state, err := ticket.Wait(ctx)
	if err == nil && state != want {
		return fmt.Errorf("%w: a click is %s, not %s", errAnswer, state, want)
	}
	return err
}

// together does something n times, at most so many at a time, and returns when
// all are done. The first error ends the others and is returned.
func together(ctx context.Context, n, most int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slots := make(chan struct{}, most)
	var running sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			if err := do(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}
