package idem

import (
	"context"
	"fmt"
	"time"
)

// Tx is all that this package needs of somebody else's transaction. Both calls
// take part in that transaction: they commit or roll back with whatever else
// is written in it. An implementation must make conflicting transactions
// serial: of two that insert the same key, one sees the other's record.
type Tx interface {
	// InsertKey stores the record unless its key is taken. It always returns
	// who holds the key now; inserted says whether that is the given record.
	// (SQL: INSERT … ON CONFLICT DO NOTHING, then read the winner.)
	InsertKey(record Record) (holder Record, inserted bool, err error)
	// SwapKey replaces the stored record of the same key if [Swappable] allows
	// it. Take-over, recovery points, renewal and the final answer are all this
	// one call, so every write of a claim is fenced.
	SwapKey(record Record, fence uint64) (swapped bool, err error)
}

// Store runs transactions. The function may be called more than once for one
// transaction that has to be tried again, so no effect may leave it; nil
// commits, an error rolls everything back and is returned.
type Store interface {
	Update(ctx context.Context, fn func(Tx) error) error
}

// Swappable is the rule of [Tx.SwapKey], for engines to call: the stored fence
// must still be the given one, and a finished record is replaced only under a
// higher fence, so that a heartbeat that comes late cannot reopen it.
func Swappable(stored, next Record, fence uint64) bool {
	return stored.Fence == fence && (stored.Open() || next.Fence > stored.Fence)
}

// Claim is a request that wants to run under a key.
type Claim struct {
	Key         Key
	Fingerprint Fingerprint
	Operation   string // "POST /v1/charges"
	Resource    string // id of what it will make, if it is the one that runs
}

// Decision is the answer of [Begin]: what the request may do, why, and the
// record as it stands now. If the outcome [Outcome.Holds], the record is the
// caller's own claim, to be passed to [Advance], [Renew], [Release] or
// [Finish]; otherwise it is the holder's.
type Decision struct {
	Outcome Outcome
	Reason  string
	Record  Record
}

// Begin asks for the key inside tx. It returns an error only where the store
// does.
func Begin(tx Tx, claim Claim, now Now, terms Terms) (Decision, error) {
	fresh := Record{
		Key: claim.Key, Fingerprint: claim.Fingerprint,
		Operation: claim.Operation, Resource: claim.Resource,
		Point: Claimed, Fence: 1,
		LeaseUntil: now.Wall.Add(terms.lease()), Created: now.Wall,
	}.logged(now.Wall, "claimed, fence 1")
	holder, inserted, err := tx.InsertKey(fresh)
	if err != nil {
		return Decision{}, fmt.Errorf("insert key: %w", err)
	}
	if inserted {
		outcome, reason := decide(nil, claim.Fingerprint, now, terms)
		return Decision{outcome, reason, holder}, nil
	}
	outcome, reason := decide(&holder, claim.Fingerprint, now, terms)
	if !outcome.Holds() {
		return Decision{outcome, reason, holder}, nil
	}
	mine, err := swap(tx, takeOver(holder, fresh, outcome, now, terms), holder.Fence)
	if err != nil {
		return Decision{}, fmt.Errorf("take over key: %w", err)
	}
	return Decision{outcome, reason, mine}, nil
}

// takeOver is the record under its next fence: the holder's work going on, or,
// where the tombstone is over, the fresh claim in its place.
func takeOver(holder, fresh Record, outcome Outcome, now Now, terms Terms) Record {
	if outcome == Started {
		fresh.Fence = holder.Fence + 1
		return fresh
	}
	holder.Fence++
	holder.LeaseUntil = now.Wall.Add(terms.lease())
	return holder.logged(now.Wall, fmt.Sprintf("resumed at %s, fence %d", holder.Point, holder.Fence))
}

// Advance records that the work has reached a recovery point. Like the three
// functions below it needs the caller's latest copy of its own record and
// returns the next one, and [ErrFenced] if the claim was lost. Calls for one
// claim must not overlap: each writes the whole record.
func Advance(tx Tx, mine Record, point Point, now Now) (Record, error) {
	mine.Point = point
	return swap(tx, mine.logged(now.Wall, string(point)), mine.Fence)
}

// Renew is the heartbeat: it prolongs the lease of a live attempt.
func Renew(tx Tx, mine Record, now Now, terms Terms) (Record, error) {
	mine.LeaseUntil = now.Wall.Add(terms.lease())
	return swap(tx, mine, mine.Fence)
}

// Release gives the lease back at the record's recovery point, because this
// attempt stops without a definite outcome: the next request resumes at once.
func Release(tx Tx, mine Record, now Now, why string) (Record, error) {
	mine.LeaseUntil = time.Time{}
	return swap(tx, mine.logged(now.Wall, "released: "+why), mine.Fence)
}

// Finish stores the answer in the transaction of the effect. From its commit
// on the key replays; retention counts from now.
func Finish(tx Tx, mine Record, answer Answer, now Now) (Record, error) {
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
