package shop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/ledger/badgerdb"
	"chargeonce/retrypolicy"
)

// api plays the payments API behind the wire: one scripted answer after the
// other, the last for ever. It keeps what it was sent.
type api struct {
	mu     sync.Mutex
	script []func(*http.Request) (*http.Response, error)
	keys   []string
	bodies []string
	labels []string
}

func (a *api) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.keys = append(a.keys, r.Header.Get("Idempotency-Key"))
	a.bodies = append(a.bodies, string(body))
	a.labels = append(a.labels, r.Header.Get("Chargeonce-Attempt"))
	next := a.script[0]
	if len(a.script) > 1 {
		a.script = a.script[1:]
	}
	a.mu.Unlock()
	return next(r)
}

func (a *api) sent() (keys, bodies, labels []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append(keys, a.keys...), append(bodies, a.bodies...), append(labels, a.labels...)
}

func answers(status int, body string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(body)), Request: r,
		}, nil
	}
}

// silent never answers: the attempt's timeout is all that the shop learns.
func silent(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

var (
	created  = answers(201, `{"id":"ch_1"}`)
	declined = answers(402, `{"error":{"code":"card_declined","message":"The card was declined."}}`)
)

func openDB(t *testing.T, dir string) *badgerdb.DB {
	t.Helper()
	db, err := badgerdb.Open(badgerdb.Options{Dir: dir, InMemory: dir == ""})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func newShop(t *testing.T, db *badgerdb.DB, wire http.RoundTripper, hooks Hooks) *Shop {
	t.Helper()
	return New(Options{
		DB: db, Wire: wire, Hooks: hooks,
		API:    func() string { return "http://api.test" },
		Policy: retrypolicy.Policy{MaxAttempts: 3, AttemptTimeout: 2 * time.Second},
	})
}

// bubble runs a test on virtual time with a shop on a journal in memory.
func bubble(t *testing.T, hooks Hooks, script []func(*http.Request) (*http.Response, error), test func(*Shop, *api)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t, "")
		wire := &api{script: script}
		s := newShop(t, db, wire, hooks)
		test(s, wire)
		s.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

func order(t *testing.T, s *Shop, id string) Order {
	t.Helper()
	o, found, err := s.Order(context.Background(), id)
	if err != nil || !found {
		t.Fatalf("order %s: found %v, %v", id, found, err)
	}
	return o
}

func TestAttemptsOfOneOrderAreOneRequest(t *testing.T) {
	bubble(t, Hooks{}, []func(*http.Request) (*http.Response, error){silent, answers(503, ""), created}, func(s *Shop, wire *api) {
		draft := Draft(5000, "eur", "tok_visa")
		if _, err := s.Pay(context.Background(), draft); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		keys, bodies, labels := wire.sent()
		if len(keys) != 3 || fmt.Sprint(labels) != "[1/3 2/3 3/3]" {
			t.Fatalf("sent %d attempts, labelled %v", len(keys), labels)
		}
		for i := range keys {
			if keys[i] != draft.Key || bodies[i] != bodies[0] {
				t.Errorf("attempt %d: key %q, body %q", i+1, keys[i], bodies[i])
			}
		}
		if o := order(t, s, draft.ID); o.State != Paid || o.Charge != "ch_1" {
			t.Errorf("order: %+v", o)
		}
	})
}

func TestARequestNamesTheOrderByItsShopsNumberIfThereIsOne(t *testing.T) {
	bubble(t, Hooks{}, []func(*http.Request) (*http.Response, error){created}, func(s *Shop, wire *api) {
		counted, plain := Draft(5000, "eur", "tok_visa"), Draft(5000, "eur", "tok_visa")
		counted.Number = "1"
		for i, draft := range []Order{counted, plain} {
			if _, err := s.Pay(context.Background(), draft); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			_, bodies, _ := wire.sent()
			form, err := url.ParseQuery(bodies[i])
			if want := []string{"1", plain.ID}[i]; err != nil || form.Get("metadata[order]") != want {
				t.Errorf("sent %s, want the order to be named %s (%v)", bodies[i], want, err)
			}
		}
		if o := order(t, s, counted.ID); o.Number != "1" || o.State != Paid {
			t.Errorf("order: %+v", o)
		}
	})
}

func TestTheKeyIsStoredBeforeAnythingIsSent(t *testing.T) {
	var s *Shop
	draft := Draft(5000, "eur", "tok_visa")
	look := func(r *http.Request) (*http.Response, error) {
		if o := order(t, s, draft.ID); o.Key != r.Header.Get("Idempotency-Key") || o.State != Open {
			t.Errorf("when the first attempt left, the journal held %+v", o)
		}
		return created(r)
	}
	bubble(t, Hooks{}, []func(*http.Request) (*http.Response, error){look}, func(shop *Shop, wire *api) {
		s = shop
		if _, err := s.Pay(context.Background(), draft); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if keys, _, _ := wire.sent(); len(keys) != 1 {
			t.Errorf("sent %d", len(keys))
		}
	})
}

func TestAnExhaustedPolicyIsNoFailure(t *testing.T) {
	var unconfirmed, settled int
	hooks := Hooks{
		Unconfirmed: func(Order, error) { unconfirmed++ },
		Settled:     func(Order) { settled++ },
	}
	script := []func(*http.Request) (*http.Response, error){silent, silent, silent, silent, created}
	bubble(t, hooks, script, func(s *Shop, wire *api) {
		draft := Draft(5000, "eur", "tok_visa")
		click, err := s.Pay(context.Background(), draft)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := click.Wait(context.Background()); answer != Open || err != nil {
			t.Errorf("the click was told %q, %v", answer, err)
		}
		time.Sleep(2 * time.Minute)
		keys, _, _ := wire.sent()
		if len(keys) != 5 || unconfirmed != 1 || settled != 1 {
			t.Errorf("attempts %d, unconfirmed %d, settled %d", len(keys), unconfirmed, settled)
		}
		if o := order(t, s, draft.ID); o.State != Paid {
			t.Errorf("order: %+v", o)
		}
	})
}

func TestADeclineIsFinal(t *testing.T) {
	bubble(t, Hooks{}, []func(*http.Request) (*http.Response, error){declined}, func(s *Shop, wire *api) {
		draft := Draft(5000, "eur", "tok_chargeDeclined")
		click, err := s.Pay(context.Background(), draft)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := click.Wait(context.Background()); answer != Declined || err != nil {
			t.Errorf("the click was told %q, %v", answer, err)
		}
		time.Sleep(time.Minute)
		if keys, _, _ := wire.sent(); len(keys) != 1 {
			t.Errorf("a decline was retried: %d attempts", len(keys))
		}
		if o := order(t, s, draft.ID); o.State != Declined || o.Reason != "The card was declined." {
			t.Errorf("order: %+v", o)
		}
	})
}

func TestEveryClickIsForwardedAndTheFirstOutcomeStands(t *testing.T) {
	var settled, answered int
	hooks := Hooks{Settled: func(Order) { settled++ }, Answered: func(Order) { answered++ }}
	bubble(t, hooks, []func(*http.Request) (*http.Response, error){created, declined}, func(s *Shop, wire *api) {
		draft := Draft(5000, "eur", "tok_visa")
		for range 2 {
			if _, err := s.Pay(context.Background(), draft); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if keys, _, _ := wire.sent(); len(keys) != 2 {
			t.Errorf("two clicks made %d requests", len(keys))
		}
		if o := order(t, s, draft.ID); o.State != Paid || settled != 1 || answered != 2 {
			t.Errorf("order %+v, settled %d, answered %d", o, settled, answered)
		}
	})
}

func TestAnotherRequestUnderTheSameOrderIsNotSent(t *testing.T) {
	bubble(t, Hooks{}, []func(*http.Request) (*http.Response, error){created}, func(s *Shop, wire *api) {
		draft := Draft(5000, "eur", "tok_visa")
		if _, err := s.Pay(context.Background(), draft); err != nil {
			t.Fatal(err)
		}
		for name, change := range map[string]func(*Order){
			"amount":   func(o *Order) { o.Amount = 8000 },
			"currency": func(o *Order) { o.Currency = "jpy" },
			"card":     func(o *Order) { o.Card = "tok_amex" },
			"key":      func(o *Order) { o.Key = "another" },
			"number":   func(o *Order) { o.Number = "2" },
		} {
			edited := draft
			change(&edited)
			_, err := s.Pay(context.Background(), edited)
			var differs *DiffersError
			if !errors.Is(err, ErrDiffers) || !errors.As(err, &differs) || differs.Placed.Key != draft.Key || differs.Placed.Amount != 5000 {
				t.Errorf("edited %s: %v", name, err)
			}
		}
		synctest.Wait()
		if keys, _, _ := wire.sent(); len(keys) != 1 {
			t.Errorf("sent %d requests", len(keys))
		}
	})
}

func TestClicksOfOneOrderAreBounded(t *testing.T) {
	bubble(t, Hooks{}, []func(*http.Request) (*http.Response, error){silent}, func(s *Shop, _ *api) {
		draft := Draft(5000, "eur", "tok_visa")
		for range MaxRuns {
			if _, err := s.Pay(context.Background(), draft); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Pay(context.Background(), draft); !errors.Is(err, ErrTooManyRuns) {
			t.Errorf("click %d: %v", MaxRuns+1, err)
		}
	})
}

func TestOrdersThatAreNoOrdersAreRefused(t *testing.T) {
	good := Draft(5000, "eur", "tok_visa")
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Order){
		"no id":       func(o *Order) { o.ID = "" },
		"a path":      func(o *Order) { o.ID = "ord_../../../etc" },
		"no key":      func(o *Order) { o.Key = "" },
		"odd key":     func(o *Order) { o.Key = "a\nb" },
		"nothing":     func(o *Order) { o.Amount = 0 },
		"negative":    func(o *Order) { o.Amount = -1 },
		"too much":    func(o *Order) { o.Amount = MaxAmount + 1 },
		"no card":     func(o *Order) { o.Card = "" },
		"no currency": func(o *Order) { o.Currency = "" },
	} {
		bad := good
		change(&bad)
		if err := bad.Validate(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEachDraftHasAKeyOfItsOwn(t *testing.T) {
	keys, orders := map[string]bool{}, map[string]bool{}
	for range 1000 {
		d := Draft(5000, "eur", "tok_visa")
		keys[d.Key], orders[d.ID] = true, true
	}
	if len(keys) != 1000 || len(orders) != 1000 {
		t.Errorf("%d keys, %d orders", len(keys), len(orders))
	}
}

func TestAnOpenOrderOutlivesTheProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	draft := Draft(5000, "eur", "tok_visa")

	db := openDB(t, dir)
	first := newShop(t, db, &api{script: []func(*http.Request) (*http.Response, error){silent}}, Hooks{})
	if _, err := first.Pay(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	db = openDB(t, dir)
	defer func() { _ = db.Close() }()
	settled := make(chan Order, 1)
	wire := &api{script: []func(*http.Request) (*http.Response, error){created}}
	second := newShop(t, db, wire, Hooks{Settled: func(o Order) { settled <- o }})
	defer second.Close()
	if err := second.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case o := <-settled:
		if o.Key != draft.Key || o.State != Paid {
			t.Errorf("settled %+v", o)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the order is not resumed")
	}
	if keys, _, _ := wire.sent(); len(keys) != 1 || keys[0] != draft.Key {
		t.Errorf("keys %v", keys)
	}
	if open, err := second.journal.open(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("still open: %v %v", open, err)
	}
}

func TestAClosedShopTakesNoOrders(t *testing.T) {
	db := openDB(t, "")
	defer func() { _ = db.Close() }()
	s := newShop(t, db, &api{script: []func(*http.Request) (*http.Response, error){created}}, Hooks{})
	s.Close()
	if _, err := s.Pay(t.Context(), Draft(5000, "eur", "tok_visa")); !errors.Is(err, ErrClosed) {
		t.Errorf("Pay after Close: %v", err)
	}
}

func TestAJournalThatContradictsItselfIsNotResumed(t *testing.T) {
	db := openDB(t, "")
	defer func() { _ = db.Close() }()
	err := db.Update(t.Context(), func(tx *badgerdb.Tx) error { return tx.Set([]byte(openPrefix+"ord_gone"), nil) })
	if err != nil {
		t.Fatal(err)
	}
	s := newShop(t, db, &api{script: []func(*http.Request) (*http.Response, error){created}}, Hooks{})
	defer s.Close()
	if err := s.Resume(t.Context()); !errors.Is(err, errNoOrder) || !strings.Contains(err.Error(), "ord_gone") {
		t.Errorf("resumed: %v", err)
	}
}

func TestWhatACustomerBringsBackIsJournalledOnce(t *testing.T) {
	bubble(t, Hooks{}, []func(*http.Request) (*http.Response, error){created}, func(s *Shop, _ *api) {
		draft := Draft(5000, "eur", "tok_visa")
		if _, _, err := s.Return(context.Background(), draft.ID, 5000); !errors.Is(err, errNoOrder) {
			t.Errorf("an order that was never placed: %v", err)
		}
		if _, err := s.Pay(context.Background(), draft); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, amount := range []int64{0, -1, 5001} {
			if _, _, err := s.Return(context.Background(), draft.ID, amount); !errors.Is(err, ErrInvalid) {
				t.Errorf("%d of 5000: %v", amount, err)
			}
		}
		for i := range 2 {
			o, changed, err := s.Return(context.Background(), draft.ID, 2000)
			if err != nil || changed != (i == 0) || o.Returned != 2000 {
				t.Errorf("call %d: %+v, changed %v, %v", i+1, o, changed, err)
			}
		}
		if o := order(t, s, draft.ID); o.Returned != 2000 || o.State != Paid || o.Amount != 5000 {
			t.Errorf("order: %+v", o)
		}
	})
}

func TestNothingIsBroughtBackThatWasNotPaid(t *testing.T) {
	bubble(t, Hooks{}, []func(*http.Request) (*http.Response, error){declined}, func(s *Shop, _ *api) {
		draft := Draft(5000, "eur", "tok_visa")
		if _, err := s.Pay(context.Background(), draft); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, _, err := s.Return(context.Background(), draft.ID, 5000); !errors.Is(err, ErrInvalid) {
			t.Errorf("a declined order: %v", err)
		}
	})
}
