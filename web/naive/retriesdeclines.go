package naive

import (
	"net/http"

	"chargeonce/retrypolicy"
	"chargeonce/web/shop"
)

// retriesDeclines takes a no for a fault that may pass.
//
// Wrong: the loop repeats a 402, and since a repeat under the same key would
// only be told the same, it takes a new key each time. To the card provider
// every one is a new payment with the same bad card. A row of declines is what
// card testing looks like; issuers and networks answer it with fees and blocks.
//
// The public kind: a button "try again" that sends the very same charge after
// the card was declined (emfcamp/Website, issue 203); a payment service that had
// to learn which declines must not be tried again (alphagov/pay-connector, pull
// request 4550).
//
// Right: classifyStatus of package retrypolicy stops at a definite refusal, and
// outcomeOf of web/shop makes an order declined; another card is another order.
func retriesDeclines() Mistake {
	return Mistake{
		ID: "retries-declines", Label: "retries a decline", Gates: rightGates,
		Key: keyOfAttempt, Wire: sendKey(keyOfAttempt), Shop: stubborn,
	}
}

// stubborn gives the shop's policy a judgement of its own.
func stubborn(options shop.Options) shop.Options {
	options.Policy.Classify = noIsMaybe
	return options
}

// noIsMaybe repeats a decline while there is another attempt, and is right about
// everything else.
func noIsMaybe(r retrypolicy.Result, p retrypolicy.Policy) (retrypolicy.Verdict, string) {
	if r.Err == nil && r.Status == http.StatusPaymentRequired && r.Attempt < p.MaxAttempts {
		return retrypolicy.Retry, "402: the card may work with the next attempt"
	}
	return retrypolicy.Classify(r, p)
}
