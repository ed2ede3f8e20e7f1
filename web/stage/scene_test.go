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
	on := func(side control.Side, e control.Event) control.Event {
		e.Side = side
		return e
	}
	answer := func(side control.Side, outcome control.Outcome, status int) control.Event {
		return control.Event{Side: side, Lane: control.LaneShop, Kind: control.KindResponse, Outcome: outcome, Status: status, Amount: 5000, Currency: "eur"}
	}
	decision := func(outcome control.Outcome) control.Event {
		return control.Event{Side: control.Safe, Lane: control.LaneAPI, Kind: control.KindDecision, Outcome: outcome}
	}
	captured := control.Event{Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Captured}
	const naive, safe = control.Naive, control.Safe
	for _, test := range []struct {
		name   string
		events []control.Event
		want   string
	}{
		{"paid on both sides", []control.Event{
			on(naive, captured), on(safe, captured), answer(naive, "", 201), answer(safe, "", 201),
		}, "both charged the card €50.00 once"},
		{"silence", []control.Event{answer(safe, control.Silence, 0)}, "it stopped waiting"},
		{"lost answer", []control.Event{
			on(naive, captured), on(safe, captured), answer(safe, control.Silence, 0), on(naive, captured),
			answer(naive, "", 201), decision(control.Replay), answer(safe, control.Replay, 201),
		}, "NAIVE charged the card again*, *SAFE replayed the answer"},
		{"one side's answer does not tell the other's", []control.Event{on(naive, captured), answer(naive, "", 201)}, "NAIVE charged the card once."},
		{"double click", []control.Event{decision(control.Busy), decision(control.Replay), answer(safe, control.Replay, 201)}, "SAFE replayed the answer"},
		{"a breach is not hidden", []control.Event{on(safe, captured), on(safe, captured), answer(safe, "", 201)}, "SAFE charged the card 2 times"},
		{"conflict", []control.Event{decision(control.Conflict)}, "409 CONFLICT"},
		{"busy", []control.Event{decision(control.Busy)}, "BUSY"},
		{"killed", []control.Event{{Side: safe, Kind: control.KindProcess, Outcome: control.Killed}}, "kill -9"},
		{"resumed", []control.Event{decision(control.Resumed)}, "RESUMES"},
		{"declined", []control.Event{answer(safe, control.Declined, 402)}, "that is an answer"},
		{"held", []control.Event{{Side: safe, Kind: control.KindGate, Outcome: control.Held, Gate: "committed"}}, "only the answer is not sent"},
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

func TestEveryGateSaysWhatIsTrueThere(t *testing.T) {
	for side, gates := range sideGates {
		for _, gate := range gates {
			if heldAt[gate] == "" {
				t.Errorf("%s: nothing is said at %s", side, gate)
			}
		}
	}
}
