package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/ledger"
)

// secretOf is an endpoint's own.
func secretOf(endpoint string) string {
	return secretPrefix + map[string]string{"we_a": strings.Repeat("a", 32), "we_b": strings.Repeat("b", 32)}[endpoint]
}

// endpoints makes endpoints of the shop, each at a path of its own name.
func (o *outbox) endpoints(ids ...string) {
	o.t.Helper()
	o.update(func(tx ledger.Tx) error {
		for _, id := range ids {
			if err := tx.PutEndpoint(ledger.Endpoint{ID: id, Owner: "shop", URL: "http://localhost/" + id, Events: []string{"*"}, Secret: secretOf(id)}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (o *outbox) update(fn func(ledger.Tx) error) {
	o.t.Helper()
	if err := o.store.Store.Update(context.Background(), fn); err != nil {
		o.t.Fatal(err)
	}
}

// tellEndpoints commits events about one object, for these endpoints alone.
func (o *outbox) tellEndpoints(n int, ids ...string) {
	o.t.Helper()
	o.update(func(tx ledger.Tx) error {
		for i := range n {
			e := ledger.Event{ID: fmt.Sprint("evt_", i+1), Owner: "shop", Type: ledger.ChargeSucceeded, Object: "ch_1", Created: time.Now(), Body: []byte("{}"), Waiting: ids}
			if err := tx.PutEvent(e); err != nil {
				return err
			}
		}
		return nil
	})
	o.wake()
}

// at lists what an endpoint was sent.
func (o *outbox) at(endpoint string) (seen []sent) {
	for _, one := range o.got() {
		if one.path == "/"+endpoint {
			seen = append(seen, one)
		}
	}
	return seen
}

// alone lets the process have no --webhook: it tells endpoints, and nobody else.
func alone(o *webhookOptions) { o.URL, o.Sign = "", signer{} }

func TestEachEndpointGetsEachEventInOrderUnderItsOwnSecret(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.endpoints("we_a", "we_b")
		o.open(alone)
		o.tellEndpoints(3, "we_a", "we_b")
		synctest.Wait()
		for _, id := range []string{"we_a", "we_b"} {
			seen := o.at(id)
			if ids(seen) != "1 2 3" {
				t.Fatalf("%s was sent %s", id, ids(seen))
			}
			sign, err := newSigner(secretOf(id))
			if err != nil {
				t.Fatal(err)
			}
			want := http.Header{}
			sign.sign(want, seen[0].id, seen[0].at, []byte("{}"))
			if got := seen[0].header.Get("Stripe-Signature"); got != want.Get("Stripe-Signature") {
				t.Errorf("%s: signed %s", id, got)
			}
		}
		if n := o.pending(); n != 0 {
			t.Errorf("%d are still to be delivered", n)
		}
	})
}

func TestAnEndpointThatIsDownHoldsUpNoOtherAndLosesNothing(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		var up atomic.Bool // the deliverer's goroutines ask
		o.consumer.path = func(path string) int {
			if !up.Load() && path == "/we_a" {
				return http.StatusServiceUnavailable
			}
			return http.StatusOK
		}
		o.endpoints("we_a", "we_b")
		o.open(alone)
		o.tellEndpoints(2, "we_a", "we_b")
		synctest.Wait()
		if got := ids(o.at("we_b")); got != "1 2" {
			t.Errorf("the one that is up was sent %s", got)
		}
		if got := ids(o.at("we_a")); got != "1" || o.pending() != 2 {
			t.Errorf("the one that is down was sent %s, %d are pending", got, o.pending())
		}
		up.Store(true)
		time.Sleep(time.Minute) // of virtual time: the wait is over
		synctest.Wait()
		if got := ids(o.at("we_a")); !strings.HasSuffix(got, "1 2") || o.pending() != 0 {
			t.Errorf("it was sent %s in the end, %d are pending", got, o.pending())
		}
	})
}

func TestWhatWaitsForADeletedEndpointIsDroppedUnsent(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.endpoints("we_a", "we_b")
		o.update(func(tx ledger.Tx) error {
			e, _, err := tx.Endpoint("we_a")
			if err != nil {
				return err
			}
			return tx.DropEndpoint(e)
		})
		o.open(alone)
		o.tellEndpoints(2, "we_a", "we_b")
		synctest.Wait()
		if len(o.at("we_a")) != 0 || ids(o.at("we_b")) != "1 2" || o.pending() != 0 {
			t.Errorf("sent %v, %d are pending", o.got(), o.pending())
		}
	})
}

func TestWhatWaitsForADisabledEndpointIsDroppedUnsent(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.endpoints("we_a", "we_b")
		o.update(func(tx ledger.Tx) error {
			e, _, err := tx.Endpoint("we_a")
			if err != nil {
				return err
			}
			e.Disabled = true
			return tx.PutEndpoint(e)
		})
		o.open(alone)
		o.tellEndpoints(2, "we_a", "we_b")
		synctest.Wait()
		if len(o.at("we_a")) != 0 || ids(o.at("we_b")) != "1 2" || o.pending() != 0 {
			t.Errorf("sent %v, %d are pending", o.got(), o.pending())
		}
	})
}

func TestWhatWaitedForAnEndpointIsNotSentOnceItIsEnabledAgain(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.endpoints("we_a")
		o.open(alone)
		o.consumer.path = func(string) int { return http.StatusServiceUnavailable }
		o.tellEndpoints(1, "we_a")
		synctest.Wait() // it waits for attempt 2
		for _, disabled := range []bool{true, false} {
			o.update(func(tx ledger.Tx) error {
				e, _, err := tx.Endpoint("we_a")
				if err != nil {
					return err
				}
				e.Disabled = disabled
				return tx.PutEndpoint(e)
			})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := ids(o.at("we_a")); got != "1" || o.pending() != 0 {
			t.Errorf("sent %s, %d are pending", got, o.pending())
		}
	})
}

func TestAProcessWithoutAConsumerLeavesItsEventsToOneThatHasIt(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.endpoints("we_a")
		o.open(alone)
		o.put(1, "a", "b")
		synctest.Wait()
		if len(o.got()) != 0 || o.pending() != 2 {
			t.Errorf("sent %v, %d are pending", o.got(), o.pending())
		}
		o.close()
		o.open()
		synctest.Wait()
		if len(o.got()) != 2 || o.pending() != 0 {
			t.Errorf("sent %v, %d are pending", o.got(), o.pending())
		}
	})
}
