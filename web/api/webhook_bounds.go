package api

import (
	"time"

	"chargeonce/retrypolicy"
)

const (
	deliveryBase = 200 * time.Millisecond // longest wait after a first attempt
	deliveryCap  = 30 * time.Second       // of the waits
	// setAsideAfter attempts, some three minutes at full jitter, a delivery
	// counts as poison: it is not given up, but tried only every now and then.
	setAsideAfter = 20
	// setAsideWait is the longest wait from then on, and twice the shortest.
	setAsideWait = 20 * time.Minute
)

const (
	// maxDeliveries bounds the attempts under way at one time, some 50 kB each.
	maxDeliveries = 64
	// maxFailing of them may go to endpoints whose last attempt failed, so that
	// those on which attempts hang never take every place, however many there are.
	maxFailing = maxDeliveries / 2
	// maxOfOwner of them may be one owner's, who can have [ledger.MaxEndpoints].
	maxOfOwner = maxDeliveries / 4
	// maxOfEndpoint of them may go to one endpoint.
	maxOfEndpoint = maxOfOwner / 2
	// maxRedeliveries of these may be other than first attempts, so that
	// messages on which an endpoint hangs leave room for its others.
	maxRedeliveries = maxOfEndpoint / 2
)

const (
	// maxQueued is how many deliveries are in view before endpoints get but
	// [leastAhead] each; some 200 bytes a delivery.
	maxQueued = 100_000
	// maxAhead bounds the deliveries in view of one endpoint; more stay in the
	// store. Where so many wait, the endpoint as a whole is down.
	maxAhead = 1000
	// leastAhead an endpoint always gets, as it must not wait for others'. The
	// endpoints themselves take more room in the store than these do in memory.
	leastAhead = 16
)

// redeliveryWait is how long a delivery waits after its nth attempt in vain:
// backoff with full jitter, random in [0,1). setAside says that it has become
// poison.
func redeliveryWait(attempt int, random float64) (wait time.Duration, setAside bool) {
	if attempt >= setAsideAfter {
		return setAsideWait/2 + retrypolicy.FullJitter(setAsideWait/2, random), true
	}
	return retrypolicy.FullJitter(retrypolicy.Backoff(attempt, deliveryBase, deliveryCap), random), false
}
