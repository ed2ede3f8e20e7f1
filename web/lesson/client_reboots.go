package lesson

import (
	"context"

	"chargeonce/web/control"
)

// clientReboots: the client dies instead of the server. What it still knows
// about its first attempt is what it wrote down before it.
func clientReboots() Lesson {
	return Lesson{
		ID: "client-reboots", Title: "The client reboots", Mistake: "key-in-memory",
		NaiveLabel: "NAIVE: key kept in memory", SafeLabel: "SAFE: key stored before attempt 1",
		Lanes: []control.Lane{control.LaneShop, control.LaneNetwork, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{
			control.Attempt, control.Silence, control.Killed, control.Started, control.Replay, control.Captured,
		},
		Setup:    "One purchase of €50. The answer is lost, then *the shop loses its memory*.",
		Question: "The shop is back and finds an open order. Which key does it send?",
		Answers: []string{
			"A new one: the old attempt is history.",
			"None: it has to ask first.",
			"The one that it wrote down before attempt 1.",
			"The id of the charge.",
		},
		Right:    3,
		Sentence: "The key must outlive the process that retries.",
		NotFixed: "Not fixed: a shop that loses *its disk as well*. Then only the books can tell.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "rekey"},
			{Side: control.Safe, Package: "web/shop", Func: "(journal).place"},
			{Side: control.Safe, Package: "web/shop", Func: "(*Shop).Resume"},
		},
		Beats:    clientRebootsBeats(),
		Script:   rebootAfterSilence,
		Promises: askedAgain(2, 1),
	}
}

func clientRebootsBeats() []Beat {
	sent := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt}}
	silence := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Silence}}
	back := []Cue{{Lane: control.LaneShop, Kind: control.KindProcess, Outcome: control.Ready}}
	again := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Past: control.Killed}}
	return []Beat{
		{Say: "*Attempt 1* leaves the shop, on both sides alike.", Naive: sent, Safe: sent},
		{Say: "The card is charged, the answer is lost: *silence.*", Naive: silence, Safe: silence},
		{Say: "*The shop dies* before attempt 2, and is started again.", Naive: back, Safe: back},
		{Say: "Its journal says: one order, outcome unknown.", Question: true},
		{Say: "NAIVE kept the key in a variable: *it mints another one.*", Naive: again},
		{Say: "The API has never seen that key: *€100 for one purchase of €50.*", Naive: []Cue{{End: true}}},
		{Say: "SAFE reads *the same key* from its journal.", Answer: true, Safe: again},
		{Say: "The API knows it: *REPLAY*, and the order is paid. One charge.", Safe: []Cue{{End: true}}},
	}
}

// rebootAfterSilence lets attempt 1 do its work unheard and takes the shop's
// memory away as soon as it has stopped waiting.
func rebootAfterSilence(ctx context.Context, _ control.Side, rig Rig) error {
	if err := rig.Arm(ctx, control.Fault{Boundary: "api", Kind: "lose-response", How: "silent", Attempts: 1}); err != nil {
		return err
	}
	if _, err := rig.Buy(ctx, only); err != nil {
		return err
	}
	if _, err := rig.Await(ctx, Cue{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Silence}); err != nil {
		return err
	}
	if err := rig.Reboot(ctx); err != nil {
		return err
	}
	return allSettled(ctx, rig)
}
