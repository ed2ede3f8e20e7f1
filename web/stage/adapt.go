package stage

import (
	"fmt"

	"chargeonce/web/control"
)

// emit tells the panel of a side's event. Every event has its one sentence from
// whoever makes it.
func (s *system) emit(e control.Event) {
	e.Side = s.options.Side
	s.options.Emit(e)
}

// onUp passes on what the payments API says about itself.
func (s *system) onUp(up control.Up) {
	switch {
	case up.Type == "event" && up.Event != nil:
		s.emit(*up.Event)
	case up.Type == "held":
		s.gates.hold(up)
	case up.Type == "armed":
		s.gates.confirm(up.Hold)
	case up.Type == "clock":
		s.clock.confirm(up.Hold)
	}
	if up.Dropped > 0 {
		s.emit(control.Event{
			Lane: control.LaneAPI, Kind: control.KindNote,
			Text: fmt.Sprintf("%d events of the payments API were dropped: it does not wait for its audience.", up.Dropped),
		})
	}
}

// onLife tells of a life of the payments API process, after its gates know.
func (s *system) onLife(outcome control.Outcome, pid int, how string) {
	if outcome == control.Killed {
		s.gates.died()
	} else {
		s.gates.born()
		_ = s.child.send(s.clock.line()) // a move that came too late for its command line
	}
	text := fmt.Sprintf("The payments API listens, process %d.", pid)
	if outcome == control.Killed {
		text = fmt.Sprintf("The payments API, process %d, is dead (%s). It is started again on the same data.", pid, how)
	}
	s.emit(control.Event{Lane: control.LaneAPI, Kind: control.KindProcess, Outcome: outcome, Reason: how, Text: text})
}
