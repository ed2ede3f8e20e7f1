package lesson

import (
	"context"
	"fmt"
	"time"

	"chargeonce/web/control"
)

// request is one attempt on its way.
type request struct {
	control.Event // owner, key, scene, attempt, of, trace, amount, currency
}

// told is an event about the request.
func (q request) told(lane control.Lane, kind control.Kind, outcome control.Outcome) control.Event {
	e := q.Event
	e.Lane, e.Kind, e.Outcome = lane, kind, outcome
	if lane != control.LaneShop {
		e.Scene = "" // only the shop knows of orders
	}
	return e
}

// answer is what comes back; status 0: the connection died.
type answer struct {
	status  int
	charge  string
	outcome control.Outcome
}

// Buy is one click.
func (f *fake) Buy(_ context.Context, p Purchase) (Ticket, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	owner := OwnerName(worldID, p.Owner)
	name := owner + "/" + p.Order
	if f.orders[name] == nil {
		f.orders[name] = &control.Order{ID: name, Key: "key-" + p.Order, Amount: p.Amount, Currency: p.Currency, State: "open"}
		f.buyers[name] = p.Owner
	}
	f.loops++
	q := request{Event: control.Event{
		Owner: owner, Key: f.orders[name].Key, Scene: name, Amount: p.Amount, Currency: p.Currency, Of: 10,
	}}
	loop, done, state := fmt.Sprintf("%sloop%d", f.side, f.loops), make(chan struct{}), ""
	f.running.Go(func() {
		defer close(done)
		state = f.pay(q, loop)
	})
	return Ticket{Wait: func(ctx context.Context) (string, error) {
		select {
		case <-done:
			return state, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}}, nil
}

// pay is the shop's payment loop, its backoff without jitter.
func (f *fake) pay(q request, loop string) string {
	for q.Attempt = 1; q.Attempt <= q.Of; q.Attempt++ {
		q.Trace = fmt.Sprintf("%s.%d", loop, q.Attempt)
		f.emit(q.told(control.LaneShop, control.KindRequest, control.Attempt))
		got, outcome := f.send(q)
		e := q.told(control.LaneShop, control.KindResponse, outcome)
		e.Status = got.status
		f.emit(e)
		wait := time.Duration(q.Attempt) * 100 * time.Millisecond
		switch got.status {
		case 201:
			f.mu.Lock()
			f.orders[q.Scene].State, f.orders[q.Scene].Charge = Paid, got.charge
			f.mu.Unlock()
			return Paid
		case 409:
			wait = time.Second
		}
		select {
		case <-time.After(wait): // on virtual time: this is the backoff itself
		case <-f.stopped:
			return Unconfirmed
		}
	}
	return Unconfirmed
}

// send is one attempt, with the timeout that makes silence.
func (f *fake) send(q request) (answer, control.Outcome) {
	back := make(chan answer, 1)
	f.running.Go(func() { f.cross(q, back) })
	select {
	case got := <-back:
		if got.status == 0 {
			return got, control.Reset
		}
		return got, got.outcome
	case <-time.After(2 * time.Second):
		return answer{}, control.Silence
	case <-f.stopped:
		return answer{}, control.Reset
	}
}

// cross is the wire with its armed fault, the loss of an answer in silence.
func (f *fake) cross(q request, back chan<- answer) {
	f.mu.Lock()
	wire := f.wire[q.Owner]
	wire.API++
	f.wire[q.Owner] = wire
	p := f.proc
	f.mu.Unlock()
	if p == nil {
		back <- answer{}
		return
	}
	got := f.serve(p, q)
	f.mu.Lock()
	lost := got.status != 0 && len(f.faults) > 0 && f.faults[0].Attempts > 0
	if lost {
		f.faults[0].Attempts--
	}
	f.mu.Unlock()
	if lost {
		f.emit(q.told(control.LaneNetwork, control.KindFault, control.Lost))
		return
	}
	back <- got
}
