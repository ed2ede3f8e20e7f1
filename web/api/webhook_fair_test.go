package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/ledger"
)

// endpointsOf makes endpoints of one owner.
func (o *outbox) endpointsOf(owner string, ids ...string) {
	o.t.Helper()
	o.update(func(tx ledger.Tx) error {
		for _, id := range ids {
			e := ledger.Endpoint{ID: id, Owner: owner, URL: "http://localhost/" + id, Events: []string{"*"}, Secret: secretPrefix + strings.Repeat("a", 32)}
			if err := tx.PutEndpoint(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// happens commits events first to last of an owner, each of an object of its
// own, for endpoints.
func (o *outbox) happens(owner string, first, last int, endpoints ...string) {
	o.t.Helper()
	const batch = 50
	for ; first <= last; first += batch {
		o.update(func(tx ledger.Tx) error {
			for n := first; n <= min(last, first+batch-1); n++ {
				e := ledger.Event{
					ID: fmt.Sprint("evt_", owner, n), Owner: owner, Type: ledger.ChargeSucceeded, Object: fmt.Sprint("ch_", owner, n),
					Created: time.Now(), Body: []byte("{}"), Waiting: endpoints,
				}
				if err := tx.PutEvent(e); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// sixteen are all endpoints that one owner can have.
func sixteen() (ids []string) {
	for i := range ledger.MaxEndpoints {
		ids = append(ids, fmt.Sprint("we_a", i))
	}
	return ids
}

func TestDeadEndpointsOfOneOwnerStopNobodyElses(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.consumer.path = func(path string) int {
			if strings.HasPrefix(path, "/we_a") {
				return http.StatusServiceUnavailable
			}
			return http.StatusOK
		}
		dead := sixteen()
		o.endpointsOf("a", dead...)
		o.endpointsOf("b", "we_b")
		o.happens("a", 1, 640, dead...) // 10,240 rows, before any of b's
		o.happens("b", 1, 2, "we_b")
		o.open(alone)
		synctest.Wait()
		if got := o.at("we_b"); len(got) != 2 {
			t.Errorf("at the start b's endpoint was sent %s", ids(got))
		}
		time.Sleep(2 * time.Second)
		o.happens("b", 3, 3, "we_b")
		o.wake()
		synctest.Wait()
		if got := o.at("we_b"); len(got) != 3 {
			t.Errorf("later b's endpoint was sent %s", ids(got))
		}
	})
}

func TestWhatAnEndpointLeftBehindIsDeliveredToTheEndAndInOrder(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.endpointsOf("a", "we_a", "we_b")
		const events = maxAhead + pendingPage + 50 // one object's, all behind the first
		o.update(func(tx ledger.Tx) error {
			for n := range events {
				e := ledger.Event{ID: fmt.Sprint("evt_", n), Owner: "a", Type: ledger.ChargeSucceeded, Object: "ch_1", Created: time.Now(), Body: []byte("{}"), Waiting: []string{"we_a"}}
				if n%100 == 0 {
					e.Waiting = append(e.Waiting, "we_b")
				}
				if err := tx.PutEvent(e); err != nil {
					return err
				}
			}
			return nil
		})
		o.open(alone)
		synctest.Wait()
		for i, one := range o.at("we_a") {
			if one.id != fmt.Sprint("evt_", i) {
				t.Fatalf("%s came at place %d", one.id, i)
			}
		}
		if n := o.pending(); n != 0 || len(o.at("we_a")) != events || len(o.at("we_b")) != (events+99)/100 {
			t.Errorf("%d are still to be delivered", n)
		}
	})
}

func TestHungEndpointsOfOneOwnerHoldUpNobodyElses(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.answer = func(ctx context.Context, id string, _ int) (int, error) {
			if strings.HasPrefix(id, "evt_a") {
				return hang(ctx)
			}
			return http.StatusOK, nil
		}
		hung := sixteen()
		o.endpointsOf("a", hung...)
		o.endpointsOf("b", "we_b")
		o.happens("a", 1, 64, hung...)
		for round := range 3 {
			o.open(alone) // and again: then each of a's is new to the process
			synctest.Wait()
			o.happens("b", round+1, round+1, "we_b")
			o.wake()
			synctest.Wait() // no time passes
			if got := o.at("we_b"); len(got) != round+1 {
				t.Errorf("round %d: b's endpoint was sent %s", round+1, ids(got))
			}
			time.Sleep(3 * attemptTimeout)
			o.close()
		}
		o.deliverer = nil
	})
}

func TestOneHungEndpointHoldsUpNoOtherOfItsOwner(t *testing.T) {
	inOutbox(t, func(t *testing.T, o *outbox) {
		o.consumer.path = func(string) int { return http.StatusOK }
		o.endpointsOf("a", "we_hung", "we_b")
		o.open(alone, func(w *webhookOptions) { w.Transport = hangingAt{"/we_hung", o.consumer} })
		o.happens("a", 1, 64, "we_hung", "we_b")
		o.wake()
		synctest.Wait()
		if got := o.at("we_b"); len(got) != 64 {
			t.Errorf("the other was sent %d", len(got))
		}
	})
}

// hangingAt is a consumer that says nothing at one of its paths.
type hangingAt struct {
	path string
	http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (h hangingAt) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == h.path {
		_, err := hang(r.Context())
		return nil, err
	}
	return h.RoundTripper.RoundTrip(r)
}
