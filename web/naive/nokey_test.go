package naive

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
	"chargeonce/retrypolicy"
	"chargeonce/web/control"
	"chargeonce/web/shop"
)

// losing is the network: it notes each request's key, delivers it, and loses
// the first answers.
type losing struct {
	next http.RoundTripper

	mu   sync.Mutex // guards what follows
	left int        // answers to lose
	keys []string   // as they went over the wire; "-": none
}

func (l *losing) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys = append(l.keys, or(r.Header.Get("Idempotency-Key"), "-"))
	if err != nil || l.left == 0 {
		return response, err
	}
	l.left--
	_ = response.Body.Close()
	return nil, io.ErrUnexpectedEOF
}

// buy has the real shop pay for one order over a network that loses the answer
// of attempt 1, and returns the keys that crossed it.
func buy(t *testing.T, s *system, m Mistake, order shop.Order) []string {
	t.Helper()
	return settle(t, s, m, order, 1, shop.Paid)
}

// settle is buy with so many answers lost and the given end.
func settle(t *testing.T, s *system, m Mistake, order shop.Order, lost int, want shop.State) []string {
	t.Helper()
	network := &losing{next: fresh(), left: lost}
	wire := http.RoundTripper(network)
	if m.Wire != nil {
		wire = m.Wire(wire)
	}
	db, err := badgerdb.Open(badgerdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, db.Close) })
	answered := make(chan shop.Order, 1)
	options := shop.Options{
		DB: db, API: func() string { return s.url }, Wire: wire,
		Policy: retrypolicy.Policy{MaxAttempts: 3, AttemptTimeout: patience, Base: time.Millisecond},
		Hooks:  shop.Hooks{Answered: func(o shop.Order) { answered <- o }},
	}
	if m.Shop != nil {
		options = m.Shop(options)
	}
	store := shop.New(options)
	defer store.Close()
	if _, err := store.Pay(context.Background(), order); err != nil {
		t.Fatal(err)
	}
	select {
	case o := <-answered:
		if o.State != want {
			t.Fatalf("the order is %s: %s", o.State, o.Reason)
		}
	case <-time.After(patience):
		t.Fatal("the shop gets no answer")
	}
	return network.keys
}

func TestALostAnswerWithoutAKeyChargesTwice(t *testing.T) {
	s := (&system{t: t}).start(noKey())
	order := shop.Draft(5000, "eur", "tok_visa")
	if keys := buy(t, s, noKey(), order); !slices.Equal(keys, []string{"-", "-"}) {
		t.Errorf("keys on the wire: %v; want two requests without one", keys)
	}
	if n := s.captures("shop"); n != 2 {
		t.Errorf("%d captures, want 2", n)
	}
}

func TestTheSameLossWithoutTheMistakeChargesOnce(t *testing.T) {
	s := (&system{t: t}).start(Mistake{})
	order := shop.Draft(5000, "eur", "tok_visa")
	if keys := buy(t, s, Mistake{}, order); !slices.Equal(keys, []string{order.Key, order.Key}) {
		t.Errorf("keys on the wire: %v; want %q twice", keys, order.Key)
	}
	if n := s.captures("shop"); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
}

// Each half is enough: a side that sends a key is charged twice all the same.
func TestTheAPIIgnoresKeys(t *testing.T) {
	s := (&system{t: t}).start(noKey())
	first, second := s.want(http.StatusCreated, ask{}), s.want(http.StatusCreated, ask{})
	if first.body == second.body {
		t.Error("the second request got the first one's answer")
	}
	if n := s.captures("shop"); n != 2 {
		t.Errorf("%d captures, want 2", n)
	}
}

func TestAnAPIThatIgnoresKeysWantsNone(t *testing.T) {
	s := (&system{t: t}).start(noKey())
	got := s.want(http.StatusCreated, ask{key: "-"})
	for _, name := range []string{idem.HeaderKey, idem.HeaderReplayed, idem.HeaderOriginal, idem.HeaderExpires} {
		if value := got.header.Get(name); value != "" {
			t.Errorf("%s: %s", name, value)
		}
	}
	if got.header.Get("Request-Id") == "" || got.header.Get("Location") == "" {
		t.Errorf("the answer lost more than its keys: %v", got.header)
	}
	right := (&system{t: t}).start(Mistake{})
	right.want(http.StatusBadRequest, ask{key: "-"})
}

func TestTheAPIWithoutKeysStillRefusesWhatIsWrong(t *testing.T) {
	s := (&system{t: t}).start(noKey())
	got := s.want(http.StatusBadRequest, ask{amount: "0"})
	if got.header.Get("Content-Type") != "application/problem+json" || got.header.Get(idem.HeaderKey) != "" {
		t.Errorf("not a refusal without a key: %v", got.header)
	}
	if n := s.captures("shop"); n != 0 {
		t.Errorf("%d captures, want none", n)
	}
}

func TestTheCallersRequestKeepsItsKey(t *testing.T) {
	network := &losing{next: answering{}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/v1/charges", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Idempotency-Key", "order-1")
	response, err := dropKey(network).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if network.keys[0] != "-" || request.Header.Get("Idempotency-Key") != "order-1" {
		t.Errorf("on the wire %q, in the caller's hands %q", network.keys[0], request.Header.Get("Idempotency-Key"))
	}
}

// answering is a server that says nothing but 200.
type answering struct{}

func (answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

func TestThePanelIsToldOfNoKey(t *testing.T) {
	s := (&system{t: t}).start(noKey())
	s.want(http.StatusCreated, ask{})
	eventually(t, "the response is told", func() bool { return count(s.of("t"), control.KindResponse) == 1 })
	events := s.of("t")
	for _, e := range events {
		if e.Key != "" || e.Fence != 0 || e.LeaseMS != 0 {
			t.Errorf("an event tells of a claim: %+v", e)
		}
		if e.Kind == control.KindDecision && e.Reason != "no key" {
			t.Errorf("decision for the reason %q", e.Reason)
		}
	}
	if n := count(events, control.KindDecision); n != 1 {
		t.Errorf("%d decisions, want 1", n)
	}
}

func count(events []control.Event, kind control.Kind) (n int) {
	for _, e := range events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}
