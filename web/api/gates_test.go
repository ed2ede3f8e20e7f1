package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"chargeonce/ledger"
	"chargeonce/web/control"
)

func decodeUp(line []byte) (up control.Up, err error) {
	err = json.Unmarshal(line, &up)
	return up, err
}

func TestEachFateAtEachGate(t *testing.T) {
	d := direct(t, nil)
	for _, gate := range points {
		for _, fate := range []string{fateDeliver, fateDelay, fateDrop} {
			t.Run(gate+" "+fate, func(t *testing.T) { d.meets(t, gate, fate) })
		}
	}
}

// meets holds one request of an owner of its own at a gate, and decides.
func (d *directed) meets(t *testing.T, gate, fate string) {
	owner := strings.ReplaceAll(gate+"-"+fate, " ", "")
	d.arm(control.Down{Gate: gate, Owner: owner, Count: 1})
	client := d.client(ask{owner: owner, key: "k", header: map[string]string{"Chargeonce-Trace": "tr-1"}})
	up := d.held()
	if up.Gate != gate || up.Owner != owner || up.Key != "k" || up.Trace != "tr-1" {
		t.Errorf("held: %+v", up)
	}
	d.release(up, fate, 1)
	got := receive(t, client)
	switch {
	case fate != fateDrop || gate == AtAnswered:
		got.paid(t)
	case !got.wasReset():
		t.Errorf("the client got %d %s, %v", got.status, got.body, got.err)
	}
	worked := fate != fateDrop || gate != AtReceived
	if worked { // without its client, where that was cut off
		eventually(t, "the work is done", func() bool { return d.record(owner, "k").State == "done" })
	}
	again := d.bench().want(http.StatusCreated, ask{owner: owner, key: "k"}) // the first if no work was done, else a replay
	if replayed := again.header.Get("Idempotent-Replayed") == "true"; replayed != worked {
		t.Errorf("the next attempt: replayed %v, want %v", replayed, worked)
	}
	if taken := d.bank.taken(owner, "eur"); taken != 5000 {
		t.Errorf("the card was charged %d", taken)
	}
	if record := d.record(owner, "k"); record.Fence != 1 {
		t.Errorf("somebody took over: %+v", record)
	}
}

func TestAHoldRenewsItsLeaseAndKeepsOthersBusy(t *testing.T) {
	for _, gate := range []string{ledger.AtClaimed, ledger.AtProviderCalled} {
		d := direct(t, fast)
		d.arm(control.Down{Gate: gate, Count: 1})
		client := d.client(ask{})
		up := d.held()
		created := time.UnixMilli(d.record("shop", "key-1").CreatedMS)
		eventually(t, "two leases have passed, and every look is busy", func() bool {
			got := d.bench().want(http.StatusConflict, ask{header: map[string]string{"Prefer": "wait=0"}})
			return got.doc(t).Error.Code == CodeKeyInUse && time.Since(created) > 2*shortLease
		})
		d.release(up, fateDeliver, 0)
		receive(t, client).paid(t)
		if record := d.record("shop", "key-1"); record.Fence != 1 {
			t.Errorf("at %s: %+v", gate, record)
		}
	}
}

func TestAFrozenHoldLosesItsLeaseAndIsFencedOff(t *testing.T) { // A06
	for _, gate := range []string{ledger.AtClaimed, ledger.AtProviderCalled} {
		t.Run(gate, func(t *testing.T) {
			d := direct(t, fast)
			d.arm(control.Down{Gate: gate, Count: 1, Freeze: true})
			frozen := d.client(ask{})
			up := d.held()
			winner := d.bench().want(http.StatusCreated, ask{}) // waits until the lease runs out
			if record := d.record("shop", "key-1"); record.Fence != 2 || record.State != "done" {
				t.Errorf("the winner's record: %+v", record)
			}
			d.release(up, fateDeliver, 0)
			loser := receive(t, frozen).paid(t)
			if loser.body != winner.body || loser.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("the loser got %s, the winner %s", loser.body, winner.body)
			}
			if taken := d.bank.taken("shop", "eur"); taken != 5000 {
				t.Errorf("the card was charged %d", taken)
			}
			eventually(t, "the panel is told", func() bool {
				return d.count(control.Resumed, "key-1") == 1 && d.count(control.Fenced, "key-1") == 1
			})
		})
	}
}

func TestAThawedHoldWhoseLeaseStillRunsGoesOn(t *testing.T) {
	d := direct(t, nil)
	d.arm(control.Down{Gate: ledger.AtClaimed, Count: 1, Freeze: true})
	client := d.client(ask{})
	d.release(d.held(), fateDelay, 1)
	receive(t, client).paid(t)
}

func TestAHundredHoldsAtOnce(t *testing.T) {
	const many = 100
	d := direct(t, nil)
	var clients []<-chan outcome
	for i := range many {
		owner, gate := fmt.Sprint("o", i), points[i%len(points)]
		d.arm(control.Down{Gate: gate, Owner: owner, Count: 1})
		clients = append(clients, d.client(ask{owner: owner}))
	}
	var holds []control.Up
	ids := map[string]bool{}
	for range many {
		up := d.held()
		holds = append(holds, up)
		ids[up.Hold] = true
	}
	if len(ids) != many {
		t.Errorf("%d holds have %d names", many, len(ids))
	}
	for i := range holds {
		d.release(holds[many-1-i], fateDeliver, 0)
	}
	for _, client := range clients {
		receive(t, client).paid(t)
	}
}

func TestAHeldRequestGoesOnWithoutItsClient(t *testing.T) {
	for _, gate := range []string{AtReceived, ledger.AtBegin, ledger.AtClaimed} {
		d := direct(t, nil)
		d.arm(control.Down{Gate: gate, Count: 1})
		ctx, leave := leaving(t)
		client := d.client(ask{ctx: ctx})
		up := d.held()
		leave()
		if got := receive(t, client); got.err == nil {
			t.Fatalf("the client got %d", got.status)
		}
		d.release(up, fateDeliver, 0)
		eventually(t, "the charge is made at "+gate, func() bool { return d.record("shop", "key-1").State == "done" })
	}
}

func TestAHoldAfterTheAnswerStandsInNobodysWay(t *testing.T) {
	d := direct(t, nil)
	d.arm(control.Down{Gate: AtAnswered, Count: 1})
	b := d.bench()
	b.want(http.StatusCreated, ask{}) // its connection goes back into the pool
	up := d.held()
	b.want(http.StatusCreated, ask{key: "key-2"})
	d.release(up, fateDrop, 0)
	b.want(http.StatusCreated, ask{key: "key-3"})
}

func TestWhatIsHeldWhenTheProcessEndsIsDelivered(t *testing.T) {
	for what, end := range map[string]func(*directed){
		"shutdown":     func(d *directed) { d.send(control.Down{Type: "shutdown"}) },
		"end of stdin": func(d *directed) { _ = d.stdin.Close() },
		"a signal":     func(d *directed) { d.end() },
	} {
		for _, gate := range points {
			d := direct(t, nil)
			d.arm(control.Down{Gate: gate, Count: 2})
			client, delayed := d.client(ask{}), d.client(ask{key: "key-2"})
			d.held()
			d.release(d.held(), fateDelay, maxHoldDelay.Milliseconds()) // a delay ends as well
			end(d)
			for _, client := range []<-chan outcome{client, delayed} {
				got := receive(t, client)
				late := gate == AtReceived || gate == ledger.AtBegin // may meet a ledger that takes nothing new
				if got.err != nil || got.status != http.StatusCreated && (!late || got.status != http.StatusServiceUnavailable) {
					t.Errorf("%s, held at %s: %d %s, %v", what, gate, got.status, got.body, got.err)
				}
			}
			if err := receive(t, d.ended); err != nil {
				t.Errorf("%s, held at %s: ended with %v", what, gate, err)
			}
			d.ended <- nil // for the cleanup
		}
	}
}
