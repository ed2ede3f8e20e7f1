package lesson

import (
	"context"
	"strconv"
	"strings"

	"chargeonce/web/control"
)

// raceShown is the order that is told step by step before the board: A and B
// take turns, so that both sides show all they have.
const raceShown = "o06"

// doubleClick: two equal requests race, in every order in which they can.
func doubleClick() Lesson {
	return Lesson{
		ID: "double-click", Title: "Double-click race", Mistake: "look-then-insert",
		NaiveLabel: "NAIVE: look, charge, insert", SafeLabel: "SAFE: claim in one transaction",
		Lanes:    []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{control.Attempt, control.Started, control.Busy, control.Replay, control.Captured},
		Setup:    "One impatient customer, *two clicks on Pay*, one key, on both sides.",
		Question: "In how many of the 20 orders does it go wrong?",
		Answers:  []string{"None", "2 of 20", "10 of 20", "18 of 20"},
		Right:    4,
		Sentence: "Check-then-act loses under double-click.",
		NotFixed: "18 of 20 are *possible orders, not odds*. Not fixed: two clicks with two keys.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*lookFirst).Charge"},
			{Side: control.Safe, Package: "ledger", Func: "claim"},
			{Side: control.Safe, Package: "idem", Func: "Begin"},
		},
		Board:   Orders(),
		Patient: true,
		Beats:   doubleClickBeats(),
		Script: func(ctx context.Context, side control.Side, rig Rig) error {
			return raceAll(ctx, side, rig, Orders())
		},
		Promises: doubleClickPromises,
	}
}

func doubleClickBeats() []Beat {
	clicked := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Owner: raceShown, N: 2}}
	started := Cue{Kind: control.KindDecision, Outcome: control.Started, Owner: raceShown}
	second := started
	second.N = 2
	busy := started
	busy.Outcome = control.Busy
	end := []Cue{{Owner: raceShown, End: true}}
	return []Beat{
		{Say: "Click A, click B: *two requests, the same order, the same key.*", Naive: clicked, Safe: clicked, Owner: raceShown, Curtain: true},
		{Say: "Each has three steps: look, charge, insert. *We have run all 20 orders of the six.*", Owner: raceShown, Question: true, Curtain: true},
		{Say: "Order 6, NAIVE. A looks, B looks: *neither finds anything.*", Naive: []Cue{started, second}, Owner: raceShown},
		{Say: "So both charge, and then both insert: *€100 for one purchase of €50.*", Naive: end, Owner: raceShown},
		{Say: "Order 6, SAFE. A *claims*: looks and writes at once. B finds the claim: *BUSY.*", Safe: []Cue{started, busy}, Owner: raceShown},
		{Say: "A commits; B wakes and reads A's answer: *REPLAY, one charge.*", Safe: end, Owner: raceShown},
		{
			Say:   "Look, then insert: *18 of the 20 possible orders charge twice.*",
			Naive: []Cue{{End: true}}, Owner: raceShown, Answer: true, Board: []control.Side{control.Naive},
		},
		{
			Say:  "Claim in one transaction: *none*; the loser waits, then reads the winner's answer.",
			Safe: []Cue{{End: true}}, Owner: raceShown, Board: sides,
		},
	}
}

// doubleClickPromises counts orders by their captures. On the naive side only
// the orders in which one click is through before the other looks go well.
func doubleClickPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	var once, twice []string
	for _, o := range Orders() {
		switch books.Owners[o.Owner].Captures {
		case 1:
			once = append(once, o.Name)
		case 2:
			twice = append(twice, o.Name)
		}
	}
	total, double := int64(len(Orders()))*price, 0
	if side == control.Naive {
		double = 18
		c.equal("orders that charge once", "1 20", strings.Join(once, " "))
	} else {
		c.replays(books, len(Orders())) // each loser read the winner's answer
	}
	c.equal("orders that charge twice", of20(double), of20(len(twice)))
	c.count("charges in our ledger", len(Orders())+double, charges(books))
	c.money(books, total, total+int64(double)*price, total+int64(double)*price)
	return c.all
}

func of20(n int) string { return strconv.Itoa(n) + " of " + strconv.Itoa(len(Orders())) }
