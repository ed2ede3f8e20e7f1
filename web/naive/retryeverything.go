package naive

import (
	"net/http"

	"chargeonce/retrypolicy"
	"chargeonce/web/shop"
)

// retryEverything sends again whatever did not go well.
//
// Wrong: the loop asks whether the answer was a success, and repeats it if not.
// A request that is malformed, not allowed or about nothing is so the next time
// as well: the customer waits for the same no, and the server, which has done
// nothing wrong, is asked as often as the policy allows.
//
// The public kind: a retry library that repeated all of 4xx by default
// (googleapis/retry-request, issue 12), as did a client for messages to phones
// (ToothlessGear/node-gcm, pull request 196).
//
// Right: Classify of package retrypolicy repeats only what may pass by itself,
// and only where a repeat is safe.
func retryEverything() Mistake {
	return Mistake{ID: "retry-everything", Label: "retries everything", Gates: rightGates, Shop: tireless}
}

// tireless gives the shop's policy a judgement of its own.
func tireless(options shop.Options) shop.Options {
	options.Policy.Classify = everythingPasses
	return options
}

// everythingPasses repeats what is no success while there is another attempt.
func everythingPasses(r retrypolicy.Result, p retrypolicy.Policy) (retrypolicy.Verdict, string) {
	failed := r.Err != nil || r.Status >= http.StatusBadRequest
	if failed && !r.Canceled && r.Attempt < p.MaxAttempts {
		return retrypolicy.Retry, "it did not go well"
	}
	return retrypolicy.Classify(r, p)
}
