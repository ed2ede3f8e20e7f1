package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chargeonce/ledger/badgerdb"
)

// memory opens a book that the test throws away.
func memory(t testing.TB) *badgerdb.DB {
	t.Helper()
	db, err := badgerdb.Open(badgerdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// start makes a provider, and when the test ends closes it and checks its
// book.
func start(t testing.TB, opts Options) *Provider {
	t.Helper()
	if opts.DB == nil {
		opts.DB = memory(t)
	}
	p, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		checkBook(t, p)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// checkBook proves what must hold of any book: one line a key, refunds within
// their capture, and sums that agree with the lines.
func checkBook(t testing.TB, p *Provider) {
	t.Helper()
	lines := book(t, p, "")
	sums, keys, refunds := map[string]int64{}, map[string]bool{}, map[string]int64{}
	for _, line := range lines {
		if keys[line.Key] {
			t.Errorf("key %s has two lines", line.Key)
		}
		keys[line.Key] = true
		switch line.Status {
		case StatusCaptured:
			sums[owner(line.Reference)+line.Currency] += line.Amount
		case StatusRefunded:
			sums[owner(line.Reference)+line.Currency] -= line.Amount
			refunds[line.Capture] += line.Amount
		}
	}
	for _, line := range lines {
		if line.Status == StatusCaptured && (refunds[line.ID] > line.Amount || refunds[line.ID] != line.Refunded) {
			t.Errorf("capture of %d says %d refunded, its refunds sum to %d", line.Amount, line.Refunded, refunds[line.ID])
		}
	}
	captured, _, err := p.Totals()
	if err != nil {
		t.Fatal(err)
	}
	for name, byCurrency := range captured {
		for currency, sum := range byCurrency {
			if sum != sums[name+currency] {
				t.Errorf("%s: sum of %s is %d, its lines make %d", name, currency, sum, sums[name+currency])
			}
		}
	}
}

func book(t testing.TB, p *Provider, owner string) []Operation {
	t.Helper()
	lines, err := p.Book(owner)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// reply is an answer, or, with aborted, the connection closed without one.
type reply struct {
	status  int
	body    string
	header  http.Header
	aborted bool
}

func (r reply) document(t fataler) (doc document) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), &doc); err != nil {
		t.Fatalf("answer %q: %v", r.body, err)
	}
	return doc
}

func (r reply) problem(t testing.TB) (why problem) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), &why); err != nil {
		t.Fatalf("answer %q: %v", r.body, err)
	}
	return why
}

func (r reply) replayed() bool { return r.header.Get("Idempotent-Replayed") == "true" }

// serve calls the handler in this goroutine, as a server would.
func serve(p *Provider, r *http.Request) (answer reply) {
	w := httptest.NewRecorder()
	defer func() {
		if why := recover(); why != nil && why != http.ErrAbortHandler {
			panic(why)
		} else if why != nil {
			answer = reply{aborted: true}
		}
	}()
	p.Handler().ServeHTTP(w, r)
	return reply{status: w.Code, body: w.Body.String(), header: w.Header()}
}

func request(path, key, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Idempotency-Key", key)
	return r
}

func post(p *Provider, path, key, body string) reply { return serve(p, request(path, key, body)) }

func get(p *Provider, key string) reply {
	return serve(p, httptest.NewRequest(http.MethodGet, "/operations?key="+key, http.NoBody))
}

// order50 is a purchase of 50.00 in euro.
func order50(card string) string { return orderOf(5000, "eur", card, "shop/ch_1") }

func orderOf(amount int64, currency, card, reference string) string {
	return fmt.Sprintf(`{"amount":%d,"currency":%q,"card":%q,"reference":%q}`, amount, currency, card, reference)
}

func refundOf(capture string, amount int64) string {
	return fmt.Sprintf(`{"capture":%q,"amount":%d}`, capture, amount)
}

// send posts over the wire.
func send(client *http.Client, url, key, body string) (reply, error) {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	r.Header.Set("Idempotency-Key", key)
	answer, err := client.Do(r)
	if err != nil {
		return reply{}, err
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	return reply{status: answer.StatusCode, body: string(text), header: answer.Header}, err
}

// fataler is what *testing.T and *rapid.T have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}
