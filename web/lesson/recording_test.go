package lesson

import (
	"context"
	"slices"
	"testing"
	"time"

	"chargeonce/web/control"
)

// without leaves out of a recording what a test says is still on its way.
func without(events []control.Event, late func(control.Event) bool) []control.Event {
	return slices.DeleteFunc(slices.Clone(events), late)
}

// A recording is taken when nothing is missing any more: whatever comes last,
// it is waited for.
func TestARecordingIsTakenWhenItIsWhole(t *testing.T) {
	for name, late := range map[string]func(control.Event) bool{
		"a capture": func(e control.Event) bool { return e.Outcome == control.Captured },
		"a commit":  func(e control.Event) bool { return e.Kind == control.KindCommit && e.Status == statusBooked },
		"a silence": func(e control.Event) bool { return e.Outcome == control.Silence },
		"the API's answer": func(e control.Event) bool {
			return e.Lane == control.LaneAPI && e.Kind == control.KindResponse && e.Side == control.Safe
		},
		"nothing": func(control.Event) bool { return false },
	} {
		var early, whole bool
		_, took, err := execute(t, lostResponse(), func(r Rigs) Rigs {
			all := r.Record
			r.Record = func(ctx context.Context, until func([]control.Event) bool) ([]control.Event, error) {
				events, err := all(ctx, func([]control.Event) bool { return true })
				early, whole = until(without(events, late)), until(events)
				return events, err
			}
			return r
		})
		if err != nil || !whole || took > 3*time.Second {
			t.Errorf("%s: whole %v after %v, %v", name, whole, took, err)
		}
		if early != (name == "nothing") {
			t.Errorf("%s is late, and the recording was taken: %v", name, early)
		}
	}
}

func TestAStagesOwnNarrationGivesNothingAway(t *testing.T) {
	note := func(side control.Side, lane control.Lane) control.Event {
		return control.Event{Side: side, Lane: lane, Kind: control.KindNote, Text: "SAFE replayed the answer."}
	}
	run, _, err := execute(t, lostResponse(), func(r Rigs) Rigs {
		w := r.Naive.(*fake).w
		w.emit(note(control.Naive, control.LaneShop))
		w.emit(note(control.Naive, control.LaneCustomer))
		return r
	})
	if err != nil || run.State != Held {
		t.Fatalf("%s: %v", run.State, err)
	}
	var lanes []control.Lane
	for _, e := range run.Events {
		if e.Kind == control.KindNote {
			lanes = append(lanes, e.Lane)
		}
	}
	if !slices.Equal(lanes, []control.Lane{control.LaneCustomer}) {
		t.Errorf("notes are told in the lanes %v, want the customer's alone", lanes)
	}
}

func TestARecordingIsWholeOnceTheAPIToldOfEveryAnswer(t *testing.T) {
	shop := control.Event{Lane: control.LaneShop, Kind: control.KindResponse, Status: 201, Trace: "x.1"}
	silent := control.Event{Lane: control.LaneShop, Kind: control.KindResponse, Trace: "x.2"}
	api := control.Event{Lane: control.LaneAPI, Kind: control.KindResponse, Trace: "x.1"}
	proxy := control.Event{Lane: control.LaneNetwork, Kind: control.KindFault, Trace: "x.1"}
	other := api
	other.Side = control.Naive
	for name, of := range map[string]struct {
		events []control.Event
		want   bool
	}{
		"nothing":               {nil, true},
		"silence":               {[]control.Event{silent}, true},
		"told by the shop only": {[]control.Event{shop}, false},
		"told by both":          {[]control.Event{api, shop}, true},
		"told on another side":  {[]control.Event{other, shop}, false},
		"answered by the wire":  {[]control.Event{proxy, shop}, true},
	} {
		if got := answersTold(of.events); got != of.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestACueWithoutAnEventMovesNothingAndIsReported(t *testing.T) {
	l := lostResponse()
	events := []control.Event{
		{Seq: 1, Side: control.Naive, Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt},
		{Seq: 2, Side: control.Naive, Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Captured},
	}
	steps := Tell(l, Run{Events: events})
	if got := steps[2].Upto[control.Naive]; got != 1 {
		t.Errorf("a silence that never came revealed event %d", got)
	}
	if got := untold(l, control.Naive, events, ""); !slices.Equal(got, []int{3, 6}) {
		t.Errorf("naive beats without an event: %v, want 3 and 6", got)
	}
	if got := untold(l, control.Safe, events, ""); !slices.Equal(got, []int{2, 3, 8, 9, 10, 11}) {
		t.Errorf("safe beats without an event: %v", got)
	}
}
