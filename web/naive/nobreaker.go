package naive

import "chargeonce/web/shop"

// noBreaker sends attempt after attempt to a server that is clearly down.
//
// Wrong: every click waits through all attempts of its own, as if nobody had
// tried before it, and what is down gets all of them.
//
// The public kind: retries beneath which no breaker lies, each of them timing
// out (apache/shenyu, issue 6584).
//
// Right: Allow of retrypolicy's Breaker refuses before anything is sent, and
// lets one probe through when its time has come.
func noBreaker() Mistake {
	return Mistake{
		ID: "no-breaker", Label: "no circuit breaker",
		Gates: plainGates, Gate: announce(plainPoints),
		Shop: func(o shop.Options) shop.Options {
			o.Breaker = nil
			return o
		},
	}
}
