package lesson

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chargeonce/web/control"
)

// board lays every order of a race beside what came of it: the books that
// colour the cell, and from the events what each click did at which step.
func board(l Lesson, run Run, figures map[control.Side]Figures) []Cell {
	var cells []Cell
	for _, o := range l.Board {
		cell := Cell{Order: o}
		for _, side := range sides {
			var events []control.Event
			for _, e := range ofSide(run.Events, side) {
				if e.Owner == OwnerName(run.ID, o.Owner) {
					events = append(events, e)
				}
			}
			one := CellSide{Books: figures[side].Owners[o.Owner], Marks: marks(o, side, events)}
			one.Say = reading(one.Marks, one.Books.Captures)
			if side == control.Naive {
				cell.Naive = one
			} else {
				cell.Safe = one
			}
			cell.Scene = cmp.Or(cell.Scene, sceneOf(events))
		}
		cells = append(cells, cell)
	}
	return cells
}

func sceneOf(events []control.Event) string {
	for _, e := range events {
		if e.Scene != "" {
			return e.Scene
		}
	}
	return ""
}

// marks finds what each click did. Where a mark stands in the order follows
// from what it is, since every step was released by itself.
func marks(o Order, side control.Side, events []control.Event) []Mark {
	names := clickNames(events)
	seen := make(map[string]bool) // click and mark: attempts that only ask again add nothing
	var all []Mark
	for _, e := range events {
		m := Mark{Click: names[loopOf(e.Trace)], What: whatOf(side, e), Seq: e.Seq}
		if m.Click == "" || m.What == "" || seen[m.Click+m.What] {
			continue
		}
		seen[m.Click+m.What] = true
		m.At = o.place(m, seen[m.Click+"busy"])
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(a, b Mark) int { return cmp.Or(a.At-b.At, cmp.Compare(a.Seq, b.Seq)) })
	return all
}

// clickNames calls the payment loops A and B, in the order in which the shop
// sent their first attempts.
func clickNames(events []control.Event) map[string]string {
	names := make(map[string]string)
	for _, e := range events {
		loop := loopOf(e.Trace)
		if e.Lane != control.LaneShop || e.Kind != control.KindRequest || loop == "" ||
			names[loop] != "" || len(names) == len(clicks) {
			continue
		}
		names[loop] = clicks[len(names)]
	}
	return names
}

// whatOf names what an event means for the drawing of a cell; "" is nothing.
func whatOf(side control.Side, e control.Event) string {
	words := map[control.Side][2]string{control.Naive: {"look", "insert"}, control.Safe: {"claim", "commit"}}[side]
	switch {
	case e.Lane == control.LaneProvider && e.Outcome == control.Captured:
		return "charge"
	case e.Lane != control.LaneAPI:
	case e.Kind == control.KindCommit && e.Status == statusBooked:
		return words[1]
	case e.Kind == control.KindDecision && (e.Outcome == control.Started || e.Outcome == control.Resumed):
		return words[0]
	case e.Kind == control.KindDecision && (e.Outcome == control.Busy || e.Outcome == control.Replay):
		return string(e.Outcome)
	}
	return ""
}

// place is the step of the order at which a mark stands, from 1. A request
// that was told to wait reads the winner's answer at its own next step after
// the winner's last one; where it has none left, after all steps.
func (o Order) place(m Mark, waited bool) int {
	own, other := o.stepsOf(m.Click), o.stepsOf(clicks[0])
	if m.Click == clicks[0] {
		other = o.stepsOf(clicks[1])
	}
	switch {
	case m.What == "charge":
		return own[1]
	case m.What == "insert" || m.What == "commit":
		return own[2]
	case m.What != "replay" || !waited:
		return own[0]
	}
	for _, at := range own {
		if at > other[2] {
			return at
		}
	}
	return len(o.Steps) + 1
}

// stepsOf are the places of a click's steps in the order, from 1.
func (o Order) stepsOf(name string) (at []int) {
	for i, step := range o.Steps {
		if click(step) == name {
			at = append(at, i+1)
		}
	}
	return at
}

// reading says a cell in one sentence.
func reading(marks []Mark, captures int) string {
	verbs := map[string]string{
		"look": "looks", "claim": "claims", "charge": "charges", "insert": "inserts", "commit": "commits",
		"busy": "waits", "replay": "reads the other's answer",
	}
	var parts []string
	for _, m := range marks {
		parts = append(parts, m.Click+" "+verbs[m.What])
	}
	charges := "1 charge"
	if captures != 1 {
		charges = fmt.Sprintf("%d charges", captures)
	}
	return strings.Join(parts, ", ") + ": " + charges + "."
}
