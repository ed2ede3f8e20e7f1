package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/web/control"
)

// attemptTimeout is that of the deliverers under test, in virtual time.
const attemptTimeout = 5 * time.Second

// sent is one attempt as the consumer saw it.
type sent struct {
	id, body string
	path     string
	header   http.Header
	at       time.Time
}

// consumer is the other end of the wire, without a wire: bubbles of virtual
// time do not reach through sockets.
type consumer struct {
	// answer says what becomes of the nth attempt at an event: a status, or an
	// error in place of an answer.
	answer func(ctx context.Context, id string, n int) (status int, err error)
	path   func(path string) (status int) // by where it was sent

	mu       sync.Mutex // guards what follows
	seen     []sent
	attempts map[string]int
	now, top int // attempts at one time
}

// RoundTrip implements [http.RoundTripper].
func (c *consumer) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	id := r.Header.Get("Webhook-Id")
	c.mu.Lock()
	if c.attempts == nil {
		c.attempts = make(map[string]int)
	}
	c.attempts[id]++
	n := c.attempts[id]
	c.seen = append(c.seen, sent{id, string(body), r.URL.Path, r.Header.Clone(), time.Now()})
	c.now++
	c.top = max(c.top, c.now)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now--
	}()
	status := http.StatusOK
	if c.path != nil {
		status = c.path(r.URL.Path)
	}
	if c.answer != nil {
		if status, err = c.answer(r.Context(), id, n); err != nil {
			return nil, err
		}
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Location": {"http://elsewhere/"}},
		Body: io.NopCloser(strings.NewReader("x")), Request: r,
	}, nil
}

func (c *consumer) got() []sent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]sent(nil), c.seen...)
}

// most is how many attempts there were at one time.
func (c *consumer) most() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.top
}

// hang is a consumer that takes a request and says nothing.
func hang(ctx context.Context) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

// outbox is a deliverer with its store, in a bubble.
type outbox struct {
	*deliverer
	*consumer
	t     *testing.T
	store *watchedStore
	logs  *lockedBuffer

	mu     sync.Mutex // guards what follows
	told   []control.Event
	passed []string
}

// watchedStore counts looks, and fails writes on demand.
type watchedStore struct {
	ledger.Store
	looks   atomic.Int32
	failing atomic.Bool
}

func (s *watchedStore) View(ctx context.Context, fn func(ledger.Reader) error) error {
	s.looks.Add(1)
	return s.Store.View(ctx, fn)
}

func (s *watchedStore) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	if s.failing.Load() {
		return ledger.ErrDiskFull
	}
	return s.Store.Update(ctx, fn)
}

// inOutbox runs a test on an outbox in virtual time. Afterwards nothing is left
// running, or the bubble would not end.
func inOutbox(t *testing.T, test func(t *testing.T, o *outbox)) {
	synctest.Test(t, func(t *testing.T) {
		store, err := ledger.OpenBadger(badgerdb.Options{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		o := &outbox{t: t, consumer: &consumer{}, store: &watchedStore{Store: store}, logs: &lockedBuffer{}}
		test(t, o)
		if o.deliverer != nil {
			o.close()
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// open starts a deliverer, like a process on this store would; change makes it
// another process.
func (o *outbox) open(change ...func(*webhookOptions)) {
	o.t.Helper()
	sign, err := newSigner(testSecret)
	if err != nil {
		o.t.Fatal(err)
	}
	options := webhookOptions{
		Store: o.store, URL: "http://shop/webhooks", Sign: sign, Timeout: attemptTimeout,
		Pass: o.pass, Log: slog.New(slog.NewTextHandler(o.logs, nil)), Trace: o.trace,
		Transport: o.consumer, Random: func() float64 { return 0.5 },
	}
	for _, c := range change {
		c(&options)
	}
	o.deliverer = startDeliverer(options)
}

func (o *outbox) pass(point string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.passed = append(o.passed, point)
}

func (o *outbox) trace(event control.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = append(o.told, event)
}

func (o *outbox) events() []control.Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]control.Event(nil), o.told...)
}

// put commits events "evt_N" about objects, numbered from the first.
func (o *outbox) put(first int, objects ...string) {
	o.t.Helper()
	err := o.store.Store.Update(context.Background(), func(tx ledger.Tx) error {
		for i, object := range objects {
			n := first + i
			err := tx.PutEvent(ledger.Event{
				ID: fmt.Sprint("evt_", n), Owner: "shop", Type: ledger.ChargeSucceeded, Object: object, Key: "k", Trace: "tr-1",
				Created: time.Now(), Body: fmt.Appendf(nil, `{"n": %d}`, n), Pending: true,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		o.t.Fatal(err)
	}
	o.wake()
}

// pending is how many events are still to be delivered.
func (o *outbox) pending() (n int) {
	o.t.Helper()
	err := o.store.Store.View(context.Background(), func(r ledger.Reader) error {
		queue, err := r.Pending(0, 2*maxQueued)
		n = len(queue)
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return n
}

// ids lists the events of the attempts, in their order.
func ids(seen []sent) string {
	var all []string
	for _, one := range seen {
		all = append(all, strings.TrimPrefix(one.id, "evt_"))
	}
	return strings.Join(all, " ")
}

var errReset = errors.New("connection reset by peer")

// signed checks both signatures of an attempt, independently of [signer.sign].
func (s sent) signed(t *testing.T) {
	t.Helper()
	sign, err := newSigner(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	fresh := http.Header{}
	sign.sign(fresh, s.id, s.at, []byte(s.body))
	for name := range fresh {
		if s.header.Get(name) != fresh.Get(name) {
			t.Errorf("%s is %q, want %q", name, s.header.Get(name), fresh.Get(name))
		}
	}
	if !bytes.Contains([]byte(s.header.Get("Stripe-Signature")), fmt.Appendf(nil, "t=%d,", s.at.Unix())) {
		t.Errorf("signed for another time: %s", s.header.Get("Stripe-Signature"))
	}
}
