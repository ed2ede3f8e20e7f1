package lesson

import (
	"testing"

	"chargeonce/web/control"
)

func TestACueFindsItsEvent(t *testing.T) {
	events := []control.Event{
		{Seq: 2, Kind: control.KindProcess, Outcome: control.Ready},
		{Seq: 3, Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt, Attempt: 1, Owner: "run_r"},
		{Seq: 5, Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt, Attempt: 1, Owner: "run_r_b"},
		{Seq: 6, Kind: control.KindProcess, Outcome: control.Killed},
		{Seq: 8, Kind: control.KindProcess, Outcome: control.Ready},
		{Seq: 9, Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt, Attempt: 2, Owner: "run_r"},
		{Seq: 11, Lane: control.LaneAPI, Kind: control.KindCommit, Status: 201, Owner: "run_r"},
	}
	attempt := Cue{Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt}
	with := func(change func(*Cue)) Cue {
		c := attempt
		change(&c)
		return c
	}
	for name, of := range map[string]struct {
		cue  Cue
		want uint64 // 0: nothing
	}{
		"the first":              {attempt, 3},
		"the first, said aloud":  {with(func(c *Cue) { c.N = 1 }), 3},
		"the third":              {with(func(c *Cue) { c.N = 3 }), 9},
		"one more than there is": {with(func(c *Cue) { c.N = 4 }), 0},
		"the last of its sort":   {with(func(c *Cue) { c.End = true }), 9},
		"of one owner":           {with(func(c *Cue) { c.Owner = "b" }), 5},
		"of nobody here":         {with(func(c *Cue) { c.Owner = "c" }), 0},
		"of one attempt":         {with(func(c *Cue) { c.Attempt = 2 }), 9},
		"by status":              {Cue{Status: 201}, 11},
		"before it went down":    {Cue{Outcome: control.Ready}, 2},
		"after it went down":     {Cue{Outcome: control.Ready, Past: control.Killed}, 8},
		"past what never was":    {Cue{Outcome: control.Ready, Past: control.Fenced}, 0},
		"the very last":          {Cue{End: true}, 11},
		"the last of an owner":   {Cue{End: true, Owner: "b"}, 5},
		"the last of nobody":     {Cue{End: true, Owner: "c"}, 0},
	} {
		e, ok := of.cue.Find(events, "r")
		if ok != (of.want != 0) || ok && e.Seq != of.want {
			t.Errorf("%s: found %v, event %d, want %d", name, ok, e.Seq, of.want)
		}
	}
	if _, ok := (Cue{End: true}).Find(nil, "r"); ok {
		t.Error("found the end of nothing")
	}
}

func TestOwnersHaveNamesOfTheirOwnInTheBooks(t *testing.T) {
	if a, b := OwnerName("7", ""), OwnerName("7", "b"); a != "run_7" || b != "run_7_b" {
		t.Errorf("got %s and %s", a, b)
	}
}
