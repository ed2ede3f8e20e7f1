package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/web/control"
)

// patience bounds every wait for a condition: generous, since the machine may
// be busy; a test that needs it all has failed.
const patience = 20 * time.Second

// bench is the real handler over a real ledger on Badger in memory, with a
// scripted card provider behind real HTTP.
type bench struct {
	t      *testing.T
	url    string
	store  ledger.Store
	ledger *ledger.Ledger
	bank   *bank
	logs   *lockedBuffer

	mu     sync.Mutex // guards what follows
	events []control.Event
	offset time.Duration
}

type benchOptions struct {
	busyWait time.Duration // 0: long enough never to end in a test
	lease    time.Duration
	attempts int // at the provider; 0: 1
	timeout  time.Duration
	gate     Gate
	inFlight int
	render   func(ledger.Charge) idem.Answer
}

func newBench(t *testing.T, o benchOptions) *bench {
	t.Helper()
	b := &bench{t: t, bank: newBank(t), logs: &lockedBuffer{}}
	before := runtime.NumGoroutine()
	store, err := ledger.OpenBadger(badgerdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	b.store = store
	cards, err := NewProvider(ProviderOptions{
		URL: b.bank.url, Timeout: orElse(o.timeout, patience), Attempts: orElse(o.attempts, 1), Trace: b.trace,
		Transport: &http.Transport{DisableKeepAlives: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	hooks := Hooks(b.trace)
	if o.gate != nil {
		hooks.At = o.gate
	}
	terms := idem.Terms{Lease: orElse(o.lease, 10*time.Minute)}
	render := RenderCharge
	if o.render != nil {
		render = o.render
	}
	b.ledger, err = ledger.New(ledger.Options{
		Store: store, Provider: cards, Terms: terms, BusyWait: orElse(o.busyWait, patience),
		ProviderSpan: orElse(o.lease/2, 2*patience), Render: render, RenderRefund: RenderRefund, RenderIntent: RenderIntent, RenderUnconfirmed: RenderUnconfirmed, RenderCart: RenderCart, RenderEndpoint: RenderEndpoint, RenderChange: RenderChange, RenderRemoval: RenderRemoval, Announce: Announce, Offset: b.clock, Hooks: hooks,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(New(Options{
		Charger: b.ledger, Payments: b.ledger, Carts: b.ledger, Endpoints: b.ledger, Store: store, Terms: terms, Offset: b.clock, Trace: b.trace, Gate: o.gate,
		Log: slog.New(slog.NewTextHandler(b.logs, nil)), MaxInFlight: o.inFlight, Inspect: true,
	}))
	b.url = server.URL
	t.Cleanup(func() { b.close(server, before) })
	return b
}

// close ends everything and checks what must hold after every test: balanced
// books, at most one capture for a charge, and nothing left running.
func (b *bench) close(server *httptest.Server, before int) {
	b.bank.releaseAll()
	server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := b.ledger.Close(ctx); err != nil {
		b.t.Errorf("close the ledger: %v", err)
	}
	b.checkBooks()
	if err := b.store.Close(); err != nil {
		b.t.Errorf("close the store: %v", err)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	eventually(b.t, "goroutines back to the baseline", func() bool { return runtime.NumGoroutine() <= before })
}

func (b *bench) checkBooks() {
	b.t.Helper()
	sums := map[string]int64{}
	if err := b.store.View(context.Background(), func(books ledger.Reader) error {
		balances, err := books.Balances()
		for _, account := range balances {
			for currency, sum := range account {
				sums[currency] += sum
			}
		}
		return err
	}); err != nil {
		b.t.Errorf("read the books: %v", err)
	}
	for currency, sum := range sums {
		if sum != 0 {
			b.t.Errorf("the books are off by %d %s", sum, currency)
		}
	}
	for reference, keys := range b.bank.captures() {
		if len(keys) > 1 {
			b.t.Errorf("%s was captured under %d keys", reference, len(keys))
		}
	}
}

func (b *bench) trace(event control.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, event)
}

func (b *bench) told() []control.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]control.Event(nil), b.events...)
}

func (b *bench) clock() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.offset
}

func (b *bench) advance(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.offset += d
}

// saw counts decisions of an outcome.
func (b *bench) saw(outcome control.Outcome) int {
	n := 0
	for _, event := range b.told() {
		if event.Outcome == outcome {
			n++
		}
	}
	return n
}

// answer is a response that has been read.
type answer struct {
	status int
	header http.Header
	body   string
}

// doc decodes the error document.
func (a answer) doc(t *testing.T) document {
	t.Helper()
	var doc document
	if err := json.Unmarshal([]byte(a.body), &doc); err != nil {
		t.Fatalf("not an error document: %v\n%s", err, a.body)
	}
	return doc
}

func (a answer) charge(t *testing.T) chargeObject {
	t.Helper()
	var object chargeObject
	if err := json.Unmarshal([]byte(a.body), &object); err != nil || object.ID == "" {
		t.Fatalf("%d is not a charge: %v\n%s", a.status, err, a.body)
	}
	return object
}

// ask is one request; its zero value is a good charge of €50.00.
type ask struct {
	method, path string
	owner        string // "-": no credential
	key          string // "-": no key
	form         url.Values
	json         string
	header       map[string]string
	body         io.Reader // instead of form and json
	ctx          context.Context
}

func goodForm() url.Values {
	return url.Values{"amount": {"5000"}, "currency": {"eur"}, "source": {"tok_visa"}}
}

func (a ask) request(base string) (*http.Request, error) {
	method, path := orElse(a.method, http.MethodPost), orElse(a.path, pathCharges)
	body, kind := a.body, typeForm
	switch {
	case body != nil:
	case a.json != "":
		body, kind = strings.NewReader(a.json), typeJSON
	case method == http.MethodPost || method == http.MethodPut:
		form := a.form
		if form == nil {
			form = goodForm()
		}
		body = strings.NewReader(form.Encode())
	}
	ctx := a.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	request, err := http.NewRequestWithContext(ctx, method, base+path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", kind)
	}
	if a.owner != "-" {
		request.Header.Set("Authorization", "Bearer sk_test_"+orElse(a.owner, "shop"))
	}
	if a.key != "-" && method == http.MethodPost {
		request.Header.Set("Idempotency-Key", orElse(a.key, "key-1"))
	}
	for name, value := range a.header {
		request.Header.Set(name, value)
	}
	request.GetBody = nil // what the test sends must cross the wire once
	return request, nil
}

// try sends a request and reads the whole answer.
func (b *bench) try(a ask) (answer, error) {
	request, err := a.request(b.url)
	if err != nil {
		return answer{}, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(body)}, err
}

func (b *bench) send(a ask) answer {
	b.t.Helper()
	got, err := b.try(a)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// want sends a request and checks its status.
func (b *bench) want(status int, a ask) answer {
	b.t.Helper()
	got := b.send(a)
	if got.status != status {
		b.t.Fatalf("want %d, got %d: %s", status, got.status, got.body)
	}
	return got
}

// refused sends a request and checks the refusal's status and code, and the
// error document that every refusal must be.
func (b *bench) refused(status int, code Code, a ask) document {
	b.t.Helper()
	got := b.want(status, a)
	checkDocument(b.t, got)
	doc := got.doc(b.t)
	if doc.Error.Code != code {
		b.t.Fatalf("want %s, got %s: %s", code, doc.Error.Code, got.body)
	}
	return doc
}

// checkDocument holds for every answer from 400 on.
func checkDocument(t *testing.T, got answer) {
	t.Helper()
	doc := got.doc(t)
	switch {
	case got.header.Get("Content-Type") != typeProblem:
		t.Errorf("content type %q", got.header.Get("Content-Type"))
	case doc.Status != got.status || doc.Title == "" || doc.Detail == "" || doc.Type != "/help/errors#"+string(doc.Error.Code):
		t.Errorf("not a whole RFC 9457 document: %s", got.body)
	case doc.Error.Type == "" || doc.Error.Code == "" || doc.Error.Message == "":
		t.Errorf("no whole error object: %s", got.body)
	case !strings.HasPrefix(got.header.Get("Request-Id"), "req_"):
		t.Errorf("Request-Id %q", got.header.Get("Request-Id"))
	}
	passing := got.status == 429 || got.status >= 502 || doc.Error.Code == CodeKeyInUse
	if want := fmt.Sprint(passing); got.header.Get("Stripe-Should-Retry") != want {
		t.Errorf("%d %s: Stripe-Should-Retry %q, want %s", got.status, doc.Error.Code, got.header.Get("Stripe-Should-Retry"), want)
	}
}

func orElse[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

// eventually polls for a condition; it never waits for time to pass.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Errorf("never came true: %s", what)
}

// lockedBuffer is a log that may be written and read at the same time.
type lockedBuffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
