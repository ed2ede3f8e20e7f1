package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// increment is a request for more socks in the cart of the shop.
func increment(key string, by int64, change ...func(*ledger.IncrementRequest)) ledger.IncrementRequest {
	req := ledger.IncrementRequest{
		Key: idem.Key{Owner: "shop", Value: key}, Request: "req_" + key,
		Operation: "POST /v1/carts/{id}/items/{sku}/increment", Cart: "basket", SKU: "socks", By: by,
	}
	for _, c := range change {
		c(&req)
	}
	req.Fingerprint = idem.NewFingerprint("POST", "/v1/carts/"+req.Cart+"/items/"+req.SKU+"/increment", nil, idem.Params{"by": fmt.Sprint(req.By)})
	return req
}

func (b *bench) increment(req ledger.IncrementRequest) answer {
	result, err := b.ledger.Increment(context.Background(), req)
	return answer{result, err}
}

func (b *bench) put(cart, sku string, quantity int64) error {
	_, err := b.ledger.SetQuantity(context.Background(), ledger.CartItem{Owner: "shop", Cart: cart, SKU: sku, Quantity: quantity})
	return err
}

// holds insists on what a cart of an owner holds.
func (b *bench) holds(owner, cart string, want map[string]int64) {
	b.t.Helper()
	b.view(func(r ledger.Reader) error {
		c, _, err := r.Cart(owner, cart)
		if len(c.Items) != len(want) || fmt.Sprint(c.Items) != fmt.Sprint(want) {
			b.t.Errorf("%s of %s holds %v, want %v", cart, owner, c.Items, want)
		}
		return err
	})
}

// cartRules: what is idempotent by nature, and what takes a key.
var cartRules = []rule{
	{"64 increments with one key are applied once, by one commit", func(t *testing.T, b *bench) {
		answers := b.raceIncrements(func(int) ledger.IncrementRequest { return increment("k", 2) })
		for i, a := range answers {
			if a.err != nil || a.Record.Answer.Status != 200 || string(a.Record.Answer.Body) != string(answers[0].Record.Answer.Body) {
				t.Errorf("request %d: %v, %d %s, error %v", i, a.Outcome, a.Record.Answer.Status, a.Record.Answer.Body, a.err)
			}
		}
		if got := outcomes(answers); got[idem.Started] != 1 || got[idem.Replay] != racers-1 {
			t.Errorf("outcomes %v", got)
		}
		if b.log.count("committed 1") != 0 || b.log.count("committed 2") != 1 || len(b.provider.Calls()) != 0 {
			t.Errorf("commits %v, calls %v", b.log.all("committed"), b.provider.Calls())
		}
		b.holds("shop", "basket", map[string]int64{"socks": 2})
	}},
	{"64 increments with keys of their own are all applied", func(t *testing.T, b *bench) {
		for i, a := range b.raceIncrements(func(i int) ledger.IncrementRequest { return increment(fmt.Sprint("k", i), 3) }) {
			if a.err != nil || a.Outcome != idem.Started {
				t.Errorf("request %d: %v, error %v", i, a.Outcome, a.err)
			}
		}
		b.holds("shop", "basket", map[string]int64{"socks": 3 * racers})
	}},
	{"a replay is byte-equal whatever the cart has become, and names the first request", func(t *testing.T, b *bench) {
		first := b.check(b.increment(increment("a", 5)), idem.Started, 200)
		b.check(b.increment(increment("b", -2)), idem.Started, 200)
		again := b.check(b.increment(increment("a", 5, func(r *ledger.IncrementRequest) { r.Request = "req_again" })), idem.Replay, 200)
		if string(again.Record.Answer.Body) != string(first.Record.Answer.Body) || again.Record.Answer.Request != "req_a" || again.Cart != "basket" {
			t.Errorf("replayed %+v for %+v", again.Result, first.Result)
		}
		b.holds("shop", "basket", map[string]int64{"socks": 3})
	}},
	{"another amount, cart or SKU under the same key is a conflict", func(t *testing.T, b *bench) {
		b.check(b.increment(increment("k", 1)), idem.Started, 200)
		for name, req := range map[string]ledger.IncrementRequest{
			"amount": increment("k", 2),
			"cart":   increment("k", 1, func(r *ledger.IncrementRequest) { r.Cart = "other" }),
			"SKU":    increment("k", 1, func(r *ledger.IncrementRequest) { r.SKU = "hat" }),
		} {
			if got := b.increment(req); got.err != nil || got.Outcome != idem.Conflict || got.Cart != "" {
				t.Errorf("another %s: %v, %v", name, got.Outcome, got.err)
			}
		}
		if got := b.charge(request("k")); got.Outcome != idem.Conflict || got.Charge != "" {
			t.Errorf("a charge under the key of an increment: %+v", got.Result)
		}
		b.holds("shop", "basket", map[string]int64{"socks": 1})
	}},
	{"what the cart does not allow is a stored answer, and changes nothing", refusedIncrements},
	{"putting a quantity needs no key: twice is once, and 0 takes it out", func(t *testing.T, b *bench) {
		for range 2 {
			if err := errors.Join(b.put("basket", "socks", 7), b.put("basket", "hat", 1)); err != nil {
				t.Fatal(err)
			}
		}
		b.holds("shop", "basket", map[string]int64{"socks": 7, "hat": 1})
		if err := b.put("basket", "hat", 0); err != nil {
			t.Fatal(err)
		}
		b.holds("shop", "basket", map[string]int64{"socks": 7})
	}},
	{"a cart is its owner's alone", func(t *testing.T, b *bench) {
		b.check(b.increment(increment("k", 1)), idem.Started, 200)
		b.check(b.increment(increment("k", 4, func(r *ledger.IncrementRequest) { r.Key.Owner = "anna" })), idem.Started, 200)
		b.holds("shop", "basket", map[string]int64{"socks": 1})
		b.holds("anna", "basket", map[string]int64{"socks": 4})
		b.holds("bob", "basket", nil)
	}},
	{"carts and what is in them are bounded", fullCarts},
	{"what is malformed claims nothing", malformedIncrements},
}

// raceIncrements lets 64 requests go at the same instant.
func (b *bench) raceIncrements(req func(i int) ledger.IncrementRequest) []answer {
	answers := make([]answer, racers)
	barrier := make(chan struct{})
	var running sync.WaitGroup
	for i := range answers {
		running.Go(func() {
			<-barrier
			answers[i] = b.increment(req(i))
		})
	}
	close(barrier)
	running.Wait()
	return answers
}

func refusedIncrements(t *testing.T, b *bench) {
	b.check(b.increment(increment("below", -1)), idem.Started, 400) // and no cart came of it
	b.view(func(r ledger.Reader) error {
		_, found, err := r.Cart("shop", "basket")
		if found {
			t.Error("a refusal made a cart")
		}
		return err
	})
	b.check(b.increment(increment("most", ledger.MaxQuantity)), idem.Started, 200)
	refused := b.check(b.increment(increment("above", 1)), idem.Started, 400)
	b.check(b.increment(increment("less", -3)), idem.Started, 200)
	again := b.check(b.increment(increment("above", 1)), idem.Replay, 400) // although it would fit now
	if string(again.Record.Answer.Body) != string(refused.Record.Answer.Body) || again.Record.Answer.Request != "req_above" {
		t.Errorf("replayed %+v", again.Record.Answer)
	}
	b.holds("shop", "basket", map[string]int64{"socks": ledger.MaxQuantity - 3})
}

func fullCarts(t *testing.T, b *bench) {
	for i := range ledger.MaxCartItems {
		if err := b.put("basket", fmt.Sprint("sku", i), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.put("basket", "socks", 1); !errors.Is(err, ledger.ErrCartFull) {
		t.Errorf("one SKU too many: %v", err)
	}
	b.check(b.increment(increment("sku", 1)), idem.Started, 400)
	if err := errors.Join(b.put("basket", "sku0", 2), b.put("basket", "socks", 0)); err != nil {
		t.Errorf("a full cart can be changed: %v", err)
	}
	err := b.update(func(tx ledger.Tx) error { // in one transaction: a thousand would take a while
		for i := range ledger.MaxCarts - 1 {
			if err := tx.PutCart(ledger.Cart{ID: fmt.Sprint("c", i), Owner: "shop"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.put("c-more", "socks", 1); !errors.Is(err, ledger.ErrTooManyCarts) {
		t.Errorf("one cart too many: %v", err)
	}
	b.check(b.increment(increment("cart", 1, func(r *ledger.IncrementRequest) { r.Cart = "c-more" })), idem.Started, 400)
	if err := b.put("c1", "socks", 1); err != nil {
		t.Errorf("the carts that are there can be changed: %v", err)
	}
}

func malformedIncrements(t *testing.T, b *bench) {
	for param, change := range map[string]func(*ledger.IncrementRequest){
		"by":  func(r *ledger.IncrementRequest) { r.By = -ledger.MaxQuantity - 1 },
		"id":  func(r *ledger.IncrementRequest) { r.Cart = "a/b" },
		"sku": func(r *ledger.IncrementRequest) { r.SKU = "" },
	} {
		var invalid *ledger.InvalidError
		if got := b.increment(increment("k", 1, change)); !errors.As(got.err, &invalid) || invalid.Param != param {
			t.Errorf("%s: %v", param, got.err)
		}
	}
	for _, quantity := range []int64{-1, ledger.MaxQuantity + 1} {
		if err := b.put("basket", "socks", quantity); !errors.Is(err, ledger.ErrInvalid) {
			t.Errorf("%d: %v", quantity, err)
		}
	}
	bad := ledger.Cart{ID: "c", Owner: "shop", Items: map[string]int64{"socks": 0}}
	if err := b.update(func(tx ledger.Tx) error { return tx.PutCart(bad) }); !errors.Is(err, ledger.ErrCorrupt) {
		t.Errorf("a cart out of its bounds: %v", err)
	}
	b.check(b.increment(increment("k", 1)), idem.Started, 200)
}
