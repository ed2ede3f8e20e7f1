package lesson

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/web/control"
)

var errBroken = errors.New("it is broken")

// faked are the lessons that the fake rig can play. All of them are played on
// real ones in the tests of the whole program.
func faked() []Lesson { return []Lesson{lostResponse(), doubleClick(), killLease()} }

func TestEveryLessonHoldsOnASoundRig(t *testing.T) {
	for _, l := range faked() {
		t.Run(l.ID, func(t *testing.T) {
			run, took, err := execute(t, l, nil)
			if err != nil || run.State != Held {
				t.Fatalf("%s: %v\n%v", run.State, err, broken(run))
			}
			if took > 10*time.Second {
				t.Errorf("took %v of its rig's time, want at most 10 s", took)
			}
			if run.Lesson != l.ID || run.ID != worldID || run.Seed != 41 || len(run.Events) == 0 {
				t.Errorf("the run does not say what it is: %s %s %d", run.Lesson, run.ID, run.Seed)
			}
		})
	}
}

// The promises are worth something only if they break: here the naive side is
// repaired, and then the safe side is given the naive one's mistake.
func TestAPromiseBreaksWhenASideDoesNotDoWhatItStandsFor(t *testing.T) {
	for _, l := range faked() {
		t.Run(l.ID, func(t *testing.T) {
			run, _, err := execute(t, l, func(r Rigs) Rigs {
				r.Naive.(*fake).mistake, r.Safe.(*fake).mistake = "", l.Mistake
				return r
			})
			if err != nil || run.State != Broken {
				t.Fatalf("%s, %v", run.State, err)
			}
			for _, side := range sides {
				for _, name := range []string{"overcharged", "the card was charged"} {
					if !slices.ContainsFunc(broken(run), func(b string) bool { return strings.HasPrefix(b, string(side)+": "+name) }) {
						t.Errorf("%s: %q holds all the same", side, name)
					}
				}
			}
		})
	}
}

func TestAPictureThatLacksACaptureBreaksTheRunButNoPromise(t *testing.T) {
	run, took, err := execute(t, lostResponse(), func(r Rigs) Rigs {
		whole := r.Record
		r.Record = func(ctx context.Context, until func([]control.Event) bool) ([]control.Event, error) {
			events, err := whole(ctx, func(all []control.Event) bool { return until(withoutCaptures(all)) })
			return withoutCaptures(events), err
		}
		return r
	})
	if err != nil || run.State != Broken {
		t.Fatalf("%s, %v", run.State, err)
	}
	for _, b := range broken(run) {
		if !strings.Contains(b, ": the picture equals the books: ") {
			t.Errorf("judged from events: %s", b)
		}
	}
	if n := len(broken(run)); n != 2 || took < maxTrail {
		t.Errorf("%d checks broke after %v", n, took)
	}
}

func withoutCaptures(events []control.Event) (rest []control.Event) {
	for _, e := range events {
		if e.Lane != control.LaneProvider {
			rest = append(rest, e)
		}
	}
	return rest
}

func TestAScriptThatFailsBreaksTheRunAndEndsTheOtherSide(t *testing.T) {
	run, took, err := execute(t, lostResponse(), func(r Rigs) Rigs {
		r.Naive = wrong{Rig: r.Naive, arm: func(context.Context, control.Fault) error { return errBroken }}
		return r
	})
	if !errors.Is(err, errBroken) || run.State != Broken {
		t.Fatalf("%s: %v", run.State, err)
	}
	want := "naive: the script ran to its end: want yes, got no: lost-response, naive side: it is broken"
	if got := broken(run); !slices.Contains(got, want) {
		t.Errorf("got %v", got)
	}
	if took > maxTrail+time.Second {
		t.Errorf("the safe side went on for %v", took)
	}
	if len(run.Steps) == 0 {
		t.Error("what there is cannot be told")
	}
}

func TestBooksThatCannotBeReadBreakTheRun(t *testing.T) {
	run, _, err := execute(t, lostResponse(), func(r Rigs) Rigs {
		r.Safe = wrong{Rig: r.Safe, figures: func(context.Context) (Figures, error) { return Figures{}, errBroken }}
		return r
	})
	if !errors.Is(err, errBroken) || run.State != Broken {
		t.Fatalf("%s: %v", run.State, err)
	}
	if got := broken(run); !slices.Contains(got, "safe: the books can be read: want yes, got no: it is broken") {
		t.Errorf("got %v", got)
	}
}

func TestARunThatIsCalledOffReturnsItsReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		defer w.close()
		rigs := w.rigs("no-key")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel) // in the middle of the silence
		run, err := Execute(ctx, lostResponse(), rigs)
		if !errors.Is(err, context.Canceled) || run.State != Broken {
			t.Errorf("%s: %v", run.State, err)
		}
		if took := time.Since(w.start); took != time.Second {
			t.Errorf("went on until %v", took)
		}
	})
}

func TestAScriptThatIsStuckIsGivenUp(t *testing.T) {
	_, took, err := execute(t, killLease(), func(r Rigs) Rigs {
		r.Safe = wrong{Rig: r.Safe, gate: func(context.Context, control.Gate) error { return nil }} // so nothing is ever held
		return r
	})
	if !errors.Is(err, context.DeadlineExceeded) || took > MaxRun+maxTrail {
		t.Errorf("%v after %v", err, took)
	}
}

func TestARunSurvivesJSON(t *testing.T) {
	run := recorded(t, doubleClick())
	line, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	var back Run
	if err := json.Unmarshal(line, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(Tell(doubleClick(), back), run.Steps) || len(back.Board) != 20 || back.Board[6].Letters() != "ABABBA" {
		t.Error("a stored run is told differently")
	}
}
