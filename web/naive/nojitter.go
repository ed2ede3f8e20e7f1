package naive

import (
	"chargeonce/retrypolicy"
	"chargeonce/web/shop"
)

// noJitter backs off as textbooks begin: twice as long each time, and everybody
// alike.
//
// Wrong: the wait depends on the attempt's number alone. Clients that were
// refused by the same outage wait the same time, so they come back in the same
// moment, and what has just got up is knocked down by its own clients. Nor does
// anything bound how many repeats there are in all. The money is right all the
// same: each attempt carries the order's key.
//
// The public kind: an HTTP client whose backoff had no chance in it, so that
// its users' instances retried as one herd (gojek/heimdall, issue 21; the same
// in vercel/fetch-retry, issue 9).
//
// Right: Policy.Delay of package retrypolicy lays FullJitter over a first wait
// that is as long as an outage, and Budget.Take bounds the repeats of all calls
// together.
func noJitter() Mistake {
	return Mistake{ID: "no-jitter", Label: "backoff without jitter", Gates: rightGates, Shop: inStep}
}

// inStep makes the shop back off without chance and without a budget.
func inStep(options shop.Options) shop.Options {
	options.Policy.Jitter = retrypolicy.JitterNone
	options.Budget = nil
	return options
}
