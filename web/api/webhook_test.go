package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/ledger"
	"chargeonce/web/control"
)

func TestAnEventIsDeliveredUntilItIsAcknowledged(t *testing.T) { // Q03
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.answer = func(ctx context.Context, _ string, n int) (int, error) {
			switch n {
			case 1:
				return http.StatusInternalServerError, nil
			case 2:
				return http.StatusFound, nil // a redirection has taken nothing in
			case 3:
				return 0, errReset
			case 4:
				return hang(ctx)
			case 5:
				return http.StatusNotFound, nil
			}
			return http.StatusNoContent, nil
		}
		o.open()
		o.put(1, "ch_1")
		time.Sleep(time.Minute)
		synctest.Wait()
		seen := o.got()
		if len(seen) != 6 || o.pending() != 0 {
			t.Fatalf("%d attempts, %d pending", len(seen), o.pending())
		}
		signatures := map[string]bool{}
		for _, one := range seen {
			if one.id != "evt_1" || one.body != `{"n": 1}` || one.header.Get("Chargeonce-Trace") != "tr-1" {
				t.Errorf("an attempt differs: %+v", one)
			}
			one.signed(t)
			signatures[one.header.Get("Webhook-Signature")] = true
		}
		if len(signatures) < 3 { // some attempts fall into the same second
			t.Errorf("the signatures are not fresh: %v", signatures)
		}
		// With half of each wait drawn: 100, 200, 400 ms, the timeout and 800 ms, 1.6 s.
		want := []time.Duration{100e6, 200e6, 400e6, attemptTimeout + 800e6, 1600e6}
		for i, wait := range want {
			if got := seen[i+1].at.Sub(seen[i].at); got != wait {
				t.Errorf("before attempt %d: %v, want %v", i+2, got, wait)
			}
		}
		if !slices.Equal(o.passed[len(o.passed)-3:], []string{atDelivering, atAcknowledged, atDelivered}) || len(o.passed) != 8 {
			t.Errorf("passed %v", o.passed)
		}
	})
}

func TestAnObjectsEventsArriveInOrderAndHoldUpNoOther(t *testing.T) { // Q06
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.answer = func(_ context.Context, id string, n int) (int, error) {
			if id == "evt_1" && n < 3 {
				return 0, errReset
			}
			return 200, nil
		}
		o.open()
		o.put(1, "a", "a", "b", "a")
		time.Sleep(time.Minute)
		synctest.Wait()
		seen := o.got()
		first := map[string]int{}
		for i, one := range seen {
			if _, known := first[one.id]; !known {
				first[one.id] = i
			}
		}
		if len(seen) != 6 || ids(seen[3:]) != "1 2 4" || first["evt_3"] > 1 {
			t.Errorf("attempts %s", ids(seen))
		}
	})
}

func TestPoisonNeverTakesEveryPlace(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		const poison = 40
		o.answer = func(ctx context.Context, id string, _ int) (int, error) {
			if len(id) < len("evt_100") { // 1 to 40
				return hang(ctx)
			}
			return 200, nil
		}
		o.open()
		var objects []string
		for i := range poison {
			objects = append(objects, fmt.Sprint("poison", i))
		}
		o.put(1, objects...)
		time.Sleep(2 * time.Minute) // each has hung at least once
		for i := range 20 {
			began := time.Now()
			o.put(100+i, fmt.Sprint("good", i))
			synctest.Wait()
			if pending := o.pending(); pending != poison {
				t.Fatalf("after %v a good message still waits: %d pending", time.Since(began), pending)
			}
			time.Sleep(time.Second)
		}
		if top := o.most(); top > maxDeliveries {
			t.Errorf("%d attempts at one time", top)
		}
	})
}

func TestPoisonIsSetAsideAndNeverDropped(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		var mended atomic.Bool
		o.answer = func(context.Context, string, int) (int, error) {
			if !mended.Load() {
				return 500, nil
			}
			return 200, nil
		}
		o.open()
		o.put(1, "a")
		time.Sleep(30 * time.Minute)
		seen := o.got()
		for i := setAsideAfter; i < len(seen); i++ {
			if wait := seen[i].at.Sub(seen[i-1].at); wait < 10*time.Minute || wait > 20*time.Minute {
				t.Errorf("set aside for %v", wait)
			}
		}
		if len(seen) <= setAsideAfter || !strings.Contains(o.logs.String(), "set aside") {
			t.Errorf("%d attempts, the log says %q", len(seen), o.logs)
		}
		mended.Store(true)
		time.Sleep(setAsideWait)
		synctest.Wait()
		if o.pending() != 0 {
			t.Error("it was given up")
		}
	})
}

func TestWhatAnEarlierProcessLeftIsDelivered(t *testing.T) { // Q01
	inOutbox(t, func(t *testing.T, o *outbox) {
		var objects []string
		for i := range 2*pendingPage + 10 {
			objects = append(objects, fmt.Sprint("o", i))
		}
		o.put(1, objects...) // nobody is there
		o.open()
		synctest.Wait()
		if len(o.got()) != len(objects) || o.pending() != 0 {
			t.Errorf("%d attempts, %d pending", len(o.got()), o.pending())
		}
	})
}

func TestAnAcknowledgementThatIsNotWrittenIsDeliveredAgain(t *testing.T) { // Q12
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.store.failing.Store(true)
		o.open()
		o.put(1, "a")
		synctest.Wait()
		if len(o.got()) != 1 || o.pending() != 1 {
			t.Fatalf("%d attempts, %d pending", len(o.got()), o.pending())
		}
		o.store.failing.Store(false)
		time.Sleep(time.Second)
		synctest.Wait()
		if seen := o.got(); ids(seen) != "1 1" || seen[0].body != seen[1].body || o.pending() != 0 {
			t.Errorf("attempts %s, %d pending", ids(seen), o.pending())
		}
	})
}

func TestAnIdleOutboxIsHardlyLookedAt(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.open()
		synctest.Wait()
		o.store.looks.Store(0)
		time.Sleep(10 * outboxTick)
		synctest.Wait()
		if looks := o.store.looks.Load(); looks < 9 || looks > 11 {
			t.Errorf("%d looks in ten ticks", looks)
		}
		o.put(1, "a")
		synctest.Wait() // no time passes
		if o.pending() != 0 {
			t.Error("a commit does not wake the deliverer")
		}
	})
}

func TestClosingCutsOffAnAttemptThatHangsAndKeepsItsEvent(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.answer = func(ctx context.Context, id string, n int) (int, error) {
			if id == "evt_1" && n == 1 {
				return hang(ctx)
			}
			return 200, nil
		}
		o.open()
		o.put(1, "a", "a")
		synctest.Wait()
		began := time.Now()
		o.close()
		if took := time.Since(began); took != lastAttempts {
			t.Errorf("took %v", took)
		}
		if o.pending() != 2 || ids(o.got()) != "1" {
			t.Errorf("%d pending, attempts %s", o.pending(), ids(o.got()))
		}
		o.open() // the next process
		synctest.Wait()
		if ids(o.got()) != "1 1 2" || o.pending() != 0 {
			t.Errorf("attempts %s", ids(o.got()))
		}
	})
}

func TestDeliveriesAreToldWithoutAnOutcome(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.answer = func(_ context.Context, _ string, n int) (int, error) {
			if n == 1 {
				return 503, nil
			}
			return 200, nil
		}
		o.open()
		o.put(1, "ch_1")
		time.Sleep(time.Minute)
		synctest.Wait()
		events := o.events()
		if lines(events) != "webhook, wait, webhook" {
			t.Fatalf("told %s", lines(events))
		}
		for _, e := range events {
			if e.Lane != control.LaneReceipts || e.Outcome != "" || e.Owner != "shop" || e.Key != "k" || e.Trace != "tr-1" || e.Charge != "ch_1" || e.AtMS == 0 {
				t.Errorf("%+v", e)
			}
		}
		if first := events[0]; first.Text != "The API delivers charge.succeeded, attempt 1." || first.Attempt != 1 {
			t.Errorf("%+v", first)
		}
		if wait := events[1]; wait.Attempt != 2 || wait.Ms != 100 || wait.Status != 503 || wait.Reason != "it answered 503" ||
			wait.Text != "charge.succeeded is not acknowledged: it answered 503. The API waits 100 ms (full jitter) before attempt 2." {
			t.Errorf("%+v", wait)
		}
	})
}

func TestAnEventThatIsNobodysAnyMoreIsNotSent(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.put(1, "a")
		var e ledger.Event
		if err := o.store.View(t.Context(), func(r ledger.Reader) (err error) {
			e, _, err = r.Event("evt_1")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := ledger.Acknowledge(t.Context(), o.store, e, time.Now()); err != nil {
			t.Fatal(err)
		}
		o.open()
		r := o.attempt(t.Context(), delivery{ledger.Queued{Seq: 1, ID: "evt_1", Object: "a"}, 1})
		if r.reason != "" || len(o.got()) != 0 {
			t.Errorf("%+v, %d attempts", r, len(o.got()))
		}
	})
}
