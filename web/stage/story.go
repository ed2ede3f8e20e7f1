package stage

import (
	"fmt"

	"chargeonce/components"
	"chargeonce/web/control"
)

// story is what has happened in one scene so far, as far as one sentence needs
// it.
type story struct {
	handles []string // names in scenes.names that point here
	outside int      // attempts of clients that do not number their own

	attempts, silences, resets        int
	started, resumed, replays, busies int
	conflicts, kills, captures        int
	amount                            int64
	currency                          string
}

// take adds an event to the story.
func (s *story) take(e control.Event) {
	if e.Amount != 0 {
		s.amount, s.currency = e.Amount, e.Currency
	}
	switch {
	case e.Outcome == control.Attempt:
		s.attempts++
	case e.Lane == control.LaneShop && e.Outcome == control.Silence:
		s.silences++
	case e.Lane == control.LaneShop && e.Outcome == control.Reset:
		s.resets++
	case e.Kind == control.KindProcess && e.Outcome == control.Killed:
		s.kills++
	case e.Lane == control.LaneProvider && e.Outcome == control.Captured:
		s.captures++
	case e.Kind == control.KindDecision:
		s.decided(e.Outcome)
	}
}

func (s *story) decided(outcome control.Outcome) {
	switch outcome {
	case control.Started:
		s.started++
	case control.Resumed:
		s.resumed++
	case control.Replay:
		s.replays++
	case control.Busy:
		s.busies++
	case control.Conflict:
		s.conflicts++
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
	case e.Kind == control.KindDecision:
		return s.tellDecision(e)
	case e.Lane == control.LaneShop && e.Kind == control.KindResponse:
		return s.tellResponse(e)
	}
	return ""
}

func (s *story) tellProcess(e control.Event) string {
	switch e.Outcome {
	case control.Killed:
		return "The payments API is dead: *kill -9*. Whatever it was doing, it will never answer."
	case control.Ready:
		if s.kills > 0 {
			return "The payments API is back on the same data. *What was in progress is still claimed*, until its lease ends."
		}
	}
	return ""
}

func (s *story) tellDecision(e control.Event) string {
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
		return s.tellPaid()
	}
	return ""
}

func (s *story) tellPaid() string {
	money := components.Money(s.amount, s.currency)
	once := fmt.Sprintf("*the card was charged %s once.*", money)
	if s.captures > 1 {
		once = fmt.Sprintf("*the card was charged %d times.*", s.captures)
	}
	switch {
	case s.resumed > 0:
		return fmt.Sprintf("Killed in mid-charge, resumed after the lease, one key at the provider: %s", once)
	case s.replays > 0 && s.silences > 0:
		return fmt.Sprintf("An answer was lost, so the shop sent attempt 2 with the same key. *SAFE replayed the answer*; %s", once)
	case s.replays > 0 && s.busies > 0:
		return fmt.Sprintf("Two requests, one key: the second waited and *got the first one's answer*; %s", once)
	case s.replays > 0:
		return fmt.Sprintf("The same key came again and *got the stored answer*; %s", once)
	case s.silences > 0 || s.resets > 0:
		return fmt.Sprintf("The request was lost on its way, so attempt %d was the first to arrive: %s", s.attempts, once)
	}
	return fmt.Sprintf("One attempt, one answer: %s", once)
}
