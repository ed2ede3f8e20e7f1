package lesson

import (
	"context"
	"time"

	"chargeonce/web/control"
)

// maxTrail bounds the waiting for events that are still on their way from
// the processes when the books are read.
const maxTrail = 3 * time.Second

// record takes the recording once it is whole: it adds up to the books that
// were read and has every event that is told. What has not come after a while
// is missing, and the checks will say so.
func record(ctx context.Context, l Lesson, rigs Rigs, both []*sideRun) ([]control.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTrail)
	defer cancel()
	return rigs.Record(ctx, func(events []control.Event) bool {
		for _, s := range both {
			if s.picture(events) != moneyOf(s.figures, nil).text() || untold(l, s.side, events, rigs.ID) != nil {
				return false
			}
		}
		return answersTold(events)
	})
}

// withoutNarration leaves out what a stage says about both sides while they
// run, as notes in the shop's lane. A lesson tells its own story, step by step,
// and a sentence on one side about the other would give the ending away.
func withoutNarration(events []control.Event) []control.Event {
	var happened []control.Event
	for _, e := range events {
		if e.Lane != control.LaneShop || e.Kind != control.KindNote {
			happened = append(happened, e)
		}
	}
	return happened
}

// answersTold reports whether the API has told of every answer that the shop
// has told of: the same answer comes to the recording by two ways.
func answersTold(events []control.Event) bool {
	type exchange struct {
		side  control.Side
		trace string
	}
	open := make(map[exchange]bool)
	for _, e := range events {
		if e.Kind == control.KindResponse && e.Lane == control.LaneShop && e.Status != 0 {
			open[exchange{e.Side, e.Trace}] = true
		}
	}
	for _, e := range events {
		byAPI := e.Kind == control.KindResponse && e.Lane == control.LaneAPI
		byWire := e.Kind == control.KindFault && e.Lane == control.LaneNetwork // it answered itself
		if byAPI || byWire {
			delete(open, exchange{e.Side, e.Trace})
		}
	}
	return len(open) == 0
}

// untold lists the beats of which a side's recording has no event, by number
// from 1 as [Tell] counts its steps.
func untold(l Lesson, side control.Side, events []control.Event, run string) []int {
	var beats []int
	own := ofSide(events, side)
	for i, beat := range l.told() {
		cues := beat.Naive
		if side == control.Safe {
			cues = beat.Safe
		}
		for _, cue := range cues {
			if _, ok := cue.Find(own, run); !ok {
				beats = append(beats, i+1)
				break
			}
		}
	}
	return beats
}
