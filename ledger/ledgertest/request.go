package ledgertest

import (
	"context"
	"fmt"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// request is a request for €50.00; change makes it another.
func request(key string, change ...func(*ledger.ChargeRequest)) ledger.ChargeRequest {
	req := ledger.ChargeRequest{
		Key: idem.Key{Owner: "shop", Value: key}, Operation: "POST /v1/charges", Request: "req_" + key,
		Amount: 5000, Currency: "eur", Card: "tok_visa",
	}
	for _, c := range change {
		c(&req)
	}
	req.Fingerprint = idem.NewFingerprint("POST", "/v1/charges", nil, idem.Params{
		"amount": fmt.Sprint(req.Amount), "currency": req.Currency,
	})
	return req
}

func amount(minor int64) func(*ledger.ChargeRequest) {
	return func(r *ledger.ChargeRequest) { r.Amount = minor }
}

func owner(name string) func(*ledger.ChargeRequest) {
	return func(r *ledger.ChargeRequest) { r.Key.Owner = name }
}

// impatient does not wait for a busy key.
func impatient(r *ledger.ChargeRequest) { r.Wait = -1 }

// answer is what a call of Charge returned.
type answer struct {
	ledger.Result
	err error
}

// charge calls and waits.
func (b *bench) charge(req ledger.ChargeRequest) answer {
	result, err := b.ledger.Charge(context.Background(), req)
	return answer{result, err}
}

// start calls and does not wait.
func (b *bench) start(req ledger.ChargeRequest) <-chan answer {
	return b.startWith(context.Background(), req)
}

func (b *bench) startWith(ctx context.Context, req ledger.ChargeRequest) <-chan answer {
	done := make(chan answer, 1)
	l := b.ledger // the test may put another in its place meanwhile
	go func() {
		result, err := l.Charge(ctx, req)
		done <- answer{result, err}
	}()
	return done
}

// must calls and insists on the outcome and on a stored answer of this status.
func (b *bench) must(req ledger.ChargeRequest, outcome idem.Outcome, status int) answer {
	b.t.Helper()
	return b.check(b.charge(req), outcome, status)
}

func (b *bench) check(a answer, outcome idem.Outcome, status int) answer {
	b.t.Helper()
	if a.err != nil || a.Outcome != outcome || a.Record.Answer.Status != status {
		b.t.Fatalf("got %v, status %d, error %v; want %v, status %d",
			a.Outcome, a.Record.Answer.Status, a.err, outcome, status)
	}
	return a
}

// result waits for a call that was started.
func (b *bench) result(done <-chan answer) answer {
	b.t.Helper()
	select {
	case a := <-done:
		return a
	case <-time.After(patience):
		b.t.Fatal("the call does not come back")
		return answer{}
	}
}

// arrives waits until a call stands at the gate.
func (b *bench) arrives(g *Gate) {
	b.t.Helper()
	select {
	case <-g.Arrived():
	case <-time.After(patience):
		b.t.Fatal("nobody comes to the gate")
	}
}

// abandon starts a charge, waits until its provider call stands at the gate,
// hangs up, and returns what the caller was told.
func (b *bench) abandon(req ledger.ChargeRequest, gate *Gate) answer {
	b.t.Helper()
	ctx, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	done := b.startWith(ctx, req)
	b.arrives(gate)
	hangUp()
	return b.result(done)
}
