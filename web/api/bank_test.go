package api

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// bank is a card provider whose behaviour a test scripts request by request.
// It keeps its own book, as a real one does: a key is captured once.
type bank struct {
	url string

	mu     sync.Mutex // guards what follows
	script []move
	book   map[string]operation
	seen   []seenCall
	holds  []chan struct{}
}

// seenCall is a request as the bank saw it.
type seenCall struct {
	method, key string
	header      http.Header
	body        string
}

// move is what the bank does with one capture; the zero value captures.
type move struct {
	status  int           // answers this instead, without capturing
	body    string        // instead of the right one
	silent  bool          // captures, then closes the connection without an answer
	decline string        // declines with this code
	hold    chan struct{} // waits here before anything else
	arrived chan struct{} // closed when the request has arrived
	after   bool          // captures first, then answers with status
	pause   string        // Retry-After
}

func newBank(t *testing.T) *bank {
	b := &bank{book: map[string]operation{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /captures", b.operate)
	mux.HandleFunc("POST /refunds", b.operate)
	mux.HandleFunc("GET /operations", b.lookup)
	server := httptest.NewServer(mux)
	b.url = server.URL
	t.Cleanup(server.Close)
	return b
}

// next scripts the following captures, one move each.
func (b *bank) next(moves ...move) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.script = append(b.script, moves...)
}

// hold scripts one capture that waits: arrived tells that it is there.
func (b *bank) hold() (arrived <-chan struct{}, release func()) {
	m := move{hold: make(chan struct{}), arrived: make(chan struct{})}
	b.mu.Lock()
	b.holds = append(b.holds, m.hold)
	b.mu.Unlock()
	b.next(m)
	return m.arrived, sync.OnceFunc(func() { b.let(m.hold) })
}

func (b *bank) let(hold chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, held := range b.holds {
		if held == hold {
			b.holds = append(b.holds[:i], b.holds[i+1:]...)
			close(hold)
			return
		}
	}
}

func (b *bank) releaseAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, hold := range b.holds {
		close(hold)
	}
	b.holds = nil
}

// operate captures or refunds, as the script wants it.
func (b *bank) operate(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := b.arrive(r, string(body))
	if m.arrived != nil {
		close(m.arrived)
	}
	if m.hold != nil {
		<-m.hold
	}
	if m.status != 0 && !m.after {
		if m.pause != "" {
			w.Header().Set("Retry-After", m.pause)
		}
		http.Error(w, m.body, m.status)
		return
	}
	said := b.decide(r.Header.Get("Idempotency-Key"), body, m.decline)
	switch {
	case m.silent:
		panic(http.ErrAbortHandler)
	case m.after:
		http.Error(w, m.body, m.status)
	case m.body != "":
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, m.body)
	case said.Status == operationDeclined:
		w.WriteHeader(http.StatusPaymentRequired)
		_ = json.NewEncoder(w).Encode(said)
	default:
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(said)
	}
}

func (b *bank) arrive(r *http.Request, body string) (m move) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = append(b.seen, seenCall{r.Method, r.Header.Get("Idempotency-Key"), r.Header.Clone(), body})
	if len(b.script) > 0 {
		m, b.script = b.script[0], b.script[1:]
	}
	return m
}

func (b *bank) decide(key string, body []byte, decline string) operation {
	b.mu.Lock()
	defer b.mu.Unlock()
	if said, known := b.book[key]; known {
		return said
	}
	var said operation // what was ordered has the names of what it becomes
	_ = json.Unmarshal(body, &said)
	said.ID, said.Status = "op_"+key, operationCaptured
	if said.Capture != "" {
		said.Status = operationRefunded
	}
	if decline != "" {
		said.Status, said.DeclineCode = operationDeclined, decline
	}
	b.book[key] = said
	return said
}

func (b *bank) lookup(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	b.mu.Lock()
	b.seen = append(b.seen, seenCall{r.Method, key, r.Header.Clone(), ""})
	said, known := b.book[key]
	b.mu.Unlock()
	if !known {
		http.Error(w, `{"code":"operation_unknown"}`, http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(said)
}

// captures gives, by reference, the keys under which money was taken.
func (b *bank) captures() map[string][]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := map[string][]string{}
	for key, said := range b.book {
		if said.Status == operationCaptured {
			all[said.Reference] = append(all[said.Reference], key)
		}
	}
	return all
}

// calls are the requests so far; with a method, only those.
func (b *bank) calls(method string) []seenCall {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []seenCall
	for _, call := range b.seen {
		if method == "" || call.method == method {
			all = append(all, call)
		}
	}
	return all
}

// taken sums up what was captured for an owner in a currency.
func (b *bank) taken(owner, currency string) (sum int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, said := range b.book {
		if said.Status == operationCaptured && said.Currency == currency && strings.HasPrefix(said.Reference, owner+"/") {
			sum += said.Amount
		}
	}
	return sum
}

// givenBack sums up what was refunded of a capture.
func (b *bank) givenBack(capture string) (sum int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, said := range b.book {
		if said.Status == operationRefunded && said.Capture == capture {
			sum += said.Amount
		}
	}
	return sum
}
