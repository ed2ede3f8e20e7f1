package lesson

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"chargeonce/web/control"
)

func TestTheArrivalsOfAStormAreFiguresOfBothSides(t *testing.T) {
	l := Lesson{Storm: &Storm{Clients: 7}}
	both := []*sideRun{{side: control.Naive}, {side: control.Safe}}
	for _, s := range both {
		s.takeArrivals(l, func(side control.Side, storm Storm) ([]int, error) {
			if side == control.Naive {
				return []int{storm.Clients}, nil
			}
			return []int{1, 2}, nil
		})
	}
	want := map[control.Side][]int{control.Naive: {7, 0}, control.Safe: {1, 2}}
	if got := arrivalsOf(l, both); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestALessonWithoutAStormHasNoArrivals(t *testing.T) {
	s := &sideRun{side: control.Safe}
	s.takeArrivals(Lesson{}, nil)
	if s.unread != nil || s.figures.Arrivals != nil || arrivalsOf(Lesson{}, []*sideRun{s}) != nil {
		t.Errorf("%+v", s)
	}
}

func TestAStormThatCannotBeComputedIsAnUnreadBook(t *testing.T) {
	l := Lesson{Storm: new(Storm)}
	s := &sideRun{}
	if s.takeArrivals(l, nil); !errors.Is(s.unread, errNoArrivals) {
		t.Errorf("a rig without storms: %v", s.unread)
	}
	s = &sideRun{}
	s.takeArrivals(l, func(control.Side, Storm) ([]int, error) { return nil, errBroken })
	if !errors.Is(s.unread, errBroken) {
		t.Errorf("a storm that is too large: %v", s.unread)
	}
	if s.takeArrivals(l, nil); !errors.Is(s.unread, errBroken) {
		t.Errorf("books that could not be read before: %v", s.unread)
	}
}

func TestTheLoadIsPeakAndSum(t *testing.T) {
	for _, test := range []struct {
		arrivals    []int
		peak, total int
	}{{nil, 0, 0}, {[]int{0, 200}, 200, 200}, {[]int{3, 5, 4}, 5, 12}} {
		if peak, total := load(test.arrivals); peak != test.peak || total != test.total {
			t.Errorf("%v: peak %d, total %d", test.arrivals, peak, total)
		}
	}
}

func TestTheArrivalsAreShownNaiveFirstAndThenToTheEnd(t *testing.T) {
	var shown [][]control.Side
	for _, step := range Tell(storm(), Run{ID: "r"}) {
		if !step.Answered && step.Arrivals != nil {
			t.Errorf("shown before the answer: %q", step.Say)
		}
		if step.Arrivals != nil {
			shown = append(shown, step.Arrivals)
		}
	}
	if len(shown) < 4 || !slices.Equal(shown[0], []control.Side{control.Naive}) {
		t.Fatalf("%v", shown)
	}
	for _, last := range shown[len(shown)-2:] {
		if !slices.Equal(last, sides) {
			t.Errorf("a closing step shows %v", last)
		}
	}
}
