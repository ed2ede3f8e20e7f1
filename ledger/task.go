package ledger

import (
	"time"

	"chargeonce/idem"
)

// task is a request for work under a key, whatever the work: what the queue,
// the claim and the attempt need to know of it.
type task struct {
	claim   idem.Claim // without Resource
	request string     // id of the request that asks; empty: nobody does
	wait    time.Duration
	// names puts the id of what the key made into the fields of a result.
	names func(id string) Result
	// fresh draws new ids, anew for each try at the key, since one may make
	// what the last could not, and says what phase 1 writes if the key is new.
	fresh func() (resource string, begin start)
}

// start is phase 1 beyond the key. It runs inside a transaction, maybe more
// than once.
type start func(tx Tx, now idem.Now) (started, error)

// started is what a new key begins with: work that is pending, or an answer at
// once, where there is nothing to ask the provider.
type started struct {
	work   Work
	answer *idem.Answer
}

// Result is what became of a request. The ids are those of what its key made,
// or would have made: a refund that was refused left no object.
type Result struct {
	Outcome  idem.Outcome
	Reason   string      // why, for the log and the panel
	Record   idem.Record // as it stands; done: with the answer to send
	Charge   string      // of a charge; the one to refund; an intent's, while its attempt is at hand
	Refund   string      // of a refund
	Intent   string      // of a payment intent
	Endpoint string      // of a webhook endpoint
	Cart     string      // of a cart that was changed
	// RetryAfter is when to come again, where nothing final can be said:
	// busy, or an unknown outcome. At least one second, else zero.
	RetryAfter time.Duration
}

// result is what a request may answer as things stand.
func (c claimed) result() Result {
	var r Result
	if c.Outcome != idem.Conflict { // then what the key made is not this request's
		r = c.names(c.Record.Resource)
	}
	if c.work.Charge.ID != "" {
		r.Charge = c.work.Charge.ID
	}
	r.Outcome, r.Reason, r.Record = c.Outcome, c.Reason, c.Record
	if c.Outcome == idem.Busy {
		r.RetryAfter = RetryAfter
	}
	return r
}

// unknown is the result beside an error that leaves the key open.
func (c claimed) unknown() Result {
	r := c.result()
	r.RetryAfter = RetryAfter
	return r
}
