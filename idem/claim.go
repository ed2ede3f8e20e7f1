package idem

import (
	"fmt"
	"time"
)

// Claim is a request that wants to run under a key.
type Claim struct {
	Key         Key
	Fingerprint Fingerprint
	Operation   string // "POST /v1/charges", for people; cut to [MaxStep]
	Resource    string // id of what it will make, if it is the one that runs
}

// Decision is the answer of [Begin]: what the request may do, why, and the
// record as it stands now. If the outcome [Outcome.Holds], the record is the
// caller's own claim, to be passed to [Advance], [Renew], [Release] or
// [Finish]; otherwise it is the holder's, and only a [Replay] may send out its
// answer.
type Decision struct {
	Outcome Outcome
	Reason  string // for the log and the panel; names parameters, never values
	Record  Record
}

// Begin asks for the key inside tx. Its errors are [ErrClaim] for a claim
// without key or fingerprint, and the store's. If the store let another
// transaction come in between, that is [ErrFenced]: begin again.
func Begin(tx Tx, claim Claim, now Now, terms Terms) (Decision, error) {
	if claim.Key.Owner == "" || claim.Key.Value == "" || claim.Fingerprint.Sum == "" {
		return Decision{}, ErrClaim
	}
	holder, inserted, err := tx.InsertKey(claim.record(1, now, terms))
	if err != nil {
		return Decision{}, fmt.Errorf("insert key: %w", err)
	}
	if inserted {
		outcome, reason := decide(nil, claim.Fingerprint, now, terms)
		return Decision{outcome, reason, holder}, nil
	}
	outcome, reason := decide(&holder, claim.Fingerprint, now, terms)
	var next Record
	switch outcome {
	case Started: // the tombstone is over: a new life of the key
		next = claim.record(holder.Fence+1, now, terms)
	case Resumed:
		next = holder.resumed(now, terms)
	default:
		return Decision{outcome, reason, holder}, nil
	}
	mine, err := swap(tx, next, holder.Fence)
	if err != nil {
		return Decision{}, fmt.Errorf("take over key: %w", err)
	}
	return Decision{outcome, reason, mine}, nil
}

// record is the claim as a fresh record.
func (c Claim) record(fence uint64, now Now, terms Terms) Record {
	return Record{
		Key: c.Key, Fingerprint: c.Fingerprint,
		Operation: clip(c.Operation), Resource: c.Resource,
		Point: Claimed, Fence: fence,
		LeaseUntil: now.Wall.Add(terms.lease()), Created: now.Wall,
	}.logged(now.Wall, fmt.Sprintf("claimed, fence %d", fence))
}

// resumed is the record under its next fence: the same work, going on.
func (r Record) resumed(now Now, terms Terms) Record {
	r.Fence++
	r.LeaseUntil = now.Wall.Add(terms.lease())
	return r.logged(now.Wall, fmt.Sprintf("resumed at %s, fence %d", r.Point, r.Fence))
}

// Advance records that the work has reached a recovery point between
// [Claimed] and [Done]; for these and the empty one it returns [ErrPoint].
//
// Like the three functions below it needs the caller's latest copy of its own
// record and returns the next one, and [ErrFenced] if the claim was lost.
// Calls for one claim must not overlap: each writes the whole record.
func Advance(tx Tx, mine Record, point Point, now Now) (Record, error) {
	if point == "" || point == Claimed || point == Done {
		return Record{}, ErrPoint
	}
	mine.Point = point
	return swap(tx, mine.logged(now.Wall, string(point)), mine.Fence)
}

// Renew is the heartbeat: it prolongs the lease of a live attempt.
func Renew(tx Tx, mine Record, now Now, terms Terms) (Record, error) {
	mine.LeaseUntil = now.Wall.Add(terms.lease())
	return swap(tx, mine, mine.Fence)
}

// Release gives the claim back at the record's recovery point, because this
// attempt stops without a definite outcome: the next request resumes at once,
// and no later write under this claim is accepted. The owner of the key may
// read why in the history.
func Release(tx Tx, mine Record, now Now, why string) (Record, error) {
	mine.LeaseUntil = time.Time{}
	return swap(tx, mine.logged(now.Wall, "released: "+why), mine.Fence)
}

// Finish stores the answer in the transaction of the effect. From its commit
// on the key replays; retention counts from now. Headers other than those of
// [AllowHeader] are dropped. An answer that [Answer] does not allow is
// [ErrAnswer].
func Finish(tx Tx, mine Record, answer Answer, now Now) (Record, error) {
	if err := answer.check(); err != nil {
		return Record{}, err
	}
	answer.Header = allowed(answer.Header)
	mine.Point, mine.Answer = Done, answer
	mine.LeaseUntil, mine.Finished = time.Time{}, now.Retention
	return swap(tx, mine.logged(now.Wall, fmt.Sprintf("done: %d stored", answer.Status)), mine.Fence)
}

func swap(tx Tx, next Record, fence uint64) (Record, error) {
	swapped, err := tx.SwapKey(next, fence)
	if err != nil {
		return Record{}, fmt.Errorf("swap key: %w", err)
	}
	if !swapped {
		return Record{}, ErrFenced
	}
	return next, nil
}
