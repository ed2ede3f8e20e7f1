package lesson

import (
	"context"
	"fmt"
	"time"

	"chargeonce/web/control"
)

// retryAttempts is the policy's limit: the naive side uses it up on every no.
const retryAttempts = 3

// whatToRetry: ten statuses, a reset, a timeout and a busy key, and the one
// question which of them a repeat can mend.
func whatToRetry() Lesson {
	return Lesson{
		ID: "what-to-retry", Title: "What deserves a retry", Mistake: "retry-everything",
		NaiveLabel: "NAIVE: retries whatever is no success", SafeLabel: "SAFE: retries what may pass by itself",
		Lanes:    []control.Lane{control.LaneShop, control.LaneProvider}, // what the loop sees, and what it costs
		Counters: []control.Outcome{control.Attempt, control.Silence, control.Busy, control.Started, control.Replay, control.Captured},
		Setup:    "Thirteen customers, and for each *attempt 1 ends in another way*.",
		Question: "Which of these would you retry?",
		Answers: []string{
			"All: it may work the next time.",
			"None: it may charge twice.",
			"429 502 503 504, reset, timeout, 409 in use.",
			"Every 5xx, and no 4xx.",
		},
		Right:    3,
		Sentence: "Retry only what might vanish, and only if repeating is safe.",
		NotFixed: "A 404 may mean *not ready yet*: then the policy has to say so. By itself it is a no.",
		Shop: ShopPolicy{
			Attempts: retryAttempts, Timeout: 2500 * time.Millisecond, Base: 100 * time.Millisecond, Recheck: 10 * time.Minute,
		},
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "everythingPasses"},
			{Side: control.Safe, Package: "retrypolicy", Func: "classifyStatus"},
			{Side: control.Safe, Package: "retrypolicy", Func: "classifyConflict"},
			{Side: control.Safe, Package: "retrypolicy", Func: "trouble"},
		},
		Beats:    whatToRetryBeats(),
		Script:   endEachAttemptOtherwise,
		Promises: whatToRetryPromises,
	}
}

func whatToRetryBeats() []Beat {
	clicked := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Attempt: 1, N: len(endings())}}
	end := []Cue{{End: true}}
	return []Beat{
		{Say: "400 401 403 404 422, 429, 500 502 503 504, reset, timeout, *and a key in use.*", Naive: clicked, Safe: clicked, Curtain: true},
		{Say: "You are the loop. Each request has its key, so *a repeat would be safe.*", Question: true, Curtain: true},
		{Say: "NAIVE retries all: *three times the same no* for 400, 401, 403, 404 and 422.", Naive: end},
		{Say: "Waiting mends no wrong request. *Its customers wait for nothing.*"},
		{Say: "SAFE stops at a definite no, and retries *what may vanish*, with the same key.", Safe: end, Answer: true},
		{Say: "409 in use is such a case: *wait as it says, and get the first one's answer.*"},
		{Say: "A bare 500 is not: *the outcome is unknown*, and the server may break again."},
	}
}

// ending is how attempt 1 of one customer ends.
type ending struct {
	owner string
	fault control.Fault
	stops bool // for the right policy; the fault then meets every attempt
}

// endings are all but the key in use, which needs no fault.
func endings() (all []ending) {
	status := func(code int, stops bool) {
		owner := fmt.Sprint("s", code)
		fault := control.Fault{Boundary: "api", Owner: owner, Kind: "status", Status: code, Attempts: 1}
		if stops {
			fault.Attempts = retryAttempts
		}
		if code == 429 {
			fault.RetryAfter = 1
		}
		all = append(all, ending{owner, fault, stops})
	}
	for _, code := range []int{400, 401, 403, 404, 422, 500} {
		status(code, true)
	}
	for _, code := range []int{429, 502, 503, 504} {
		status(code, false)
	}
	for _, how := range []string{"reset", "silent"} {
		fault := control.Fault{Boundary: "api", Owner: how, Kind: "lose-response", How: how, Attempts: 1}
		all = append(all, ending{how, fault, false})
	}
	return all
}

// inUse is the customer whose key is busy.
const inUse = "busy"

func endEachAttemptOtherwise(ctx context.Context, _ control.Side, rig Rig) error {
	all := endings()
	return together(ctx, len(all)+1, len(all)+1, func(ctx context.Context, i int) error {
		if i == len(all) {
			return clickIntoBusy(ctx, rig)
		}
		if err := rig.Arm(ctx, all[i].fault); err != nil {
			return err
		}
		purchase := only
		purchase.Owner = all[i].owner
		ticket, err := rig.Buy(ctx, purchase)
		if err != nil {
			return err
		}
		_, err = ticket.Wait(ctx) // what it is told is judged from the books
		return err
	})
}

// clickIntoBusy holds a customer's first request at work until his second one
// has been told that the key is in use.
func clickIntoBusy(ctx context.Context, rig Rig) error {
	if err := rig.Gate(ctx, control.Gate{Gate: "provider-called", Owner: inUse, Count: 1}); err != nil {
		return err
	}
	purchase := only
	purchase.Owner = inUse
	first, err := rig.Buy(ctx, purchase)
	if err != nil {
		return err
	}
	hold, err := rig.Held(ctx, inUse)
	if err != nil {
		return err
	}
	second, err := rig.Buy(ctx, purchase)
	if err != nil {
		return err
	}
	busy := Cue{Lane: control.LaneShop, Kind: control.KindResponse, Outcome: control.Busy, Owner: inUse}
	if _, err := rig.Await(ctx, busy); err != nil {
		return err
	}
	if err := rig.Release(ctx, hold, Deliver, 0); err != nil {
		return err
	}
	if err := paid(ctx, first); err != nil {
		return err
	}
	return paid(ctx, second)
}

func whatToRetryPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, _ := captures(books)
	pays := 1 // the key in use
	for _, e := range endings() {
		want := 2
		switch {
		case e.stops && side == control.Naive:
			want = retryAttempts
		case e.stops:
			want = 1
		}
		if !e.stops {
			pays++
		}
		c.count("requests on the wire for "+e.owner, want, books.Owners[e.owner].Wire.API)
	}
	c.atLeast("requests on the wire for "+inUse, 3, books.Owners[inUse].Wire.API)
	c.count("captures", pays, captured)
	c.count("charges in our ledger", pays, charges(books))
	// After the 500 nobody knows, so that order is still wanted.
	c.money(books, int64(pays+1)*price, int64(pays)*price, int64(pays)*price)
	return c.all
}
