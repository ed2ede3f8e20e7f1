package lesson

import (
	"net/http"

	"chargeonce/web/control"
)

// Counts reports whether a counter of the panel adds this event up: the API's
// decisions, the client's attempts and silences, the provider's captures, the
// lives of processes. The same outcome also travels back on other lanes (a
// busy answer that the shop receives) and must not count twice.
func Counts(e control.Event) bool {
	if e.Outcome == "" {
		return false
	}
	switch e.Kind {
	case control.KindDecision, control.KindRequest, control.KindProcess, control.KindBreaker:
		return true
	case control.KindProvider:
		return e.Outcome == control.Captured // its replays and declines are told by the API's answer
	case control.KindWebhook:
		return e.Outcome == control.Receipt // written by the shop; what it knew already is no second one
	case control.KindFault:
		return e.Outcome == control.Lost // a reset is counted where it arrives
	case control.KindResponse:
		return e.Outcome == control.Silence || e.Outcome == control.Reset ||
			(e.Lane == control.LaneAPI && (e.Outcome == control.Unknown || e.Outcome == control.Declined))
	}
	return false
}

// tally adds up counters and attempts above the first.
func tally(events []control.Event) (counters map[control.Outcome]int, retries int) {
	counters = make(map[control.Outcome]int)
	for _, e := range events {
		if !Counts(e) {
			continue
		}
		counters[e.Outcome]++
		if e.Outcome == control.Attempt && e.Attempt > 1 {
			retries++
		}
	}
	return counters, retries
}

// purse is what events say about one owner's money.
type purse struct {
	orders           map[string]order // by scene
	returned         map[string]int64 // of an order, by scene
	ledger, captured control.Sums
}

type order struct {
	amount   int64
	currency string
	paid     bool // the first definite answer stands, whatever comes after it
}

// fold adds up the money of one side from its events. Every row names the
// given currencies, so that nothing yet reads as 0.
func fold(events []control.Event, currencies []string) Money {
	purses := make(map[string]*purse)
	for _, e := range events {
		if purses[e.Owner] == nil {
			purses[e.Owner] = &purse{orders: map[string]order{}, returned: map[string]int64{}, ledger: control.Sums{}, captured: control.Sums{}}
		}
		purses[e.Owner].take(e)
	}
	sum := emptyMoney(currencies)
	for _, p := range purses {
		sum.add(p.wanted(), p.ledger, p.captured)
	}
	return sum
}

// take adds an event. A double click is two requests for one order, so wishes
// are told apart by their scene. Answers to bare requests, which are no orders
// and name no amount, change no wish.
func (p *purse) take(e control.Event) {
	switch {
	case e.Lane == control.LaneShop && e.Kind == control.KindRequest && e.Outcome == control.Attempt && e.Amount > 0:
		p.orders[e.Scene] = order{e.Amount, e.Currency, p.orders[e.Scene].paid}
	case e.Lane == control.LaneShop && e.Kind == control.KindResponse && e.Amount > 0:
		p.answered(e)
	case e.Outcome == control.Refunded:
		p.giveBack(e)
	case e.Lane == control.LaneProvider && e.Kind == control.KindProvider && e.Outcome == control.Captured:
		p.captured[e.Currency] += e.Amount
	case e.Lane == control.LaneAPI && e.Kind == control.KindCommit && e.Status == statusBooked:
		p.ledger[e.Currency] += e.Amount
	}
}

// answered adds an answer to the shop. An order that was definitely refused is
// wanted no longer, unless it had been paid by then: as in the shop's journal.
func (p *purse) answered(e control.Event) {
	o, known := p.orders[e.Scene]
	switch {
	case !known || o.paid:
	case e.Status == statusBooked:
		o.paid = true
		p.orders[e.Scene] = o
	case refused(e):
		delete(p.orders, e.Scene)
	}
}

// refused reports whether an answer is a definite no, told for the first time or
// again. A loop that tries all the same wants it anew with its next attempt.
func refused(e control.Event) bool {
	if e.Outcome == control.Declined || e.Outcome == control.Conflict || e.Outcome == control.ResultExpired {
		return true
	}
	passes := e.Status == http.StatusTooManyRequests || e.Outcome == control.Busy
	return e.Status >= 400 && e.Status < 500 && !passes
}

// giveBack takes off what goes back: what the customer wants to have paid, what
// our ledger says, what the card was charged. Each is told by who knows it.
func (p *purse) giveBack(e control.Event) {
	switch {
	case e.Lane == control.LaneCustomer:
		p.returned[e.Scene] = e.Amount
	case e.Lane == control.LaneAPI && e.Kind == control.KindCommit:
		p.ledger[e.Currency] -= e.Amount
	case e.Lane == control.LaneProvider:
		p.captured[e.Currency] -= e.Amount
	}
}

// statusBooked is the status of the answer that is stored with a charge: the
// commit that carries it is the one that posts the money.
const statusBooked = 201

func (p *purse) wanted() control.Sums {
	sums := control.Sums{}
	for scene, o := range p.orders {
		sums[o.currency] += o.amount - p.returned[scene]
	}
	return sums
}
