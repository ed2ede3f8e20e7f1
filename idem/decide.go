package idem

import (
	"fmt"
	"strings"
	"time"
)

// Outcome is what a request with a key may do now.
type Outcome uint8

const (
	// Started: the key is new; the caller holds it and runs.
	Started Outcome = iota + 1
	// Resumed: an earlier attempt left off; the caller holds its record under a
	// higher fence and goes on from the recovery point.
	Resumed
	// Replay: the work is done; the stored answer goes out again.
	Replay
	// Conflict: the key belongs to another request; nothing runs.
	Conflict
	// Busy: another attempt is at work under a live lease; nothing runs.
	Busy
	// ResultExpired: the work was done, but its answer is no longer kept;
	// nothing runs.
	ResultExpired
)

// String is the word that the panel, the log and the events use.
func (o Outcome) String() string {
	switch o {
	case Started:
		return "started"
	case Resumed:
		return "resumed"
	case Replay:
		return "replay"
	case Conflict:
		return "conflict"
	case Busy:
		return "busy"
	case ResultExpired:
		return "result_expired"
	}
	return "invalid"
}

// Holds reports whether the caller now owns the record and must run the work.
func (o Outcome) Holds() bool { return o == Started || o == Resumed }

// decide is the whole rule. Given who holds the key (nil: nobody), it says
// what a request with fingerprint f may do at this instant, and why. The rows
// are tried from the top; the first that fits wins.
//
//	holder                              | fingerprint | outcome
//	------------------------------------+-------------+---------------
//	absent                              |      –      | Started
//	done, past the tombstone            |      –      | Started
//	any other                           |   differs   | Conflict
//	open, lease alive                   |    same     | Busy
//	open, lease ended or released       |    same     | Resumed
//	done, past the answer's retention   |    same     | ResultExpired
//	done                                |    same     | Replay
//
// Conflict comes before Busy, since waiting never mends a wrong body. An open
// record never expires, whatever its age: forgetting it would allow a second
// effect.
func decide(holder *Record, f Fingerprint, now Now, terms Terms) (Outcome, string) {
	if holder == nil {
		return Started, "the key is new"
	}
	if !holder.Open() && !now.Retention.Before(holder.Finished.Add(terms.tombstone())) {
		return Started, "the key was used before, but its tombstone is over"
	}
	if !holder.Fingerprint.Equal(f) {
		return Conflict, "the key belongs to another request; this one differs in " +
			strings.Join(holder.Fingerprint.Diff(f), ", ")
	}
	if holder.Open() {
		return decideOpen(holder, now)
	}
	if !now.Retention.Before(holder.Expires(terms)) {
		return ResultExpired, fmt.Sprintf("done, but its answer was kept for %v only", terms.retain())
	}
	return Replay, fmt.Sprintf("done: the stored %d goes out again", holder.Answer.Status)
}

func decideOpen(holder *Record, now Now) (Outcome, string) {
	switch {
	case holder.LeaseUntil.After(now.Wall):
		return Busy, fmt.Sprintf("another attempt holds the key; its lease ends in %v",
			holder.LeaseLeft(now).Round(time.Millisecond))
	case holder.LeaseUntil.IsZero():
		return Resumed, fmt.Sprintf("the last attempt stopped at %q and released the key", holder.Point)
	default:
		return Resumed, fmt.Sprintf("the last attempt's lease ended %v ago at %q",
			now.Wall.Sub(holder.LeaseUntil).Round(time.Millisecond), holder.Point)
	}
}
