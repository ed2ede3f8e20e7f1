package stage

import (
	"errors"
	"slices"
	"testing"

	"chargeonce/web/lesson"
)

// A request that is under way when the stage closes is not waited for, so
// what it asks for may come after the end of whoever should do it.

func TestNoRunBeginsOnceTheRunsAreClosed(t *testing.T) {
	r, err := newRuns(RunOptions{Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r.close()
	if id, err := r.start(lesson.All()[0], 1); !errors.Is(err, errStopping) {
		t.Errorf("run %q began: %v", id, err)
	}
	r.close() // waits for what began all the same
}

func TestNoMistakeIsMadeOnceTheRigIsClosed(t *testing.T) {
	closed := 0
	naive := &system{}
	naive.onClose(func() error { closed++; return nil })
	r := &rig{options: rigOptions{Data: t.TempDir()}, naive: naive, safe: &system{}}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	if err := r.makeMistake(t.Context(), Mistake{}); !errors.Is(err, errStopping) {
		t.Errorf("the naive side was opened again: %v", err)
	}
	if closed != 1 {
		t.Errorf("the naive side was closed %d times", closed)
	}
}

func TestASideIsClosedOnceInTheReverseOrder(t *testing.T) {
	var order []string
	s := &system{}
	for _, box := range []string{"store", "server"} {
		s.onClose(func() error { order = append(order, box); return nil })
	}
	for range 2 { // again after a mistake that could not be made
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"server", "store"}; !slices.Equal(order, want) {
		t.Errorf("closed %v, want %v", order, want)
	}
}
