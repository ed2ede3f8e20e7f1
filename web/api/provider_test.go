package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/web/control"
)

var order = ledger.Capture{Amount: 5000, Currency: "eur", Card: "tok_visa", Reference: "shop/ch_1"}

// teller is a client against a handler of the test's own.
func teller(t *testing.T, o ProviderOptions, handler http.HandlerFunc) ledger.Provider {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	o.URL = server.URL
	o.Transport = &http.Transport{DisableKeepAlives: true}
	if o.Timeout == 0 {
		o.Timeout = patience
	}
	if o.Attempts == 0 {
		o.Attempts = 1
	}
	cards, err := NewProvider(o)
	if err != nil {
		t.Fatal(err)
	}
	return cards
}

// says answers every request the same.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

const (
	capturedBody = `{"id":"op_1","status":"captured","amount":5000,"currency":"eur","reference":"shop/ch_1"}`
	declinedBody = `{"id":"op_1","status":"declined","decline_code":"lost_card","amount":5000,"currency":"eur","reference":"shop/ch_1"}`
)

func TestOnlyCapturedAndDeclinedAreFinal(t *testing.T) {
	captured := ledger.Captured{ID: "op_1"}
	declined := ledger.Captured{Declined: true, DeclineCode: "lost_card"}
	for _, c := range []struct {
		what   string
		status int
		body   string
		want   ledger.Captured
		is     error
	}{
		{"captured", 201, capturedBody, captured, nil},
		{"declined", 402, declinedBody, declined, nil},
		{"a 200", 200, capturedBody, ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"a 201 that says declined", 201, declinedBody, ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"a 402 that says captured", 402, capturedBody, ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"no JSON", 201, "<html>", ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"nothing", 201, "", ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"no id", 201, strings.Replace(capturedBody, "op_1", "", 1), ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"another amount", 201, strings.Replace(capturedBody, "5000", "50", 1), ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"another currency", 201, strings.Replace(capturedBody, "eur", "usd", 1), ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"another charge", 201, strings.Replace(capturedBody, "ch_1", "ch_2", 1), ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"a redirect", 302, "", ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"408", 408, "", ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"409 in progress", 409, `{"code":"idempotency_key_in_use"}`, ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"409 without a word", 409, "", ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"409 key mismatch", 409, `{"code":"idempotency_key_reused"}`, ledger.Captured{}, ledger.ErrProviderRefused},
		{"400", 400, "", ledger.Captured{}, ledger.ErrProviderRefused},
		{"401", 401, "", ledger.Captured{}, ledger.ErrProviderRefused},
		{"404", 404, "", ledger.Captured{}, ledger.ErrProviderRefused},
		{"422", 422, "", ledger.Captured{}, ledger.ErrProviderRefused},
		{"429", 429, "", ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"500", 500, "", ledger.Captured{}, ledger.ErrOutcomeUnknown},
		{"503", 503, "", ledger.Captured{}, ledger.ErrOutcomeUnknown},
	} {
		got, err := teller(t, ProviderOptions{}, says(c.status, c.body)).Capture(t.Context(), "cap_ch_1", order)
		if got != c.want || c.is == nil && err != nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %+v, %v", c.what, got, err)
		}
		if errors.Is(err, ledger.ErrOutcomeUnknown) && errors.Is(err, ledger.ErrProviderRefused) {
			t.Errorf("%s: both unknown and refused", c.what)
		}
	}
}

func TestALookUpFindsWhatWasDecidedAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		what   string
		status int
		body   string
		found  bool
		is     error
	}{
		{"captured", 200, capturedBody, true, nil},
		{"declined", 200, declinedBody, true, nil},
		{"never heard of", 404, `{"code":"operation_unknown"}`, false, nil},
		{"undecided", 200, `{"id":"op_1","status":"pending"}`, false, ledger.ErrOutcomeUnknown},
		{"nonsense", 200, "[]", false, ledger.ErrOutcomeUnknown},
		{"503", 503, "", false, ledger.ErrOutcomeUnknown},
		{"429", 429, "", false, ledger.ErrOutcomeUnknown},
		{"400", 400, "", false, ledger.ErrProviderRefused},
	} {
		_, found, err := teller(t, ProviderOptions{}, says(c.status, c.body)).Lookup(t.Context(), "cap_ch_1")
		if found != c.found || c.is == nil && err != nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: found %v, %v", c.what, found, err)
		}
	}
}

func TestEveryAttemptSendsTheSameKeyAndBytes(t *testing.T) { // P01, E10, E16
	var mu sync.Mutex
	var seen []seenCall
	var told []control.Event
	cards := teller(t, ProviderOptions{Attempts: 3, Trace: func(e control.Event) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, e)
	}}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, seenCall{r.Method, r.Header.Get("Idempotency-Key"), r.Header.Clone(), string(body)})
		if len(seen) < 3 {
			http.Error(w, "", http.StatusServiceUnavailable)
			return
		}
		says(http.StatusCreated, capturedBody)(w, r)
	})
	ctx := withCall(t.Context(), &call{owner: "shop", key: idem.Key{Owner: "shop", Value: "k"}, trace: "tr_9"})
	if got, err := cards.Capture(ctx, "cap_ch_1", order); err != nil || got.ID != "op_1" {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(seen) != 3 {
		t.Fatalf("%d attempts", len(seen))
	}
	for i, one := range seen {
		if one.key != "cap_ch_1" || one.body != seen[0].body || one.header.Get("Chargeonce-Trace") != "tr_9" {
			t.Errorf("attempt %d: key %q, trace %q, body %s", i+1, one.key, one.header.Get("Chargeonce-Trace"), one.body)
		}
		if want := string(rune('1'+i)) + "/3"; one.header.Get("Chargeonce-Attempt") != want {
			t.Errorf("attempt %d is labelled %q", i+1, one.header.Get("Chargeonce-Attempt"))
		}
	}
	var sent map[string]any
	if err := json.Unmarshal([]byte(seen[0].body), &sent); err != nil || sent["amount"] != 5000.0 || sent["reference"] != "shop/ch_1" || len(sent) != 4 {
		t.Errorf("the body is %s", seen[0].body)
	}
	waits := 0
	for _, event := range told {
		if event.Kind == control.KindWait && event.Ms >= 0 && event.Key == "k" && event.Trace == "tr_9" {
			waits++
		}
	}
	if waits != 2 {
		t.Errorf("%d waits were told: %+v", waits, told)
	}
}

func TestASilentProviderIsAnUnknownOutcome(t *testing.T) {
	hold := make(chan struct{})
	cards := teller(t, ProviderOptions{Attempts: 2, Timeout: 30 * time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-hold
	})
	defer close(hold)
	_, err := cards.Capture(t.Context(), "cap_ch_1", order)
	if !errors.Is(err, ledger.ErrOutcomeUnknown) || reasonOf(err) != "it did not answer in time" {
		t.Errorf("%v (%s)", err, reasonOf(err))
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	nobody, err := NewProvider(ProviderOptions{URL: gone.URL, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nobody.Capture(t.Context(), "cap_ch_1", order); !errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Errorf("nobody there: %v", err)
	}
}

func TestALongPauseIsAnUnknownOutcomeAndNotASleep(t *testing.T) {
	cards := teller(t, ProviderOptions{Attempts: 3}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	_, err := cards.Capture(t.Context(), "cap_ch_1", order)
	if !errors.Is(err, ledger.ErrOutcomeUnknown) || !strings.Contains(reasonOf(err), "longer pause") {
		t.Errorf("%v (%s)", err, reasonOf(err))
	}
}

// TestAnAttemptThatLostItsClaimSendsNothingMore runs a real ledger whose
// heartbeat is frozen: the first attempt's lease ends while the provider is
// silent, so its second attempt at the provider must not happen.
func TestAnAttemptThatLostItsClaimSendsNothingMore(t *testing.T) {
	var requests atomic.Int32
	leaseOver := make(chan struct{})
	cards := teller(t, ProviderOptions{Attempts: 2}, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 {
			<-leaseOver
			http.Error(w, "", http.StatusServiceUnavailable)
			return
		}
		if r.Method == http.MethodGet {
			http.Error(w, "", http.StatusNotFound)
			return
		}
		var sent captureBody
		_ = json.NewDecoder(r.Body).Decode(&sent)
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(mustJSON(operation{ID: "op", Status: operationCaptured, Amount: sent.Amount, Currency: sent.Currency, Reference: sent.Reference}))
	})
	var clock atomic.Int64
	store, err := ledger.OpenBadger(badgerdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	began := time.Now()
	var frozen atomic.Bool
	frozen.Store(true)
	books, err := ledger.New(ledger.Options{
		Store: store, Provider: cards, Render: RenderCharge, ProviderSpan: time.Minute, Terms: idem.Terms{Lease: time.Hour},
		Now: func() time.Time { return began.Add(time.Duration(clock.Load())) },
		Hooks: ledger.Hooks{
			Beat: func(context.Context, ledger.Work) bool { return !frozen.Load() },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for requests.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		clock.Store(int64(2 * time.Hour)) // the lease is over
		close(leaseOver)
	}()
	request := ledger.ChargeRequest{
		Key: idem.Key{Owner: "shop", Value: "k"}, Fingerprint: idem.NewFingerprint("POST", "/", nil, nil), Operation: "POST /v1/charges",
		Amount: 5000, Currency: "eur", Card: "tok_visa",
	}
	result, err := books.Charge(t.Context(), request)
	if err != nil || result.Record.Answer.Status != http.StatusCreated {
		t.Errorf("%+v, %v", result, err)
	}
	// 1: the silent capture; 2: the look-up of the resumed attempt; 3: its capture.
	if got := requests.Load(); got != 3 {
		t.Errorf("%d requests reached the provider, want 3", got)
	}
}

func TestAProvidersURLMustBeAbsolute(t *testing.T) {
	for _, text := range []string{"", "127.0.0.1:80", "ftp://x", "http://", "http://x?a=1", "sim2", "http://[::1"} {
		if _, err := NewProvider(ProviderOptions{URL: text}); !errors.Is(err, ErrUsage) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheDefaultPolicyStaysBelowTheDefaultLease(t *testing.T) {
	for _, o := range []ProviderOptions{{}, {Timeout: 500 * time.Millisecond, Attempts: 2}, {Timeout: 500 * time.Millisecond}} {
		lease := idem.DefaultLease
		if o.Timeout != 0 {
			lease = 3 * time.Second // a rig's
		}
		if span := o.Policy().Span() + spanSlack; span >= lease {
			t.Errorf("%+v: a call takes up to %v, the lease is %v", o, span, lease)
		}
	}
}
