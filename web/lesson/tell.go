package lesson

import (
	"slices"

	"chargeonce/web/control"
)

// Tell turns a recorded run into the steps that the presenter walks through:
// the set-up, the lesson's beats, the sentence it leaves, and what that does
// not fix. It is pure: the same run is told the same way every time.
//
// Steps only ever reveal more, and from the sentence on all is revealed.
func Tell(l Lesson, run Run) []Step {
	t := teller{
		run:        run.ID,
		currencies: currenciesOf(run.Events),
		events:     map[control.Side][]control.Event{},
		upto:       map[control.Side]uint64{},
	}
	for _, side := range sides {
		t.events[side] = ofSide(run.Events, side)
	}
	var steps []Step
	for _, beat := range l.told() {
		steps = append(steps, t.step(beat))
	}
	return steps
}

// told are the beats with what comes before and after them in every lesson.
func (l Lesson) told() []Beat {
	end := Beat{Say: "*" + l.Sentence + "*", Naive: []Cue{{End: true}}, Safe: []Cue{{End: true}}, closing: true}
	if l.Board != nil {
		end.Board = sides
	}
	if l.Storm != nil {
		end.Arrivals = sides
	}
	rest := end
	rest.Say = l.NotFixed
	first := Beat{Say: l.Setup}
	if len(l.Beats) > 0 {
		first.Owner, first.Curtain = l.Beats[0].Owner, l.Beats[0].Curtain
	}
	return append(append([]Beat{first}, l.Beats...), end, rest)
}

// teller remembers how far each side has been revealed.
type teller struct {
	run             string
	currencies      []string
	events          map[control.Side][]control.Event
	upto            map[control.Side]uint64
	asked, answered bool
}

func (t *teller) step(beat Beat) Step {
	t.reveal(control.Naive, beat.Naive)
	t.reveal(control.Safe, beat.Safe)
	t.asked, t.answered = t.asked || beat.Question, t.answered || beat.Answer
	step := Step{
		Say: beat.Say, Question: t.asked && !beat.closing, Answered: t.answered,
		Curtain: beat.Curtain, Closing: beat.closing, Board: slices.Clone(beat.Board), Arrivals: slices.Clone(beat.Arrivals),
		Upto: map[control.Side]uint64{}, Owner: map[control.Side]string{},
		Money: map[control.Side]Money{}, Counters: map[control.Side]map[control.Outcome]int{},
		Retries: map[control.Side]int{},
	}
	for _, side := range sides {
		owner := beat.focus(t.run, side)
		if owner != "" {
			step.Owner[side] = owner
		}
		shown := t.shown(side, owner)
		step.Upto[side] = t.upto[side]
		step.Money[side] = fold(shown, t.currencies)
		step.Counters[side], step.Retries[side] = tally(shown)
		for _, e := range shown {
			step.AtMS = max(step.AtMS, e.AtMS)
		}
	}
	return step
}

// reveal moves a side's curtain rod to the furthest cue. A cue that finds
// nothing moves nothing; the run's own check reports it.
func (t *teller) reveal(side control.Side, cues []Cue) {
	for _, cue := range cues {
		if e, ok := cue.Find(t.events[side], t.run); ok {
			t.upto[side] = max(t.upto[side], e.Seq)
		}
	}
}

// shown are the events of a side that are revealed, of one owner if one is
// looked at.
func (t *teller) shown(side control.Side, owner string) []control.Event {
	var shown []control.Event
	for _, e := range t.events[side] {
		if e.Seq <= t.upto[side] && (owner == "" || owner == e.Owner) {
			shown = append(shown, e)
		}
	}
	return shown
}

// focus is the owner at whom a beat looks on one side, as events name him.
func (b Beat) focus(run string, side control.Side) string {
	if b.Owner == "" || slices.Contains(b.Board, side) {
		return ""
	}
	return OwnerName(run, b.Owner)
}
