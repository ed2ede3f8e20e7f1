package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"chargeonce/ledger"
)

// TestAKeyStaysTruthfulWhileItIsReapedAndMadeAnew hammers one key with two
// bodies while its tombstone ends over and over and the reaper removes it:
// whatever is answered must be true of the body that was sent, and the key must
// not get stuck.
func TestAKeyStaysTruthfulWhileItIsReapedAndMadeAnew(t *testing.T) { // A10
	const century = 100 * 365 * 24 * time.Hour // as far as a process may be set ahead
	b := newBench(t, benchOptions{})
	ctx, done := context.WithCancel(context.Background())
	var reaper, clients sync.WaitGroup
	reaper.Go(func() {
		for ctx.Err() == nil {
			if b.clock() < century { // whoever turns for longer turns the clock back to before it began
				b.advance(31 * 24 * time.Hour)
			}
			if _, err := b.ledger.Reap(ctx); err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("reap: %v", err)
			}
		}
	})
	for _, amount := range []string{"5000", "8000"} {
		form := url.Values{"amount": {amount}, "currency": {"eur"}, "source": {"tok_visa"}}
		clients.Go(func() {
			for range 60 {
				got, err := b.try(ask{form: form})
				if err != nil {
					t.Error(err)
					return
				}
				switch got.status {
				case http.StatusCreated:
					if charged := got.charge(t).Amount; fmt.Sprint(charged) != amount {
						t.Errorf("asked for %s, was told %d", amount, charged)
					}
				case http.StatusConflict:
					if code := got.doc(t).Error.Code; code != CodeKeyReused && code != CodeResultExpired {
						t.Errorf("%s: %s", amount, got.body)
					}
				default:
					t.Errorf("%s: %d %s", amount, got.status, got.body)
				}
			}
		})
	}
	clients.Wait()
	done()
	reaper.Wait()
	b.advance(31 * 24 * time.Hour)
	b.want(http.StatusCreated, ask{})
}

// TestAThousandRequestsOverAHundredKeysNeverLockEachOther would hang if waiters
// or writers of different keys could wait for one another.
func TestAThousandRequestsOverAHundredKeysNeverLockEachOther(t *testing.T) { // A21
	b := newBench(t, benchOptions{})
	const keys, each = 100, 10
	var (
		mu    sync.Mutex // guards ids
		ids   = map[string]map[string]bool{}
		group sync.WaitGroup
		lanes = make(chan struct{}, 64) // connections at one time
	)
	for i := range keys * each {
		key := fmt.Sprint("key-", i%keys)
		lanes <- struct{}{}
		group.Go(func() {
			defer func() { <-lanes }()
			got, err := b.try(ask{key: key})
			if err != nil || got.status != http.StatusCreated {
				t.Errorf("%s: %v %d %s", key, err, got.status, got.body)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if ids[key] == nil {
				ids[key] = map[string]bool{}
			}
			ids[key][got.charge(t).ID] = true
		})
	}
	group.Wait()
	for key, made := range ids {
		if len(made) != 1 {
			t.Errorf("%s made %d charges", key, len(made))
		}
	}
	if taken := b.bank.taken("shop", "eur"); taken != keys*5000 {
		t.Errorf("the cards were charged %d", taken)
	}
}

// TestASlowPaymentThatIsClickedAgainIsOneCharge lets the customer give up on a
// page and pay again while the provider is still at it.
func TestASlowPaymentThatIsClickedAgainIsOneCharge(t *testing.T) { // P04
	b := newBench(t, benchOptions{})
	arrived, release := b.bank.hold()
	page, leave := context.WithCancel(context.Background())
	left := make(chan error, 1)
	go func() {
		_, err := b.try(ask{ctx: page})
		left <- err
	}()
	<-arrived
	leave() // the page's timeout
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Fatalf("the page was answered: %v", err)
	}
	b.refused(http.StatusConflict, CodeKeyInUse, ask{header: map[string]string{"Prefer": "wait=0"}})
	release()
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	if events := b.eventPage("", "").Data; len(events) != 1 || events[0].Type != ledger.ChargeSucceeded {
		t.Errorf("the shop is told %d times: %+v", len(events), events)
	}
	if paid.Amount != 5000 || b.bank.taken("shop", "eur") != 5000 || len(b.bank.calls("POST")) != 1 {
		t.Errorf("the card was charged %d in %d calls", b.bank.taken("shop", "eur"), len(b.bank.calls("POST")))
	}
}
