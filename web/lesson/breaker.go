package lesson

import (
	"context"
	"fmt"
	"time"

	"chargeonce/web/control"
)

const (
	breakerClicks   = 4 // customers, one after the other
	breakerAttempts = 3 // of each one's policy, and failures that open the breaker
)

// breaker: the money is safe all the time. What differs is how long customers
// wait, and how hard what is down is hit.
func breaker() Lesson {
	return Lesson{
		ID: "breaker", Title: "Circuit breaker", Mistake: "no-breaker",
		NaiveLabel: "NAIVE: every click waits it out", SafeLabel: "SAFE: a circuit breaker",
		Lanes:    []control.Lane{control.LaneCustomer, control.LaneShop, control.LaneNetwork, control.LaneAPI},
		Counters: []control.Outcome{control.Attempt, control.BreakerOpen, control.Started, control.Captured},
		Setup:    "Four customers, €50 each, one after the other. *The API is down.*",
		Question: "The first one waited in vain. What should the next customer see?",
		Answers: []string{
			"The same waiting: it may be back.",
			"A clear answer, at once.",
			"An error page.",
			"A longer retry loop.",
		},
		Right:    2,
		Sentence: "Stop hammering what is clearly down.",
		NotFixed: "Not fixed: a breaker *knows one client's view*. Set too tight, it is an outage of its own.",
		Shop: ShopPolicy{
			Attempts: breakerAttempts, Timeout: time.Second, Base: 200 * time.Millisecond, Cap: 400 * time.Millisecond,
			Recheck: 400 * time.Millisecond, BreakAfter: breakerAttempts, BreakFor: time.Second,
		},
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "noBreaker"},
			{Side: control.Safe, Package: "retrypolicy", Func: "(*Breaker).allow"},
			{Side: control.Safe, Package: "retrypolicy", Func: "(*Breaker).probed"},
			{Side: control.Safe, Package: "web/shop", Func: "(*Shop).tell"},
		},
		Beats:    breakerBeats(),
		Script:   clickWhileDown,
		Promises: breakerPromises,
	}
}

func breakerBeats() []Beat {
	told := func(owner string) []Cue {
		return []Cue{{Lane: control.LaneCustomer, Kind: control.KindNote, Owner: owner}}
	}
	first, last := told(breakerOwner(1)), told(breakerOwner(breakerClicks))
	return []Beat{
		{Say: "The first customer: *three attempts, three times 503.*", Naive: first, Safe: first},
		{Say: "She was told that her payment is not confirmed. *The next one clicks.*", Question: true},
		{Say: "NAIVE: each of them waits through *all attempts* as well.", Naive: last},
		{
			Say:  "SAFE: after three failures *the breaker opened.*",
			Safe: []Cue{{Kind: control.KindBreaker, Outcome: control.BreakerOpen}},
		},
		{Say: "The next customers hear *at once*: nothing was charged, the order waits.", Answer: true, Safe: last},
		{
			Say:   "The API is back. NAIVE's orders are asked about, *one after the other.*",
			Naive: []Cue{{End: true}},
		},
		{Say: "SAFE sends *one probe*; it is answered, the breaker closes, all are paid once.", Safe: []Cue{{End: true}}},
	}
}

// breakerOwner names the nth customer, from 1.
func breakerOwner(n int) string { return fmt.Sprintf("c%d", n) }

// clickWhileDown lets one customer after the other click while a proxy answers
// for an API that is not there, and then lets it come back.
func clickWhileDown(ctx context.Context, _ control.Side, rig Rig) error {
	for n := range breakerClicks {
		fault := control.Fault{
			Boundary: "api", Kind: "status", Status: 503, Owner: breakerOwner(n + 1), Attempts: downFor,
		}
		if err := rig.Arm(ctx, fault); err != nil {
			return err
		}
	}
	for n := range breakerClicks {
		purchase := only
		purchase.Owner = breakerOwner(n + 1)
		ticket, err := rig.Buy(ctx, purchase)
		if err != nil {
			return err
		}
		state, err := ticket.Wait(ctx)
		if err != nil {
			return err
		}
		if state != Unconfirmed {
			return fmt.Errorf("%w: the API is down and customer %d is told %q", errTooSoon, n+1, state)
		}
	}
	if err := rig.Disarm(ctx); err != nil {
		return err
	}
	return allSettled(ctx, rig)
}

// downFor is more requests than anybody sends while the API is down.
const downFor = 1000

func breakerPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	sent := 0
	for _, owner := range books.Owners {
		sent += owner.Wire.API
	}
	captured, _ := captures(books)
	c.count("captures", breakerClicks, captured)
	c.count("charges in our ledger", breakerClicks, charges(books))
	c.money(books, breakerClicks*price, breakerClicks*price, breakerClicks*price)
	// While it was down: one whole policy a customer, or one in all. Once it is
	// back: one request for each.
	if side == control.Naive {
		c.atLeast("requests on the API's wire", breakerClicks*breakerAttempts+breakerClicks, sent)
		return c.all
	}
	c.atMost("requests on the API's wire", breakerAttempts+breakerProbes+breakerClicks, sent)
	return c.all
}

// breakerProbes is how many probes may come too early: the last customer is
// through before the first cool-down has ended, but on a busy machine a probe
// may fall between.
const breakerProbes = 4
