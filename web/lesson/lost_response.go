package lesson

import (
	"context"

	"chargeonce/web/control"
)

// lostResponse: the one fault that every lesson builds on. The work is done,
// its answer never arrives, and the client cannot tell that from work undone.
func lostResponse() Lesson {
	return Lesson{
		ID: "lost-response", Title: "Lost response", Mistake: "no-key",
		NaiveLabel: "NAIVE: no key", SafeLabel: "SAFE: one key per purchase",
		Lanes:    []control.Lane{control.LaneShop, control.LaneNetwork, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{control.Attempt, control.Silence, control.Started, control.Replay, control.Captured},
		Setup:    "One purchase of €50, made on *two systems at once*. We will lose one answer.",
		Question: "What do you know now?",
		Answers: []string{
			"The payment has failed.",
			"The payment has gone through.",
			"Only that you stopped waiting.",
			"The API is down.",
		},
		Right:    3,
		Sentence: "One key, remembered by the server, makes a wrong guess harmless.",
		NotFixed: "Not fixed: a client that mints *a new key per attempt*, and the next box to the right.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "(*keyDropper).RoundTrip"},
			{Side: control.Safe, Package: "web/shop", Func: "chargeRequest"},
			{Side: control.Safe, Package: "idem", Func: "decide"},
		},
		Beats:    lostResponseBeats(),
		Script:   loseFirstAnswer,
		Promises: askedAgain(2, 1),
	}
}

// The curtain stays closed until the guess: up to there the page shows what
// the shop can see, which is a request and then nothing.
func lostResponseBeats() []Beat {
	sent := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Outcome: control.Attempt}}
	silence := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Silence}}
	return []Beat{
		{Say: "*Attempt 1* leaves the shop, on both sides alike.", Naive: sent, Safe: sent, Curtain: true},
		{Say: "Two seconds go by. No answer, no error: *silence.*", Naive: silence, Safe: silence, Curtain: true},
		{Say: "You are the shop. A customer is waiting at the till.", Question: true, Curtain: true},
		{Say: "Behind the curtain *the card was charged.* Only the answer was lost.", Answer: true},
		{
			Say:   "NAIVE tries again. *Without a key, attempt 2 is a new purchase* to the API.",
			Naive: []Cue{{Kind: control.KindDecision, Outcome: control.Started, N: 2}},
		},
		{Say: "So it charges again: *€100 for one purchase of €50.*", Naive: []Cue{{End: true}}},
		{
			Say:  "SAFE tries again as well: *attempt 2 carries the same key.*",
			Safe: []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Attempt: 2}},
		},
		{Say: "The server knows the key: *REPLAY of the stored answer.* One charge.", Safe: []Cue{{End: true}}},
	}
}

func loseFirstAnswer(ctx context.Context, _ control.Side, rig Rig) error {
	fault := control.Fault{Boundary: "api", Kind: "lose-response", How: "silent", Attempts: 1}
	if err := rig.Arm(ctx, fault); err != nil {
		return err
	}
	ticket, err := rig.Buy(ctx, only)
	if err != nil {
		return err
	}
	return paid(ctx, ticket)
}
