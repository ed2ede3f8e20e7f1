package lesson

import (
	"fmt"
	"strings"
	"testing"

	"chargeonce/web/control"
)

// drawn writes marks as the picture has them: "A look 1, B look 2".
func drawn(marks []Mark) string {
	var parts []string
	for _, m := range marks {
		parts = append(parts, fmt.Sprintf("%s %s %d", m.Click, m.What, m.At))
	}
	return strings.Join(parts, ", ")
}

func cellOf(t *testing.T, run Run, letters string) Cell {
	t.Helper()
	for _, cell := range run.Board {
		if cell.Letters() == letters {
			return cell
		}
	}
	t.Fatalf("no cell for %s", letters)
	return Cell{}
}

func TestCellsShowWhatReallyHappenedInEachOrder(t *testing.T) {
	run := recorded(t, doubleClick())
	if len(run.Board) != 20 {
		t.Fatalf("%d cells", len(run.Board))
	}
	for letters, want := range map[string][2]string{
		"AAABBB": {"A look 1, A charge 2, A insert 3, B replay 4", "A claim 1, A charge 2, A commit 3, B replay 4"},
		"AABABB": {"A look 1, A charge 2, B look 3, A insert 4, B charge 5, B insert 6", "A claim 1, A charge 2, B busy 3, A commit 4, B replay 5"},
		"ABABAB": {"A look 1, B look 2, A charge 3, B charge 4, A insert 5, B insert 6", "A claim 1, B busy 2, A charge 3, A commit 5, B replay 6"},
		"ABBBAA": {"A look 1, B look 2, B charge 3, B insert 4, A charge 5, A insert 6", "A claim 1, B busy 2, A charge 5, A commit 6, B replay 7"},
		"BAABBA": {"B look 1, A look 2, A charge 3, B charge 4, B insert 5, A insert 6", "B claim 1, A busy 2, B charge 4, B commit 5, A replay 6"},
		"BBBAAA": {"B look 1, B charge 2, B insert 3, A replay 4", "B claim 1, B charge 2, B commit 3, A replay 4"},
	} {
		cell := cellOf(t, run, letters)
		if got := drawn(cell.Naive.Marks); got != want[0] {
			t.Errorf("%s, naive:\ngot  %s\nwant %s", letters, got, want[0])
		}
		if got := drawn(cell.Safe.Marks); got != want[1] {
			t.Errorf("%s, safe:\ngot  %s\nwant %s", letters, got, want[1])
		}
	}
}

func TestACellReadsAsOneSentence(t *testing.T) {
	run := recorded(t, doubleClick())
	cell := cellOf(t, run, "ABABAB")
	for got, want := range map[string]string{
		cell.Naive.Say: "A looks, B looks, A charges, B charges, A inserts, B inserts: 2 charges.",
		cell.Safe.Say:  "A claims, B waits, A charges, A commits, B reads the other's answer: 1 charge.",
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestACellReplaysTheEventsOfItsOwner(t *testing.T) {
	run := recorded(t, doubleClick())
	bySeq := make(map[uint64]control.Event)
	for _, e := range run.Events {
		bySeq[e.Seq] = e
	}
	for _, cell := range run.Board {
		owner := OwnerName(run.ID, cell.Owner)
		if !strings.HasPrefix(cell.Scene, owner) {
			t.Errorf("cell %s plays scene %q", cell.Name, cell.Scene)
		}
		for _, m := range append(cell.Naive.Marks, cell.Safe.Marks...) {
			if e := bySeq[m.Seq]; e.Owner != owner {
				t.Errorf("cell %s draws an event of %s", cell.Name, e.Owner)
			}
		}
	}
}

func TestBooksColourACellAndEventsDoNot(t *testing.T) {
	l, run := doubleClick(), Run{ID: "r"}
	books := map[control.Side]Figures{
		control.Naive: {Owners: map[string]control.OwnerBooks{"o03": {Captures: 2}}},
		control.Safe:  {Owners: map[string]control.OwnerBooks{"o03": {Captures: 1}}},
	}
	cell := board(l, run, books)[2]
	if cell.Naive.Books.Captures != 2 || cell.Safe.Books.Captures != 1 || cell.Naive.Marks != nil {
		t.Errorf("without any event: %+v", cell)
	}
	if !strings.HasSuffix(cell.Naive.Say, ": 2 charges.") {
		t.Errorf("the sentence counts events: %q", cell.Naive.Say)
	}
}

func TestAttemptsThatOnlyAskAgainDrawNothingNew(t *testing.T) {
	o := Orders()[5] // ABABAB
	at := func(e control.Event, trace string) control.Event {
		e.Trace = trace
		return e
	}
	decision := func(outcome control.Outcome) control.Event {
		return control.Event{Lane: control.LaneAPI, Kind: control.KindDecision, Outcome: outcome}
	}
	events := []control.Event{
		at(wish("", "s", 1), "x.1"), at(wish("", "s", 1), "y.1"),
		at(decision(control.Started), "x.1"), at(decision(control.Busy), "y.1"), at(capture("", 1), "x.1"),
		at(wish("", "s", 1), "y.2"), at(decision(control.Busy), "y.2"),
		at(booked("", 1, 0), "x.1"), at(booked("", 1, 201), "x.1"), at(decision(control.Replay), "y.2"),
		at(decision(control.Replay), "stranger.1"), decision(control.Replay),
	}
	if got, want := drawn(marks(o, control.Safe, events)), "A claim 1, B busy 2, A charge 3, A commit 5, B replay 6"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAnUntracedRequestIsNobodysClick(t *testing.T) {
	if names := clickNames([]control.Event{wish("", "s", 1)}); len(names) != 0 {
		t.Errorf("got %v", names)
	}
}
