package lesson

import (
	"cmp"
	"maps"
	"slices"

	"chargeonce/web/control"
)

// Moment is what one side's money and counters became with one event. It is
// what somebody sees who scrubs through a run, between the steps that tell it.
// Like a step it is folded from the events; the promises are judged by the
// stored books alone.
type Moment struct {
	Seq      uint64                  `json:"seq"`
	AtMS     int64                   `json:"at_ms"`
	Money    *Money                  `json:"money,omitempty"` // nil: as before
	Counters map[control.Outcome]int `json:"counters"`
}

// Moments lists, for each side in the order of time, the events that changed a
// figure. Where owners names one for a side, as a step does, its events alone
// count there; nil: everybody's. Within one side the order of time is the order
// in which things happened; numbers are given in the order in which they were
// told. The work grows with the square of a side's events; [MaxMoments] bounds
// it.
func (r Run) Moments(owners map[control.Side]string) map[control.Side][]Moment {
	currencies := currenciesOf(r.Events)
	moments := make(map[control.Side][]Moment, 2)
	for _, side := range []control.Side{control.Naive, control.Safe} {
		moments[side] = momentsOf(inTime(r.Events, side, owners[side]), currencies)
	}
	return moments
}

// MaxMoments is how many events of a side are followed: more than any lesson
// has marks on its screen. What lies beyond shows the figures of the step.
const MaxMoments = 5000

func inTime(events []control.Event, side control.Side, owner string) []control.Event {
	var mine []control.Event
	for _, e := range events {
		if e.Side == side && (owner == "" || owner == e.Owner) {
			mine = append(mine, e)
		}
	}
	slices.SortFunc(mine, func(a, b control.Event) int {
		return cmp.Or(cmp.Compare(a.AtMS, b.AtMS), cmp.Compare(a.Seq, b.Seq))
	})
	return mine[:min(len(mine), MaxMoments)]
}

// momentsOf folds every beginning of the events. Money is folded anew only
// where an event can have moved some.
func momentsOf(events []control.Event, currencies []string) []Moment {
	out := []Moment{}
	last := ""
	counters := make(map[control.Outcome]int)
	for i, e := range events {
		moment := Moment{Seq: e.Seq, AtMS: e.AtMS}
		if e.Amount != 0 || e.Lane == control.LaneShop {
			if money := fold(events[:i+1], currencies); money.text() != last {
				last = money.text()
				moment.Money = &money
			}
		}
		if Counts(e) {
			counters[e.Outcome]++
		} else if moment.Money == nil {
			continue
		}
		moment.Counters = maps.Clone(counters)
		out = append(out, moment)
	}
	return out
}
