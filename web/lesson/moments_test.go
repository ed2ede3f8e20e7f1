package lesson

import (
	"testing"

	"chargeonce/web/control"
)

// storyOf is one order that is charged by two attempts. The provider's second
// event is told late: its number is the highest though it happened before.
func storyOf(side control.Side) []control.Event {
	event := func(seq uint64, at int64, lane control.Lane, kind control.Kind, outcome control.Outcome, amount int64, status int) control.Event {
		return control.Event{
			Seq: seq, Side: side, AtMS: at, Lane: lane, Kind: kind, Outcome: outcome,
			Amount: amount, Currency: "eur", Status: status, Owner: "a", Scene: "order",
		}
	}
	return []control.Event{
		event(1, 0, control.LaneShop, control.KindRequest, control.Attempt, 5000, 0),
		event(2, 1, control.LaneAPI, control.KindDecision, control.Started, 0, 0),
		event(3, 3, control.LaneProvider, control.KindProvider, control.Captured, 5000, 0),
		event(4, 4, control.LaneAPI, control.KindCommit, "", 5000, statusBooked),
		event(5, 5, control.LaneShop, control.KindResponse, control.Silence, 0, 0),
		event(6, 6, control.LaneShop, control.KindRequest, control.Attempt, 5000, 0),
		event(7, 9, control.LaneShop, control.KindResponse, "", 0, 201),
		event(8, 8, control.LaneProvider, control.KindProvider, control.Captured, 5000, 0),
	}
}

func TestMomentsFollowTheOrderOfTimeAndEndAsTheFoldOfAll(t *testing.T) {
	run := Run{Events: append(storyOf(control.Naive), storyOf(control.Safe)[:5]...)}
	moments := run.Moments(nil)
	naive, safe := moments[control.Naive], moments[control.Safe]
	for i := 1; i < len(naive); i++ {
		if naive[i].AtMS < naive[i-1].AtMS {
			t.Errorf("moment %d is at %d ms, after one at %d", i, naive[i].AtMS, naive[i-1].AtMS)
		}
	}
	if last := naive[len(naive)-1]; last.Seq != 8 || last.Money == nil || last.Counters[control.Attempt] != 2 || last.Counters[control.Captured] != 2 {
		t.Errorf("the last naive moment is %+v", last)
	}
	for side, all := range moments {
		var money *Money
		for _, m := range all {
			if m.Money != nil {
				money = m.Money
			}
		}
		if want := fold(inTime(run.Events, side, ""), []string{"eur"}).text(); money.text() != want {
			t.Errorf("%s ends with %s, want %s", side, money.text(), want)
		}
	}
	if got := safe[len(safe)-1].Money; got != nil {
		t.Errorf("a silence moves no money: %s", got.text())
	}
}

func TestWhatChangesNoFigureIsNoMoment(t *testing.T) {
	moments := Run{Events: storyOf(control.Safe)}.Moments(nil)[control.Safe]
	for _, m := range moments {
		if m.Seq == 7 {
			t.Errorf("an answer that is counted elsewhere is one: %+v", m)
		}
	}
	if empty := (Run{}).Moments(nil)[control.Naive]; empty == nil || len(empty) != 0 {
		t.Errorf("a run without events has %v", empty)
	}
}

func TestCountersOfOneMomentAreItsOwn(t *testing.T) {
	moments := Run{Events: storyOf(control.Safe)}.Moments(nil)[control.Safe]
	if moments[0].Counters[control.Attempt] != 1 || moments[0].Counters[control.Started] != 0 {
		t.Errorf("the first moment counts what came later: %v", moments[0].Counters)
	}
}

func TestOneOwnersMomentsAreHisAlone(t *testing.T) {
	events := storyOf(control.Naive)
	for _, e := range storyOf(control.Naive) {
		e.Owner, e.Seq = "b", e.Seq+100
		events = append(events, e)
	}
	run := Run{Events: events}
	money := func(owners map[control.Side]string) string {
		all := run.Moments(owners)[control.Naive]
		for i := len(all) - 1; ; i-- {
			if all[i].Money != nil {
				return text(all[i].Money.Captured)
			}
		}
	}
	if one, both := money(map[control.Side]string{control.Naive: "b"}), money(nil); one != "eur 10000" || both != "eur 20000" {
		t.Errorf("one owner was charged %s, both %s", one, both)
	}
}

func TestAReceiptCountsOnceWhereItIsWritten(t *testing.T) {
	for outcome, want := range map[control.Outcome]bool{control.Receipt: true, control.Replay: false, "": false} {
		if got := Counts(control.Event{Lane: control.LaneReceipts, Kind: control.KindWebhook, Outcome: outcome}); got != want {
			t.Errorf("outcome %q of a delivery counts: %v", outcome, got)
		}
	}
}
