package stage

import (
	"testing"

	"chargeonce/web/control"
)

func attempt(n int) control.Event {
	return control.Event{
		Side: control.Safe, Lane: control.LaneShop, Kind: control.KindRequest,
		Outcome: control.Attempt, Attempt: n, Of: 10, Scene: "ord_1", Trace: "t", AtMS: 1,
	}
}

func TestRunLogNumbersWithoutGaps(t *testing.T) {
	log := newRunLog()
	for range 3 {
		log.add(attempt(1))
	}
	events, _, ok := log.since(0, 10)
	if !ok || len(events) != 3 {
		t.Fatalf("events %v, ok %v", events, ok)
	}
	for i, e := range events {
		if e.Seq != uint64(i+1) {
			t.Errorf("event %d has number %d", i, e.Seq)
		}
	}
}

func TestRunLogReadsOnFromAPlace(t *testing.T) {
	log := newRunLog()
	for range 5 {
		log.add(attempt(1))
	}
	events, _, ok := log.since(3, 1)
	if !ok || len(events) != 1 || events[0].Seq != 4 {
		t.Errorf("after 3, one: %v %v", events, ok)
	}
	if events, _, ok = log.since(5, 10); !ok || len(events) != 0 {
		t.Errorf("at the end: %v %v", events, ok)
	}
}

func TestRunLogSendsAReaderOfALostPlaceForASnapshot(t *testing.T) {
	log := newRunLog()
	for range ringSize + 10 {
		log.add(attempt(1))
	}
	for _, test := range []struct {
		after uint64
		ok    bool
	}{{0, false}, {9, false}, {10, true}, {ringSize + 10, true}, {ringSize + 11, false}} {
		if _, _, ok := log.since(test.after, 1); ok != test.ok {
			t.Errorf("after %d: ok %v, want %v", test.after, ok, test.ok)
		}
	}
	state, events := log.snapshot()
	if state.Seq != ringSize+10 || len(events) != snapshotEvents || events[len(events)-1].Seq != state.Seq {
		t.Errorf("snapshot at %d with %d events ending at %d", state.Seq, len(events), events[len(events)-1].Seq)
	}
	if n := state.Counters[control.Safe][control.Attempt]; n != ringSize+10 {
		t.Errorf("counters must outlive the ring: %d", n)
	}
}

func TestRunLogWakesItsReaders(t *testing.T) {
	log := newRunLog()
	_, grown, _ := log.since(0, 1)
	select {
	case <-grown:
		t.Fatal("woken before anything happened")
	default:
	}
	log.add(attempt(1))
	<-grown
}

func TestRunLogCountsEachThingOnce(t *testing.T) {
	log := newRunLog()
	busy := control.Event{Side: control.Safe, Lane: control.LaneAPI, Kind: control.KindDecision, Outcome: control.Busy, Owner: "a", Key: "k"}
	answer := busy
	answer.Lane, answer.Kind = control.LaneShop, control.KindResponse // the same 409, as the shop receives it
	silence := answer
	silence.Outcome = control.Silence
	for _, e := range []control.Event{attempt(1), attempt(2), attempt(3), busy, answer, silence} {
		log.add(e)
	}
	state, _ := log.snapshot()
	counters := state.Counters[control.Safe]
	if counters[control.Attempt] != 3 || state.Retries[control.Safe] != 2 {
		t.Errorf("attempts %d, retries %d", counters[control.Attempt], state.Retries[control.Safe])
	}
	if counters[control.Busy] != 1 || counters[control.Silence] != 1 {
		t.Errorf("counters: %v", counters)
	}
}

func TestSnapshotIsACopy(t *testing.T) {
	log := newRunLog()
	log.add(attempt(1))
	state, _ := log.snapshot()
	state.Counters[control.Safe][control.Attempt] = 100
	if again, _ := log.snapshot(); again.Counters[control.Safe][control.Attempt] != 1 {
		t.Error("a reader changed the log's counters")
	}
}

// A recording with a hole would tell a wrong story.
func TestALessonsLogKeepsAWholeStorm(t *testing.T) {
	log := newLessonLog()
	for range 2 * ringSize {
		log.add(attempt(1))
	}
	events, _, err := log.all()
	if err != nil || len(events) != 2*ringSize || events[0].Seq != 1 {
		t.Errorf("%d events: %v", len(events), err)
	}
	for range runSize {
		log.add(attempt(1))
	}
	if _, _, err := log.all(); err == nil {
		t.Error("a log that was overwritten passes for whole")
	}
}
