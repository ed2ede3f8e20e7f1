package lesson

import (
	"errors"
	"fmt"
	"time"

	"chargeonce/web/control"
)

var errKilled = errors.New("the process is dead")

// serve is one request in the API process. A process that is killed says
// nothing more, wherever its requests stand.
func (f *fake) serve(p *proc, q request) (got answer) {
	defer func() {
		switch r := recover(); r {
		case nil, errKilled:
		default:
			panic(r)
		}
	}()
	if f.mistake == "no-key" {
		q.Key = "" // neither sent nor looked at
	}
	f.pass(p, q, "received")
	f.emit(q.told(control.LaneAPI, control.KindRequest, ""))
	var a answer
	if f.mistake == "look-then-insert" {
		a = f.lookFirst(p, q)
	} else {
		a = f.claimFirst(p, q)
	}
	e := q.told(control.LaneAPI, control.KindResponse, "")
	e.Status = a.status
	f.emit(e)
	return a
}

func (p *proc) alive() {
	select {
	case <-p.dead:
		panic(errKilled)
	default:
	}
}

// pass is a gate.
func (f *fake) pass(p *proc, q request, gate string) {
	p.alive()
	name := gate + "/" + q.Owner
	f.mu.Lock()
	stop := f.gates[name] > 0
	if !stop {
		f.mu.Unlock()
		return
	}
	f.gates[name]--
	fate := make(chan string, 1)
	hold := control.Hold{Hold: fmt.Sprintf("%s@%s", q.Trace, gate), Gate: gate, Owner: q.Owner, Key: q.Key, Trace: q.Trace}
	f.fates[hold.Hold] = fate
	f.mu.Unlock()
	f.emit(q.told(control.LaneAPI, control.KindGate, control.Held))
	f.queue(q.Owner) <- hold
	select {
	case <-fate:
	case <-p.dead:
		panic(errKilled)
	case <-f.stopped:
		panic(errKilled)
	}
}

// lookFirst looks, charges, and then inserts.
func (f *fake) lookFirst(p *proc, q request) answer {
	name := q.Owner + "/" + q.Key
	f.mu.Lock()
	found := f.records[name]
	f.mu.Unlock()
	if found != nil {
		f.emit(q.told(control.LaneAPI, control.KindDecision, control.Replay))
		f.pass(p, q, "looked")
		return answer{status: 201, charge: found.charge.ID, outcome: control.Replay}
	}
	f.emit(q.told(control.LaneAPI, control.KindDecision, control.Started))
	f.pass(p, q, "looked")
	f.mu.Lock()
	mine := &keyRecord{fence: 1, charge: f.pending(q), done: make(chan struct{})}
	f.mu.Unlock()
	f.capture(p, q, mine)
	f.pass(p, q, "provider-called")
	f.settle(q, mine)
	f.mu.Lock()
	f.records[name] = mine
	f.mu.Unlock()
	return answer{status: 201, charge: mine.charge.ID}
}

// claimFirst is the right rule, and with "no-key" the right rule under a key
// that never comes again, and with "restart-forgets" the one that forgets.
func (f *fake) claimFirst(p *proc, q request) answer {
	told, patience := false, time.After(time.Second)
	for {
		mine, lease, outcome := f.decide(p, q)
		if outcome != control.Busy || !told {
			f.emit(q.told(control.LaneAPI, control.KindDecision, outcome))
		}
		switch outcome {
		case control.Replay:
			return answer{status: 201, charge: mine.charge.ID, outcome: control.Replay}
		case control.Busy:
			told = true
			select {
			case <-mine.done:
			case <-time.After(lease):
			case <-patience:
				return answer{status: 409, outcome: control.Busy}
			}
			continue
		}
		f.emit(q.told(control.LaneAPI, control.KindCommit, ""))
		f.pass(p, q, "claimed")
		f.capture(p, q, mine)
		f.pass(p, q, "provider-called")
		f.settle(q, mine)
		return answer{status: 201, charge: mine.charge.ID}
	}
}

// decide is the rule over the model's records; with it comes the lease left.
func (f *fake) decide(p *proc, q request) (*keyRecord, time.Duration, control.Outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := q.Owner + "/" + q.Key
	if q.Key == "" {
		name += q.Trace
	}
	held := f.records[name]
	forgotten := held != nil && f.mistake == "restart-forgets" && held.open() && held.born.Before(p.born)
	switch {
	case held == nil || forgotten:
		fresh := &keyRecord{fence: 1, born: time.Now(), lease: time.Now().Add(3 * time.Second), charge: f.pending(q), done: make(chan struct{})}
		f.records[name] = fresh
		return fresh, 0, control.Started
	case !held.open():
		held.replays++
		return held, 0, control.Replay
	case time.Now().Before(held.lease):
		return held, time.Until(held.lease), control.Busy
	}
	held.fence++
	held.lease = time.Now().Add(3 * time.Second)
	return held, 0, control.Resumed
}

// pending needs f.mu.
func (f *fake) pending(q request) *control.Charge {
	id := fmt.Sprintf("ch_%d", len(f.charges)+1)
	charge := &control.Charge{ID: id, Owner: q.Owner, Amount: q.Amount, Currency: q.Currency, Status: "pending", ProviderKey: "cap_" + id}
	f.charges = append(f.charges, charge)
	return charge
}

// capture is the call of the provider, which knows its keys.
func (f *fake) capture(p *proc, q request, mine *keyRecord) {
	time.Sleep(20 * time.Millisecond) // the provider's latency, on virtual time
	p.alive()
	f.mu.Lock()
	defer f.mu.Unlock()
	wire := f.wire[q.Owner]
	wire.Provider++
	f.wire[q.Owner] = wire
	for _, c := range f.captured {
		if c.Key == mine.charge.ProviderKey {
			f.emit(q.told(control.LaneProvider, control.KindProvider, control.Replay))
			return
		}
	}
	f.captured = append(f.captured, &control.Capture{
		Key: mine.charge.ProviderKey, Reference: q.Owner, Amount: q.Amount, Currency: q.Currency, Status: "captured",
	})
	f.emit(q.told(control.LaneProvider, control.KindProvider, control.Captured))
}

// settle is commit 2.
func (f *fake) settle(q request, mine *keyRecord) {
	f.mu.Lock()
	mine.charge.Status = "succeeded"
	f.mu.Unlock()
	close(mine.done)
	e := q.told(control.LaneAPI, control.KindCommit, "")
	e.Status = 201
	f.emit(e)
}
