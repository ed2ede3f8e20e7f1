package lesson

import (
	"context"
	"sync"
)

// maxTogether bounds the payments under way at one time on one side: enough to
// make two hundred in a few seconds, few enough for a small machine on which
// other lessons run.
const maxTogether = 16

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
