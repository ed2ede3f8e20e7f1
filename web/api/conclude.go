package api

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// concluded answers a keyed request by what the ledger made of it, whether it
// asked for a charge, a refund or an intent. print is the request's own.
func (s *server) concluded(c *call, print idem.Fingerprint, result ledger.Result, err error) reply {
	if err != nil {
		return s.undecided(c, result, err)
	}
	return s.decided(c, print, result)
}

// undecided answers a request that came to no end. Its record, if there is
// one, is open and waits for the same key.
func (s *server) undecided(c *call, result ledger.Result, err error) reply {
	s.Log.Warn("request not decided", "request", c.id, "key", c.key.String(), "error", err.Error())
	var panicked *ledger.PanicError
	if errors.As(err, &panicked) {
		s.Log.Error("an attempt panicked", "request", c.id, "stack", string(panicked.Stack))
	}
	problem := problemOf(err)
	if result.RetryAfter > 0 && problem.ShouldRetry() {
		problem.RetryAfter = result.RetryAfter
	}
	if problem.Code == CodeOutcomeUnknown {
		problem.Message = unknownMessage(c.route)
	}
	problem.Charge = result.Charge
	if id := madeBy(result); id != "" { // where the truth will be
		problem.Resource = pathOf(id)
	}
	answer := refuse(problem)
	if result.Record.Key != (idem.Key{}) {
		answer.header = map[string]string{headerExpires: s.expires(result.Record)}
		answer.decision, answer.charge = result.Outcome.String(), result.Charge
	}
	return answer
}

// madeBy is the id of what a key made, or is about to make.
func madeBy(result ledger.Result) string {
	// A refund that its charge did not allow is the one thing that leaves no
	// object behind: all there is to see is the charge.
	if result.Refund != "" && result.Record.Answer.Status == http.StatusBadRequest {
		return result.Charge
	}
	if result.Cart != "" {
		return result.Record.Resource
	}
	return cmp.Or(result.Refund, result.Intent, result.Endpoint, result.Charge)
}

// decided turns what the key's record led to into an answer.
func (s *server) decided(c *call, print idem.Fingerprint, result ledger.Result) reply {
	answer := reply{
		header:   map[string]string{headerExpires: s.expires(result.Record)},
		decision: result.Outcome.String(), charge: result.Charge,
	}
	if _, refused := outcomes[result.Outcome]; refused {
		answer.problem = outcomeProblem(c.route, print, result)
		if result.Outcome == idem.Conflict {
			answer.problem.As = s.ConflictStatus
		}
		return answer
	}
	stored := result.Record.Answer
	answer.status, answer.body = stored.Status, stored.Body
	for _, name := range []string{"Content-Type", "Location"} { // all that may be replayed
		if value := stored.Header[name]; value != "" {
			answer.header[name] = value
		}
	}
	if result.Outcome == idem.Replay {
		s.replays.add(c.key)
		answer.header[headerReplayed] = "true"
		if stored.Request != "" {
			answer.header[headerOriginal] = stored.Request
		}
	}
	return answer
}

// expires says until when the record's answer is kept, as an HTTP date. An
// open record's retention has not begun: it is kept at least so long from now.
// The retention clock may be ahead; what goes out is the wall clock's time, as
// the client's own clock shows it.
func (s *server) expires(record idem.Record) string {
	offset := s.Offset()
	if record.Open() {
		record.Point, record.Finished = idem.Done, time.Now().Add(offset)
	}
	return record.Expires(s.Terms).Add(-offset).UTC().Format(http.TimeFormat)
}
