package stage

import (
	"fmt"
	"strings"
	"testing"

	"chargeonce/web/control"
)

func TestEventsOfOnePaymentShareAScene(t *testing.T) {
	s := newScenes()
	events := []control.Event{
		{Lane: control.LaneShop, Outcome: control.Attempt, Scene: "ord_1", Owner: "shop", Key: "K", Trace: "t1"},
		{Lane: control.LaneNetwork, Owner: "shop", Key: "K", Trace: "t1"},
		{Lane: control.LaneAPI, Kind: control.KindProvider, Trace: "t1", ProviderKey: "cap_1"},
		{Lane: control.LaneProvider, ProviderKey: "cap_1"},
		{Lane: control.LaneAPI, Kind: control.KindDecision, Owner: "shop", Key: "K", Trace: "curl"}, // the same key from outside
		{Lane: control.LaneAPI, Kind: control.KindProcess, Outcome: control.Killed},
	}
	for i := range events {
		events[i].Side = control.Safe
		s.place(&events[i])
		if events[i].Scene != "ord_1" {
			t.Errorf("event %d went to scene %q", i, events[i].Scene)
		}
	}
}

func TestOwnersAndSidesHaveScenesOfTheirOwn(t *testing.T) {
	s := newScenes()
	scenes := map[string]bool{}
	for _, e := range []control.Event{
		{Side: control.Safe, Owner: "a", Key: "k"},
		{Side: control.Safe, Owner: "b", Key: "k"},
	} {
		s.place(&e)
		scenes[e.Scene] = true
	}
	if len(scenes) != 2 {
		t.Errorf("two owners shared a scene: %v", scenes)
	}
}

func TestOutsideClientsAreNumbered(t *testing.T) {
	s := newScenes()
	for n := 1; n <= 3; n++ {
		e := control.Event{Side: control.Safe, Lane: control.LaneNetwork, Outcome: control.Attempt, Owner: "you", Key: "k", Trace: fmt.Sprint(n)}
		s.place(&e)
		if e.Attempt != n {
			t.Errorf("request %d is called attempt %d", n, e.Attempt)
		}
	}
}

func TestForgottenScenesLeaveNothingBehind(t *testing.T) {
	s := newScenes()
	for i := range 3 * maxScenes {
		e := control.Event{Side: control.Safe, Owner: "o", Key: fmt.Sprint(i), Trace: fmt.Sprint("t", i)}
		s.place(&e)
	}
	if len(s.stories) != maxScenes || len(s.order) != maxScenes || len(s.names) != 2*maxScenes {
		t.Errorf("stories %d, order %d, names %d", len(s.stories), len(s.order), len(s.names))
	}
}

func TestEachOutcomeHasItsSentence(t *testing.T) {
	shop := func(outcome control.Outcome, status int) control.Event {
		return control.Event{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: outcome, Status: status, Amount: 5000, Currency: "eur"}
	}
	decision := func(outcome control.Outcome) control.Event {
		return control.Event{Lane: control.LaneAPI, Kind: control.KindDecision, Outcome: outcome}
	}
	for _, test := range []struct {
		name   string
		events []control.Event
		want   string
	}{
		{"paid", []control.Event{decision(control.Started), shop("", 201)}, "charged €50.00 once"},
		{"silence", []control.Event{decision(control.Started), shop(control.Silence, 0)}, "it stopped waiting"},
		{"replay after silence", []control.Event{shop(control.Silence, 0), decision(control.Replay), shop(control.Replay, 201)}, "SAFE replayed the answer"},
		{"double click", []control.Event{decision(control.Busy), decision(control.Replay), shop(control.Replay, 201)}, "got the first one's answer"},
		{"conflict", []control.Event{decision(control.Conflict)}, "409 CONFLICT"},
		{"busy", []control.Event{decision(control.Busy)}, "BUSY"},
		{"killed", []control.Event{{Kind: control.KindProcess, Outcome: control.Killed}}, "kill -9"},
		{"resumed", []control.Event{decision(control.Resumed)}, "RESUMES"},
		{"declined", []control.Event{shop(control.Declined, 402)}, "that is an answer"},
	} {
		st := &story{}
		var text string
		for _, e := range test.events {
			st.take(e)
			text = st.tell(e)
		}
		if !strings.Contains(text, test.want) {
			t.Errorf("%s: %q does not say %q", test.name, text, test.want)
		}
	}
}
