package ledgertest

import (
	"fmt"
	"sync"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// racers is how many requests arrive at once.
const racers = 64

// race lets all requests go at the same instant and returns their answers.
func (b *bench) race(n int, req func(i int) ledger.ChargeRequest) []answer {
	answers := make([]answer, n)
	barrier := make(chan struct{})
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			<-barrier
			answers[i] = b.charge(req(i))
		})
	}
	close(barrier)
	running.Wait()
	return answers
}

// outcomes counts them.
func outcomes(answers []answer) map[idem.Outcome]int {
	count := make(map[idem.Outcome]int)
	for _, a := range answers {
		count[a.Outcome]++
	}
	return count
}

// raceRules: many at once.
var raceRules = []rule{
	{"64 requests with one key make one charge and all learn of it", func(t *testing.T, b *bench) {
		answers := b.race(racers, func(int) ledger.ChargeRequest { return request("k") })
		for i, a := range answers {
			if a.err != nil || a.Record.Answer.Status != 201 || a.Charge != answers[0].Charge {
				t.Errorf("request %d: %v, status %d, error %v", i, a.Outcome, a.Record.Answer.Status, a.err)
			}
			if string(a.Record.Answer.Body) != string(answers[0].Record.Answer.Body) {
				t.Errorf("request %d got other bytes", i)
			}
		}
		if got := outcomes(answers); got[idem.Started] != 1 || got[idem.Replay] != racers-1 {
			t.Errorf("outcomes %v", got)
		}
		if calls := b.provider.Calls(); len(calls) != 1 {
			t.Errorf("the provider was called %d times", len(calls))
		}
		b.captures(1)
	}},
	{"64 requests that do not wait are answered busy or with the charge", func(t *testing.T, b *bench) {
		answers := b.race(racers, func(int) ledger.ChargeRequest { return request("k", impatient) })
		for i, a := range answers {
			final := a.Record.Answer.Status == 201 && a.RetryAfter == 0
			busy := a.Outcome == idem.Busy && a.RetryAfter >= ledger.RetryAfter
			if a.err != nil || !final && !busy {
				t.Errorf("request %d: %v, again in %v, error %v", i, a.Outcome, a.RetryAfter, a.err)
			}
		}
		if got := outcomes(answers); got[idem.Started] != 1 {
			t.Errorf("outcomes %v", got)
		}
		b.captures(1)
	}},
	{"64 keys make 64 charges and no sum is lost", func(t *testing.T, b *bench) {
		answers := b.race(racers, func(i int) ledger.ChargeRequest { return request(fmt.Sprint("k", i)) })
		if got := outcomes(answers); got[idem.Started] != racers {
			t.Errorf("outcomes %v", got)
		}
		if got := b.books("shop").Balances[ledger.OwnerAccount("shop")]["eur"]; got != -racers*5000 {
			t.Errorf("the owner stands at %d", got)
		}
		b.captures(racers)
	}},
	{"of two bodies that race for one key, one runs and the other conflicts", func(t *testing.T, b *bench) {
		answers := b.race(racers, func(i int) ledger.ChargeRequest { return request("k", amount(int64(1000*(1+i%2)))) })
		got := outcomes(answers)
		if got[idem.Started] != 1 || got[idem.Conflict] != racers/2 || got[idem.Replay] != racers/2-1 {
			t.Errorf("outcomes %v", got)
		}
		b.captures(1)
	}},
	{"a busy request waits and then replays, and is told busy once", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		first := b.start(request("k"))
		b.arrives(gate)
		second := b.start(request("k"))
		b.log.await(t, "decided busy", 1)
		gate.Open()
		one := b.check(b.result(first), idem.Started, 201)
		two := b.check(b.result(second), idem.Replay, 201)
		if one.Charge != two.Charge || b.log.count("decided busy") != 1 || b.log.count("decided replay") != 1 {
			t.Errorf("charges %s and %s, decisions %v", one.Charge, two.Charge, b.log.all("decided"))
		}
	}},
	{"a busy request that may not wait is sent away at once", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		first := b.start(request("k"))
		b.arrives(gate)
		got := b.charge(request("k", impatient))
		if got.err != nil || got.Outcome != idem.Busy || got.RetryAfter < ledger.RetryAfter || got.Charge == "" {
			t.Errorf("got %v, again in %v, error %v", got.Outcome, got.RetryAfter, got.err)
		}
		gate.Open()
		b.check(b.result(first), idem.Started, 201)
	}},
	{"a full queue sends the next one away at once", func(t *testing.T, b *bench) {
		b.ledger = b.newLedger(func(o *ledger.Options) { o.MaxWaiters = 1 })
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		first := b.start(request("k"))
		b.arrives(gate)
		answers := []<-chan answer{b.start(request("k")), b.start(request("k"))}
		var sentAway, waiting answer
		select {
		case sentAway = <-answers[0]:
			gate.Open()
			waiting = b.result(answers[1])
		case sentAway = <-answers[1]:
			gate.Open()
			waiting = b.result(answers[0])
		}
		if sentAway.err != nil || sentAway.Outcome != idem.Busy {
			t.Errorf("got %v, %v", sentAway.Outcome, sentAway.err)
		}
		b.check(waiting, idem.Replay, 201)
		b.check(b.result(first), idem.Started, 201)
	}},
	{"those who waited for a decline get the decline", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate, Decline: "insufficient_funds"})
		first := b.start(request("k"))
		b.arrives(gate)
		waiting := []<-chan answer{b.start(request("k")), b.start(request("k"))}
		b.log.await(t, "decided busy", 2)
		gate.Open()
		b.check(b.result(first), idem.Started, 402)
		for _, w := range waiting {
			b.check(b.result(w), idem.Replay, 402)
		}
		b.captures(0)
	}},
	{"those who waited for an unknown outcome take over, one after the other", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate, Silent: true})
		first := b.start(request("k"))
		b.arrives(gate)
		waiting := []<-chan answer{b.start(request("k")), b.start(request("k"))}
		b.log.await(t, "decided busy", 2)
		gate.Open()
		if got := b.result(first); got.err == nil {
			t.Errorf("the first got %v", got.Outcome)
		}
		got := outcomes([]answer{b.result(waiting[0]), b.result(waiting[1])})
		if got[idem.Resumed] != 1 || got[idem.Replay] != 1 {
			t.Errorf("outcomes %v", got)
		}
		b.captures(1)
	}},
}
