package naive

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/web/api"
	"chargeonce/web/control"
	"chargeonce/web/provider"
)

// patience bounds every wait for a condition. Where the code is right it is
// never waited out.
const patience = 20 * time.Second

// system is one side with a mistake, or with none: the real API over the real
// ledger and the real card provider, as package web wires them.
type system struct {
	t     *testing.T
	url   string
	store ledger.Store       // as opened, undecorated
	book  *provider.Provider // the card provider's own book

	hold   api.Gate             // called at each announced point; nil: nobody is held
	listen func(control.Event)  // called for each event; nil: nobody listens
	offset func() time.Duration // of the retention clock; nil: none
	cards  http.RoundTripper    // to the card provider, who is then asked up to twice; nil: a wire that loses nothing

	mu     sync.Mutex // guards what follows
	events []control.Event
	points map[string][]string // announced, by trace
}

func (s *system) start(m Mistake) *system {
	s.t.Helper()
	s.points = map[string][]string{}
	s.store = openStore(s.t)
	cards := s.openProvider(m)
	s.url = s.serve(m, s.store, cards)
	return s
}

func openStore(t *testing.T) ledger.Store {
	t.Helper()
	store, err := ledger.OpenBadger(badgerdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, store.Close) })
	return store
}

func (s *system) openProvider(m Mistake) ledger.Provider {
	s.t.Helper()
	db, err := badgerdb.Open(badgerdb.Options{InMemory: true})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { closed(s.t, db.Close) })
	if s.book, err = provider.New(provider.Options{DB: db}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { closed(s.t, s.book.Close) })
	server := httptest.NewServer(s.book.Handler())
	s.t.Cleanup(server.Close)
	options := api.ProviderOptions{
		URL: server.URL, Timeout: patience, Attempts: 1, Trace: s.trace, Transport: fresh(), Wire: m.ProviderWire,
	}
	if m.Trace != nil {
		options.Trace = m.Trace(options.Trace)
	}
	if s.cards != nil {
		options.Transport, options.Attempts = s.cards, 2
	}
	cards, err := api.NewProvider(options)
	if err != nil {
		s.t.Fatal(err)
	}
	return cards
}

// serve builds the payments API around a mistake. It may be called again with
// the same store: the process after a restart.
func (s *system) serve(m Mistake, store ledger.Store, cards ledger.Provider) (url string) {
	s.t.Helper()
	trace, gate := api.Tracer(s.trace), api.Gate(s.gate)
	if m.Trace != nil {
		trace = m.Trace(trace)
	}
	if m.Gate != nil {
		gate = m.Gate(gate)
	}
	if m.Store != nil {
		store = m.Store(store)
	}
	terms := idem.Terms{Lease: 4 * patience}
	hooks := api.Hooks(trace)
	hooks.At = gate
	charges, err := ledger.New(ledger.Options{
		Store: store, Provider: cards, Terms: terms, BusyWait: patience, ProviderSpan: 2 * patience,
		Render: api.RenderCharge, Offset: s.offset, Hooks: hooks,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	options := api.Options{Charger: charges, Store: store, Terms: terms, Offset: s.offset, Trace: trace, Gate: gate}
	if m.Charger != nil {
		options.Charger = m.Charger(options)
	}
	handler := api.New(options)
	if m.Handler != nil {
		handler = m.Handler(handler)
	}
	server := httptest.NewServer(handler)
	s.t.Cleanup(func() {
		server.Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		closed(s.t, func() error { return charges.Close(ctx) })
	})
	return server.URL
}

func closed(t *testing.T, closing func() error) {
	t.Helper()
	if err := closing(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// fresh makes a connection for each request, so that no library below sends
// one again.
func fresh() *http.Transport { return &http.Transport{DisableKeepAlives: true} }

func (s *system) trace(e control.Event) {
	s.mu.Lock()
	s.events = append(s.events, e)
	s.mu.Unlock()
	if s.listen != nil {
		s.listen(e)
	}
}

func (s *system) gate(ctx context.Context, point string) {
	who := whose(ctx).Trace
	s.mu.Lock()
	s.points[who] = append(s.points[who], point)
	s.mu.Unlock()
	if s.hold != nil {
		s.hold(ctx, point)
	}
}

// whose reads the request of a context as the panel would show it.
func whose(ctx context.Context) (shown control.Event) {
	api.Hooks(func(e control.Event) { shown = e }).Unknown(ctx, ledger.Work{}, nil)
	return shown
}

// of are the events of one request.
func (s *system) of(trace string) (events []control.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if e.Trace == trace {
			events = append(events, e)
		}
	}
	return events
}

func (s *system) passed(trace string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.points[trace], " ")
}

// captures is how often the card provider took money from an owner's card.
func (s *system) captures(owner string) int {
	s.t.Helper()
	_, captures, err := s.book.Totals()
	if err != nil {
		s.t.Fatal(err)
	}
	return captures[owner]
}

// ask is one request for a charge; its zero value is €50.00 of "shop".
type ask struct {
	owner, key, amount, trace string // key "-": none
	ctx                       context.Context
	base                      string // another process
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (s *system) try(a ask) (answer, error) {
	form := url.Values{"amount": {or(a.amount, "5000")}, "currency": {"eur"}, "source": {"tok_visa"}}
	ctx := a.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, or(a.base, s.url)+"/v1/charges", strings.NewReader(form.Encode()))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "Bearer sk_test_"+or(a.owner, "shop"))
	request.Header.Set("Chargeonce-Trace", or(a.trace, "t"))
	if a.key != "-" {
		request.Header.Set("Idempotency-Key", or(a.key, "order-1"))
	}
	response, err := fresh().RoundTrip(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(body)}, err
}

// want sends a request and checks the status of its answer.
func (s *system) want(status int, a ask) answer {
	s.t.Helper()
	got, err := s.try(a)
	if err != nil || got.status != status {
		s.t.Fatalf("want %d, got %d: %v\n%s", status, got.status, err, got.body)
	}
	return got
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// eventually polls for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Fatalf("never came true: %s", what)
}
