package lesson

import (
	"context"
	"time"

	"chargeonce/web/control"
)

// gaveUp: the policy ends before the question is answered. What the shop says
// then decides whether the customer pays twice.
func gaveUp() Lesson {
	return Lesson{
		ID: "gave-up", Title: "Attempts exhausted", Mistake: "gives-up",
		NaiveLabel: "NAIVE: “payment failed, try again”", SafeLabel: "SAFE: “do not pay again, we keep checking”",
		Lanes: []control.Lane{
			control.LaneCustomer, control.LaneShop, control.LaneNetwork, control.LaneAPI, control.LaneProvider,
		},
		Counters: []control.Outcome{control.Attempt, control.Silence, control.Unknown, control.Started, control.Replay, control.Captured},
		Setup:    "One purchase of €50, *3 attempts of 1 s*. We will lose every answer.",
		Question: "Three attempts, three silences. What do you tell the customer?",
		Answers: []string{
			"Your payment has failed. Please try again.",
			"Your payment has gone through.",
			"We could not confirm it. Do not pay again.",
			"Please try another card.",
		},
		Right:    3,
		Sentence: "Giving up is not an answer either: the outcome is still unknown.",
		NotFixed: "Not fixed: a customer who *pays elsewhere* in the meantime.",
		Shop: ShopPolicy{
			Attempts: gaveUpAttempts, Timeout: time.Second, Base: 100 * time.Millisecond, Cap: 200 * time.Millisecond,
			Recheck: 500 * time.Millisecond,
		},
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "callFailed"},
			{Side: control.Naive, Package: "web/naive", Func: "rekey"},
			{Side: control.Safe, Package: "web/shop", Func: "(*Shop).pay"},
			{Side: control.Safe, Package: "web/shop", Func: "(*Shop).tell"},
		},
		Beats:    gaveUpBeats(),
		Script:   loseEveryAnswer,
		Promises: askedAgain(gaveUpAttempts+1, gaveUpAttempts),
	}
}

// gaveUpAttempts is the whole policy: after the last one the shop has to say
// something.
const gaveUpAttempts = 3

func gaveUpBeats() []Beat {
	silent := func(n int) []Cue {
		return []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Silence, N: n}}
	}
	// What the customer reads; the last silence comes just before it.
	told := []Cue{{Lane: control.LaneCustomer, Kind: control.KindNote}}
	again := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, N: gaveUpAttempts + 1}}
	return []Beat{
		{Say: "Attempt 1: no answer in one second. *Silence.*", Naive: silent(1), Safe: silent(1), Curtain: true},
		{
			Say:   "Two more attempts, two more silences. *The policy is used up.*",
			Naive: silent(gaveUpAttempts), Safe: silent(gaveUpAttempts), Curtain: true,
		},
		{Say: "You are the shop, and the customer looks at you.", Question: true, Curtain: true},
		{Say: "NAIVE says that it *failed*. The customer is invited to pay again.", Naive: told},
		{Say: "So they do: a new purchase, *a new key.*", Naive: again},
		{Say: "The card had been charged all along: *€100 for €50.*", Naive: []Cue{{End: true}}},
		{Say: "SAFE says what it knows: *not confirmed. Do not pay again.*", Answer: true, Safe: told},
		{Say: "And it goes on asking *with the same key*.", Safe: again},
		{Say: "*REPLAY*: paid all along. One charge, and now the customer knows.", Safe: []Cue{{End: true}}},
	}
}

// loseEveryAnswer loses as many answers as the policy has attempts, and waits
// until the order is paid all the same.
func loseEveryAnswer(ctx context.Context, _ control.Side, rig Rig) error {
	fault := control.Fault{Boundary: "api", Kind: "lose-response", How: "silent", Attempts: gaveUpAttempts}
	if err := rig.Arm(ctx, fault); err != nil {
		return err
	}
	if _, err := rig.Buy(ctx, only); err != nil {
		return err
	}
	return allSettled(ctx, rig)
}
