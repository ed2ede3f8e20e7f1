package stage

import (
	"fmt"
	"strings"

	"chargeonce/components"
	"chargeonce/web/control"
)

// story is what has happened in one scene so far, as far as one sentence needs
// it. A scene is told of both sides together: they get the same clicks.
type story struct {
	handles []string // names in scenes.names that point here
	outside int      // attempts of clients that do not number their own

	naive, safe facts
	amount      int64
	currency    string
}

// facts are one side's share of a story.
type facts struct {
	attempts, silences, resets        int
	started, resumed, replays, busies int
	kills, captures                   int
	answered, declined                bool // the client has a definite answer
}

func (s *story) of(side control.Side) *facts {
	if side == control.Naive {
		return &s.naive
	}
	return &s.safe
}

// number counts the attempts of clients that do not number their own.
func (s *story) number(e *control.Event) {
	if e.Lane != control.LaneNetwork || e.Outcome != control.Attempt || e.Attempt != 0 {
		return
	}
	s.outside++
	e.Attempt = s.outside
}

// take adds an event to the story.
func (s *story) take(e control.Event) {
	if e.Amount != 0 {
		s.amount, s.currency = e.Amount, e.Currency
	}
	f := s.of(e.Side)
	fromClient := e.Lane == control.LaneShop || e.Lane == control.LaneNetwork
	switch {
	case e.Outcome == control.Attempt:
		f.attempts++
	case e.Lane == control.LaneShop && e.Outcome == control.Silence:
		f.silences++
	case e.Lane == control.LaneShop && e.Outcome == control.Reset:
		f.resets++
	case e.Kind == control.KindProcess && e.Outcome == control.Killed:
		f.kills++
	case e.Lane == control.LaneProvider && e.Outcome == control.Captured:
		f.captures++
	case e.Kind == control.KindDecision:
		f.decided(e.Outcome)
	case fromClient && e.Kind == control.KindResponse && e.Status == 201:
		f.answered = true
	case fromClient && e.Kind == control.KindResponse && e.Outcome == control.Declined:
		f.answered, f.declined = true, true
	}
}

func (f *facts) decided(outcome control.Outcome) {
	switch outcome {
	case control.Started:
		f.started++
	case control.Resumed:
		f.resumed++
	case control.Replay:
		f.replays++
	case control.Busy:
		f.busies++
	}
}

// tell returns the sentence for the large line, if the event is one after
// which the story reads differently. Text between asterisks is bold.
func (s *story) tell(e control.Event) string {
	if s == nil {
		return ""
	}
	switch {
	case e.Kind == control.KindProcess:
		return s.tellProcess(e)
	case e.Kind == control.KindGate:
		return tellGate(e)
	case e.Kind == control.KindDecision:
		return tellDecision(e)
	case e.Kind == control.KindResponse && (e.Lane == control.LaneShop || e.Lane == control.LaneNetwork):
		return s.tellResponse(e)
	}
	return ""
}

func (s *story) tellProcess(e control.Event) string {
	name := strings.ToUpper(string(e.Side))
	switch {
	case e.Outcome == control.Killed:
		return fmt.Sprintf("The payments API of %s is dead: *kill -9*. Whatever it was doing, it will never answer.", name)
	case e.Outcome == control.Ready && s.of(e.Side).kills > 0 && e.Side == control.Safe:
		return "The payments API is back on the same data. *What was in progress is still claimed*, until its lease ends."
	}
	return ""
}

// heldAt says what is true of a request that stands at a gate.
var heldAt = map[string]string{
	"received":        "*Nothing has been done yet.*",
	"begin":           "*Nothing has been written yet.*",
	"looked":          "It has looked for the key and found nothing; *it has written nothing either.*",
	"claimed":         "The key is claimed; *the card is not charged yet.*",
	"provider-called": "*The card is charged, and nobody but the provider knows it.*",
	"committed":       "The card is charged and it is recorded; *only the answer is not sent.*",
	"inserted":        "The card is charged and it is recorded; *only the answer is not sent.*",
	"answered":        "*The answer has left.*",
}

func tellGate(e control.Event) string {
	if e.Outcome != control.Held {
		return ""
	}
	return fmt.Sprintf("%s is HELD at %s. %s", strings.ToUpper(string(e.Side)), e.Gate, heldAt[e.Gate])
}

func tellDecision(e control.Event) string {
	switch e.Outcome {
	case control.Busy:
		return "Same key while the first request is at work: BUSY. *It waits, and charges nothing.*"
	case control.Conflict:
		return "Same key, another request: *409 CONFLICT.* Nothing is charged, and waiting would not help."
	case control.Resumed:
		return "The dead attempt's lease is over: *the retry RESUMES the same charge*, and asks the provider by key before it sends anything."
	case control.ResultExpired:
		return "The charge was made, but its answer is no longer kept: *nothing runs again.*"
	}
	return ""
}

func (s *story) tellResponse(e control.Event) string {
	switch {
	case e.Outcome == control.Silence:
		return fmt.Sprintf("No answer in %d ms. *The shop only knows that it stopped waiting.*", e.Ms)
	case e.Outcome == control.Declined:
		return "The card was declined, and *that is an answer*: it is stored, replayed and not retried."
	case e.Status == 201:
		return s.tellEnd()
	}
	return ""
}

// tellEnd compares what the same clicks came to, once each side that was asked
// has answered; before that it tells of the one that has.
func (s *story) tellEnd() string {
	lead := s.lead()
	var clauses []string
	if s.naive.answered {
		clauses = append(clauses, s.naive.naiveClause())
	}
	if s.safe.answered {
		clauses = append(clauses, s.safe.safeClause())
	}
	if lead == "" && len(clauses) == 2 && s.naive.captures == 1 && s.safe.captures == 1 {
		return fmt.Sprintf("One attempt, one answer: *both charged the card %s once.*", components.Money(s.amount, s.currency))
	}
	return lead + strings.Join(clauses, ", ") + "."
}

// lead is what was done to the requests, on either side.
func (s *story) lead() string {
	switch {
	case s.safe.kills+s.naive.kills > 0:
		return "Killed in mid-charge: "
	case s.safe.silences+s.naive.silences > 0:
		return "An answer was lost, so the shop sent another attempt: "
	case s.safe.busies > 0:
		return "Two requests for one purchase: "
	}
	return ""
}

func (f *facts) naiveClause() string {
	switch {
	case f.captures > 2:
		return fmt.Sprintf("*NAIVE charged the card %d times*", f.captures)
	case f.captures == 2:
		return "*NAIVE charged the card again*"
	}
	return "NAIVE charged the card once"
}

func (f *facts) safeClause() string {
	switch {
	case f.captures > 1: // it must never happen, so it must not be hidden
		return fmt.Sprintf("*SAFE charged the card %d times*", f.captures)
	case f.resumed > 0:
		return "*SAFE resumed the charge and charged the card once*"
	case f.replays > 0:
		return "*SAFE replayed the answer*"
	}
	return "*SAFE charged the card once*"
}
