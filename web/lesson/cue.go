package lesson

import "chargeonce/web/control"

// Cue finds an event of one side: the Nth that has all the fields that are set
// here. A zero field asks nothing.
type Cue struct {
	Lane    control.Lane
	Kind    control.Kind
	Outcome control.Outcome
	Owner   string // as in [Purchase]; "": whoever
	Attempt int
	Status  int
	// Past asks for events after the side's first of this outcome: a process
	// that is ready past [control.Killed] has been started again.
	Past control.Outcome
	N    int  // 0 and 1: the first
	End  bool // instead of the Nth: the last
}

// Find returns the cue's event, given all events of one side of a run in their
// order.
func (c Cue) Find(events []control.Event, run string) (found control.Event, ok bool) {
	left, past := max(c.N, 1), c.Past == ""
	for _, e := range events {
		if past && c.matches(e, run) {
			found, left = e, left-1
			if left == 0 && !c.End {
				return found, true
			}
		}
		past = past || e.Outcome == c.Past
	}
	return found, c.End && found.Seq != 0
}

func (c Cue) matches(e control.Event, run string) bool {
	return (c.Lane == "" || c.Lane == e.Lane) &&
		(c.Kind == "" || c.Kind == e.Kind) &&
		(c.Outcome == "" || c.Outcome == e.Outcome) &&
		(c.Owner == "" || OwnerName(run, c.Owner) == e.Owner) &&
		(c.Attempt == 0 || c.Attempt == e.Attempt) &&
		(c.Status == 0 || c.Status == e.Status)
}

// ofSide are the events of one side, in their order.
func ofSide(events []control.Event, side control.Side) []control.Event {
	var own []control.Event
	for _, e := range events {
		if e.Side == side {
			own = append(own, e)
		}
	}
	return own
}

// sides in the order in which they are revealed.
var sides = []control.Side{control.Naive, control.Safe}
