package lesson

import (
	"context"
	"fmt"
	"time"

	"chargeonce/web/control"
)

// stormClients is how many customers pay at the same moment: a shop at noon.
const stormClients = 200

// storm: everybody's key is right, and so is everybody's money. What repeats
// bring down together is the API.
func storm() Lesson {
	return Lesson{
		ID: "storm", Title: "Retry storm", Mistake: "no-jitter",
		NaiveLabel: "NAIVE: backoff without jitter", SafeLabel: "SAFE: full jitter, a second wide, and a budget",
		Lanes:    []control.Lane{control.LaneShop, control.LaneNetwork, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{control.Attempt, control.Started, control.Captured},
		Setup:    "200 customers pay at once, each with *one key*. The API is *down for a second*.",
		Question: "Money is safe. What breaks?",
		Answers: []string{
			"Nothing: 200 requests are few.",
			"The keys: so many cannot be remembered.",
			"The API, when all of them come back at once.",
			"The customers' patience.",
		},
		Right:    3,
		Sentence: "Keys save the money; jitter spreads the load; the budget limits it.",
		NotFixed: "Not fixed: an API that is *too small on a good day*. Jitter spreads, it does not shrink.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "inStep"},
			{Side: control.Safe, Package: "retrypolicy", Func: "FullJitter"},
			{Side: control.Safe, Package: "retrypolicy", Func: "(*Budget).Take"},
		},
		Shop: ShopPolicy{Timeout: 8 * time.Second, Base: 20 * time.Millisecond, Budget: 2 * stormClients},
		Storm: &Storm{
			Clients: stormClients, Outage: time.Second, Latency: 10 * time.Millisecond,
			Shop: ShopPolicy{Base: time.Second, Cap: 8 * time.Second, Recheck: 2 * time.Second, Budget: 2 * stormClients},
		},
		Beats:    stormBeats(),
		Script:   payThroughOutage,
		Promises: stormPromises,
	}
}

// The curtain is closed while the attempts are told: the repeats of the first
// customers go through before the last ones have clicked.
func stormBeats() []Beat {
	refused := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Attempt: 1, Status: 503, N: stormClients}}
	again := []Cue{{Lane: control.LaneShop, Kind: control.KindRequest, Attempt: 2, N: stormClients}}
	end := []Cue{{End: true}}
	return []Beat{
		{Say: "200 first attempts, and each gets the same: *503, the API is down.*", Naive: refused, Safe: refused, Curtain: true},
		{Say: "All wait, on either side in its own way, and send *attempt 2 with the same key.*", Naive: again, Safe: again, Curtain: true},
		{Say: "The API is back: *all 200 are paid, once each, on both sides.*", Naive: end, Safe: end},
		{Say: "Now *the same on virtual time*: all at once, and an API that is down for 1 s.", Question: true},
		{
			Say: "NAIVE waits a second to the millisecond: *all 200 in the same 20 ms.*", Answer: true,
			Arrivals: []control.Side{control.Naive},
		},
		{Say: "They failed together, so they come back together: *the next outage, home-made.*", Arrivals: []control.Side{control.Naive}},
		{Say: "SAFE waits *anything from 0 to a second*: a tenth of that wave at most.", Arrivals: sides},
		{Say: "And SAFE has *a budget of repeats*: a longer outage brings no more of them.", Arrivals: sides},
	}
}

// payThroughOutage really pays for all orders, through a wire that answers the
// first attempt of each customer as a proxy does whose API is gone. A few go at
// a time: the storm itself is computed, and a real one would say more about
// this machine than about the policy.
func payThroughOutage(ctx context.Context, _ control.Side, rig Rig) error {
	return together(ctx, stormClients, maxTogether, func(ctx context.Context, i int) error {
		owner := fmt.Sprintf("c%03d", i+1)
		fault := control.Fault{Boundary: "api", Owner: owner, Kind: "status", Status: 503, Attempts: 1}
		if err := rig.Arm(ctx, fault); err != nil {
			return err
		}
		ticket, err := rig.Buy(ctx, Purchase{Order: "order-1", Owner: owner, Amount: price, Currency: euro, Card: visa})
		if err != nil {
			return err
		}
		return paid(ctx, ticket)
	})
}

// stormPromises: the money is the same on both sides, the load is not.
func stormPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, keys := captures(books)
	once, requests := 0, 0
	for _, owner := range books.Owners {
		requests += owner.Wire.API
		if owner.Captures == 1 && owner.Charges == 1 {
			once++
		}
	}
	c.count("customers charged once", stormClients, once)
	c.count("captures", stormClients, captured)
	c.count("keys at the card provider", stormClients, keys)
	c.atLeast("requests on the API's wire", 2*stormClients, requests)
	c.money(books, stormClients*price, stormClients*price, stormClients*price)
	peak, total := load(books.Arrivals)
	c.atLeast("arrivals after the recovery", stormClients, total)
	if side == control.Naive {
		c.count("most arrivals in 20 ms after the recovery", stormClients, peak)
	} else {
		c.atMost("most arrivals in 20 ms after the recovery", stormClients/10, peak)
	}
	return c.all
}
