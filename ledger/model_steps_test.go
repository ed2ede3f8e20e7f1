package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"chargeonce/idem"
)

// few keys, so that requests meet.
var modelKeys = rapid.SampledFrom([]string{"a", "b", "c", "d"})

func modelClaim(key, body string) (idem.Key, idem.Fingerprint) {
	return idem.Key{Owner: "shop", Value: key}, idem.Fingerprint{Sum: body}
}

func modelRequest(key, body string, amount int64) ChargeRequest {
	r := ChargeRequest{Amount: amount, Currency: "eur", Card: "tok_visa"}
	r.Key, r.Fingerprint = modelClaim(key, body)
	return r
}

// charge is a request for one, up to its claim.
func (w *world) charge(t *rapid.T) {
	key, amount := modelKeys.Draw(t, "key"), rapid.SampledFrom([]int64{100, 150}).Draw(t, "amount")
	body := fmt.Sprint("charge ", amount)
	c := w.begin(t, key, body, w.ledger.chargeTask(modelRequest(key, body, amount)))
	if c.Outcome == idem.Started {
		w.charges[c.work.Charge.ID] = &modelCharge{amount: amount, status: Pending}
	}
}

// again is the request that a key belongs to, sent once more: by a client that
// retries, clicks twice, or comes back after all is over.
func (w *world) again(t *rapid.T) {
	if len(w.keys) == 0 {
		t.Skip("no key was used yet")
	}
	key := rapid.SampledFrom(slices.Sorted(maps.Keys(w.keys))).Draw(t, "key")
	k := w.keys[key]
	if w.want(key, k.body) == idem.Started {
		t.Skip("that would be another story: the key's second life")
	}
	w.begin(t, key, k.body, k.asked)
}

// intent is a request for a payment intent, confirmed or not.
func (w *world) intent(t *rapid.T) {
	key, confirm := modelKeys.Draw(t, "key"), rapid.Bool().Draw(t, "confirm")
	body := fmt.Sprint("intent ", confirm)
	c := w.begin(t, key, body, w.ledger.intentTask(IntentRequest{ChargeRequest: modelRequest(key, body, 100), Confirm: confirm}))
	if c.Outcome != idem.Started {
		return
	}
	w.intents[c.work.Intent.ID] = &modelIntent{}
	if !confirm {
		w.finish(w.keys[key])
		return
	}
	w.carriesOut(c.work)
}

// carriesOut notes a new charge of an intent.
func (w *world) carriesOut(work Work) {
	w.charges[work.Charge.ID] = &modelCharge{amount: 100, status: Pending}
	i := w.intents[work.Intent.ID]
	i.charges = append(i.charges, work.Charge.ID)
}

// refund is a request for one, up to its claim or its refusal.
func (w *world) refund(t *rapid.T) {
	key, id := modelKeys.Draw(t, "key"), w.pickCharge(t)
	amount := rapid.SampledFrom([]int64{0, 40, 60}).Draw(t, "amount")
	body := fmt.Sprint("refund ", id, amount)
	r := RefundRequest{Charge: id, Amount: amount}
	r.Key, r.Fingerprint = modelClaim(key, body)
	c := w.begin(t, key, body, w.ledger.refundTask(r))
	if c.Outcome != idem.Started {
		return
	}
	charge := w.charges[id]
	left := charge.amount - charge.refunded - charge.reserved
	if charge.status != Succeeded {
		left = 0
	}
	if refused := left == 0 || amount > left; refused != c.answered() {
		t.Fatalf("a refund of %d of the %d left: refused %v", amount, left, c.answered())
	} else if refused {
		w.finish(w.keys[key])
		return
	}
	if amount == 0 {
		amount = left
	}
	charge.reserved += amount
}

// ask is the call between the commits. Zombies make it too.
func (w *world) ask(t *rapid.T) {
	w.askFor(w.pick(t, func(a *modelAttempt) bool { return a.answer == nil }))
}

// run is an attempt that nothing comes between.
func (w *world) run(t *rapid.T) {
	a := w.pick(t, w.holds)
	w.askFor(a)
	w.settleFor(t, a)
}

func (w *world) askFor(a *modelAttempt) {
	prefix := "pc_"
	if a.work.IsRefund() {
		prefix = "pr_"
	}
	answer := w.decides(a.work.ProviderKey(), prefix)
	a.answer = &answer
}

// settle is commit 2.
func (w *world) settle(t *rapid.T) {
	w.settleFor(t, w.pick(t, func(a *modelAttempt) bool { return a.answer != nil }))
}

func (w *world) settleFor(t *rapid.T, a *modelAttempt) {
	next := a.work.settledBy(*a.answer)
	accepted := w.writes(t, a, func(tx Tx, now idem.Now) error {
		_, err := settle(tx, a.mine, next, now, w.ledger.opts.render(next), func(Tx, Work) ([]Event, error) { return nil, nil })
		return err
	})
	w.forget(a)
	if accepted {
		w.settled(a.mine.Key.Value, next)
	}
}

// settled notes what a commit 2 has made true.
func (w *world) settled(key string, work Work) {
	w.finish(w.keys[key])
	charge := w.charges[work.Charge.ID]
	if !work.IsRefund() {
		charge.status = work.Charge.Status
		return
	}
	charge.reserved -= work.Refund.Amount
	if work.Refund.Status == Succeeded {
		charge.refunded += work.Refund.Amount
	}
}

// giveUp releases an attempt without an outcome.
func (w *world) giveUp(t *rapid.T) {
	a := w.pick(t, func(*modelAttempt) bool { return true })
	accepted := w.writes(t, a, func(tx Tx, now idem.Now) error {
		_, err := setBack(tx, a.mine, now, a.answer != nil, "the outcome is unknown")
		return err
	})
	w.forget(a)
	if accepted {
		w.keys[a.mine.Key.Value].lease = idem.Record{}.LeaseUntil
	}
}

// renew is a heartbeat, also one that comes late.
func (w *world) renew(t *rapid.T) {
	a := w.pick(t, func(*modelAttempt) bool { return true })
	var next idem.Record
	accepted := w.writes(t, a, func(tx Tx, now idem.Now) (err error) {
		next, err = idem.Renew(tx, a.mine, now, w.ledger.opts.Terms)
		return err
	})
	if accepted {
		a.mine = next
		w.keys[a.mine.Key.Value].lease = w.wall.Add(modelLease)
	}
}

// crash ends an attempt where it stands: it never writes again.
func (w *world) crash(t *rapid.T) {
	a := w.pick(t, func(*modelAttempt) bool { return true })
	if w.holds(a) && w.book[a.work.ProviderKey()] != (Captured{}) {
		w.seen["a crash in the call"]++ // the money has moved, and nobody has written it down
	}
	w.forget(a)
}

// complete lets the completer take up a record, due or not.
func (w *world) complete(t *rapid.T) {
	key := modelKeys.Draw(t, "key")
	k, known := w.keys[key]
	if !known || k.done {
		t.Skip("nothing to complete")
	}
	due := w.want(key, k.body) == idem.Resumed
	w.view(t, func(r Reader) error {
		record, _, err := r.Record(idem.Key{Owner: "shop", Value: key})
		if err != nil {
			return err
		}
		slot, err := w.ledger.enter()
		if err != nil {
			return err
		}
		defer slot.release()
		return w.ledger.complete(slot, record)
	})
	if !due {
		return
	}
	k.fence++
	w.seen["a completed key"]++
	w.view(t, func(r Reader) error {
		work, err := find(r, k.resource)
		if err == nil && work.Status() == Pending {
			t.Fatalf("completed, %s is pending", work.ID())
		}
		w.settled(key, work)
		return err
	})
}

// reap lets the reaper sweep.
func (w *world) reap(t *rapid.T) {
	got, err := w.ledger.Reap(context.Background())
	if err != nil {
		t.Fatalf("reap: %v", err)
	}
	var want Reaped
	for name, k := range w.keys {
		age := w.wall.Add(w.offset).Sub(k.finished)
		switch {
		case k.done && age >= modelTombstone:
			delete(w.keys, name)
			want.Keys++
			w.seen["a reaped key"]++
		case k.done && age >= modelRetain && !k.stripped:
			k.stripped, k.fence = true, k.fence+1
			want.Answers++
			w.seen["a reaped answer"]++
		}
	}
	if got != want {
		t.Fatalf("reaped %+v, want %+v", got, want)
	}
}

func (w *world) view(t *rapid.T, fn func(Reader) error) {
	if err := w.ledger.opts.Store.View(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// check holds after every step: the books are whole, and say what the model
// says.
func (w *world) check(t *rapid.T) {
	w.view(t, func(r Reader) error {
		breaches, err := Audit(context.Background(), r)
		if err != nil || len(breaches) > 0 {
			t.Fatalf("audit: %v, %v", breaches, err)
		}
		w.checkKeys(t, r)
		w.checkIntents(t, r)
		var owed int64
		for id, want := range w.charges {
			c, _, err := r.Charge(id)
			if err != nil {
				return err
			}
			if c.Status != want.status || c.AmountRefunded != want.refunded || c.RefundReserved != want.reserved {
				t.Fatalf("the charge is %+v, the model has %+v", c, want)
			}
			if c.Status == Succeeded {
				owed += c.Amount - c.AmountRefunded
			}
		}
		balance, err := r.Balance(OwnerAccount("shop"))
		if balance["eur"] != -owed {
			t.Fatalf("the owner stands at %d, the model at %d", balance["eur"], -owed)
		}
		return err
	})
}

func (w *world) checkKeys(t *rapid.T, r Reader) {
	records, err := r.Records("shop", 100)
	if err != nil || len(records) != len(w.keys) {
		t.Fatalf("%d records, the model has %d; %v", len(records), len(w.keys), err)
	}
	for _, record := range records {
		k := w.keys[record.Key.Value]
		if record.Fence != k.fence || record.Open() == k.done || !record.LeaseUntil.Equal(k.lease) || record.Resource != k.resource {
			t.Fatalf("the record is %+v, the model has %+v", record, k)
		}
		if slices.Contains([]idem.Outcome{idem.Busy, idem.Replay}, w.want(record.Key.Value, k.body)) && k.stripped {
			t.Fatalf("stripped before its time: %+v", k)
		}
	}
}
