package stage

import (
	"fmt"
	"testing"

	"chargeonce/web/control"
	"chargeonce/web/network"
)

func asked(key string) control.Event {
	return control.Event{Side: control.Safe, Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt, Attempt: 2, Owner: "shop", Key: key, Text: "asks"}
}

func TestANewChapterBeginsWithNothing(t *testing.T) {
	log := newRunLog()
	log.add(asked("k1"))
	log.exchanges.add(control.Safe, word("1", "tr", network.Answered, "x"))
	if log.untouched() {
		t.Error("a request is no touch")
	}
	place, grown, _ := log.since(0, 10)
	log.turn(chapter{})
	select {
	case <-grown:
	default:
		t.Error("readers were not woken")
	}
	state, events := log.snapshot()
	if len(events) != 0 || len(state.Counters) != 0 || len(state.Retries) != 0 || len(log.exchanges.all()) != 0 || !log.untouched() {
		t.Errorf("left over: %+v %+v", state, events)
	}
	old := place[len(place)-1].Seq
	if _, _, ok := log.since(old, 10); ok || !log.turned(old) {
		t.Error("a place in the old chapter passes for one in the new")
	}
	if _, _, ok := log.since(state.Seq, 10); !ok || log.turned(state.Seq) || log.turned(0) {
		t.Error("the new chapter's own beginning does not count as one")
	}
	log.add(control.Event{Side: control.Safe, Kind: control.KindProcess, Outcome: control.Ready, Text: "listens"})
	if events, _, ok := log.since(0, 10); !ok || len(events) != 1 || events[0].Seq != state.Seq+1 || !log.untouched() {
		t.Errorf("the first event of the new chapter: %v %+v", ok, events)
	}
}

func TestAnEndedChapterComesBackWithItsFigures(t *testing.T) {
	log := newRunLog()
	for i := range ringSize + 10 { // more than the ring holds: the figures cannot be counted again
		log.add(asked(fmt.Sprint("k", i%3)))
	}
	before, texts := log.snapshot()
	ended := log.turn(chapter{})
	log.add(asked("fresh"))
	log.turn(ended)
	after, again := log.snapshot()
	if fmt.Sprint(after.Counters, after.Retries) != fmt.Sprint(before.Counters, before.Retries) {
		t.Errorf("figures %v, want %v", after, before)
	}
	if len(again) != len(texts) || again[0].Key != texts[0].Key || again[0].Scene != texts[0].Scene {
		t.Errorf("%d events from %+v on, want %d from %+v", len(again), again[0], len(texts), texts[0])
	}
	for i := 1; i < len(again); i++ {
		if again[i].Seq != again[i-1].Seq+1 {
			t.Fatalf("a gap after %d", again[i-1].Seq)
		}
	}
	log.add(asked("k1"))
	if last := log.everything(); len(last) != ringSize || last[ringSize-1].Seq != after.Seq+1 || last[ringSize-1].Key != "k1" {
		t.Error("the chapter does not go on")
	}
}
