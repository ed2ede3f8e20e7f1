package lesson

import (
	"reflect"
	"slices"
	"testing"

	"chargeonce/web/control"
)

// toldRuns gives a test every lesson with a run of it.
func toldRuns(t *testing.T, fn func(t *testing.T, l Lesson, run Run)) {
	for _, l := range faked() {
		t.Run(l.ID, func(t *testing.T) {
			fn(t, l, recorded(t, l))
		})
	}
}

func TestTellingIsPure(t *testing.T) {
	toldRuns(t, func(t *testing.T, l Lesson, run Run) {
		if again := Tell(l, run); !reflect.DeepEqual(again, run.Steps) {
			t.Error("the same run was told in two ways")
		}
	})
}

func TestStepsOnlyEverRevealMore(t *testing.T) {
	toldRuns(t, func(t *testing.T, _ Lesson, run Run) {
		for i, step := range run.Steps[1:] {
			before := run.Steps[i]
			for _, side := range sides {
				if step.Upto[side] < before.Upto[side] {
					t.Errorf("step %d hides events of %s again", i+2, side)
				}
			}
			if before.Answered && !step.Answered {
				t.Errorf("step %d takes the answer back", i+2)
			}
			if step.AtMS < before.AtMS {
				t.Errorf("step %d goes back in time", i+2)
			}
		}
	})
}

func TestNaiveIsRevealedFirstAndSafeOnALaterStep(t *testing.T) {
	toldRuns(t, func(t *testing.T, _ Lesson, run Run) {
		naive, safe := revealedAt(run, control.Naive), revealedAt(run, control.Safe)
		if naive >= safe {
			t.Errorf("naive is whole at step %d, safe at step %d", naive, safe)
		}
		for i, step := range run.Steps {
			asked := slices.IndexFunc(run.Steps, func(s Step) bool { return s.Question })
			both := i > 0 && step.Upto[control.Naive] > run.Steps[i-1].Upto[control.Naive] &&
				step.Upto[control.Safe] > run.Steps[i-1].Upto[control.Safe]
			if i > asked && both {
				t.Errorf("step %d reveals both sides at once after the question", i+1)
			}
		}
	})
}

// revealedAt is the first step at which all of a side's events are revealed.
func revealedAt(run Run, side control.Side) int {
	own := ofSide(run.Events, side)
	return slices.IndexFunc(run.Steps, func(s Step) bool { return s.Upto[side] == own[len(own)-1].Seq && s.Owner[side] == "" })
}

func TestTheLastStepsRevealEverythingAndEqualTheBooks(t *testing.T) {
	toldRuns(t, func(t *testing.T, l Lesson, run Run) {
		for _, step := range run.Steps[len(run.Steps)-2:] {
			if !step.Closing || step.Question || step.Curtain || len(step.Owner) != 0 {
				t.Errorf("something is still open in %q: %+v", step.Say, step)
			}
			for _, side := range sides {
				own := ofSide(run.Events, side)
				if step.Upto[side] != own[len(own)-1].Seq {
					t.Errorf("%q hides events of %s", step.Say, side)
				}
				if got, want := step.Money[side].text(), bookedMoney(run, side); got != want {
					t.Errorf("%s in %q:\ngot  %s\nwant %s", side, step.Say, got, want)
				}
			}
		}
		if last := run.Steps[len(run.Steps)-1]; last.Say != l.NotFixed {
			t.Errorf("the last words are %q", last.Say)
		}
	})
}

// bookedMoney adds a side's books up anew, from what the run carries.
func bookedMoney(run Run, side control.Side) string {
	return moneyOf(Figures{Owners: run.Books.Sides[side].Owners}, nil).text()
}

// Until the question has been asked both sides look the same, and no wrong
// money is in sight: not in the rows and not in a counter.
func TestNothingBeforeTheRevealGivesTheEndingAway(t *testing.T) {
	toldRuns(t, func(t *testing.T, _ Lesson, run Run) {
		asked := slices.IndexFunc(run.Steps, func(s Step) bool { return s.Question })
		if asked < 0 {
			t.Fatal("nothing is asked")
		}
		for i, step := range run.Steps[:asked+1] {
			naive, safe := step.Money[control.Naive], step.Money[control.Safe]
			if !reflect.DeepEqual(naive, safe) || text(naive.Overcharged) != "0" {
				t.Errorf("step %d shows\nnaive %s\nsafe  %s", i+1, naive.text(), safe.text())
			}
			for _, giveaway := range []control.Outcome{control.Replay, control.Busy, control.Resumed} {
				if step.Counters[control.Safe][giveaway]+step.Counters[control.Naive][giveaway] > 0 {
					t.Errorf("step %d counts %s", i+1, giveaway)
				}
			}
			if step.Answered || step.Board != nil {
				t.Errorf("step %d is asked and answered", i+1)
			}
		}
	})
}

// A second capture is shown by the very step that speaks of it, and the safe
// side's ending by none before it.
func TestWrongMoneyAppearsOnItsOwnStep(t *testing.T) {
	for id, want := range map[string]int{"lost-response": 7, "double-click": 5, "kill-lease": 7} {
		l, err := ByID(id)
		if err != nil {
			t.Fatal(err)
		}
		run := recorded(t, l)
		got := 1 + slices.IndexFunc(run.Steps, func(s Step) bool { return text(s.Money[control.Naive].Overcharged) != "0" })
		if got != want {
			t.Errorf("%s: overcharged at step %d, want %d", id, got, want)
		}
	}
}

func TestABeatThatLooksBackHidesNothing(t *testing.T) {
	l := Lesson{Beats: []Beat{
		{Say: "the end", Safe: []Cue{{End: true}}},
		{Say: "and how it began", Safe: []Cue{{N: 1}}},
	}}
	run := Run{Events: []control.Event{{Seq: 1, Side: control.Safe}, {Seq: 2, Side: control.Safe}}}
	for _, step := range Tell(l, run)[1:] {
		if step.Upto[control.Safe] != 2 {
			t.Errorf("%q reveals up to %d, want 2", step.Say, step.Upto[control.Safe])
		}
	}
}

func TestALookAtOneOwnerShowsHisMoneyAlone(t *testing.T) {
	run := recorded(t, doubleClick())
	for i, step := range run.Steps {
		for side, owner := range step.Owner {
			if owner != OwnerName(run.ID, raceShown) || slices.Contains(step.Board, side) {
				t.Errorf("step %d looks at %s on %s", i+1, owner, side)
			}
			if wanted := step.Money[side].Wanted[euro]; wanted > price {
				t.Errorf("step %d: %s wants %d", i+1, owner, wanted)
			}
			if attempts := step.Counters[side][control.Attempt]; attempts > 2 {
				t.Errorf("step %d counts %d attempts of two clicks", i+1, attempts)
			}
		}
	}
}

func TestAttemptsAboveTheFirstAreCountedAsRetries(t *testing.T) {
	run := recorded(t, lostResponse())
	first, last := run.Steps[1], run.Steps[len(run.Steps)-1]
	for _, side := range sides {
		if first.Retries[side] != 0 || last.Retries[side] != 1 {
			t.Errorf("%s: %d retries at first, %d at last, want 0 and 1", side, first.Retries[side], last.Retries[side])
		}
	}
}
