package lesson

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestTogetherDoesAllAndNeverMoreThanAllowedAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most, done atomic.Int64
		err := together(t.Context(), 10, 3, func(context.Context, int) error {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Second) // of the bubble's clock: all that can begin have begun
			now.Add(-1)
			done.Add(1)
			return nil
		})
		if err != nil || done.Load() != 10 || most.Load() != 3 {
			t.Errorf("%d done, %d at a time: %v", done.Load(), most.Load(), err)
		}
	})
}

func TestTheFirstErrorEndsWhatIsDoneTogether(t *testing.T) {
	var begun atomic.Int64
	err := together(t.Context(), 100, 2, func(ctx context.Context, i int) error {
		begun.Add(1)
		if i == 0 {
			return errBroken
		}
		<-ctx.Done() // a script that waits is let go
		return ctx.Err()
	})
	if !errors.Is(err, errBroken) || begun.Load() > 3 {
		t.Errorf("%d begun: %v", begun.Load(), err)
	}
}
