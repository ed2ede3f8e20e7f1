package tests

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v82/webhook"

	"chargeonce/ledger/badgerdb"
	"chargeonce/web/shop"
)

// realEvents pays through the binary, gives a part back, and returns the deliveries
// as they came, one for each event.
func realEvents(t *testing.T) (events [][]byte) {
	t.Helper()
	c := newConsumer(t)
	api := start(t, c.flags(t.TempDir())...)
	s := &sender{newStageClient(t, api.URL), "you"}
	charge := s.post("/v1/charges", url.Values{"amount": {"5000"}, "currency": {"eur"}, "source": {"tok_visa"}})
	s.post("/v1/refunds", url.Values{"charge": {charge.ID}, "amount": {"2000"}})
	eventually(t, "three events arrive", func() (bool, any) { return len(c.got()) == 3, len(c.got()) })
	for _, one := range c.got() {
		events = append(events, one.body)
	}
	return events
}

// till is a shop's consumer whose clock a test sets and that can be restarted.
type till struct {
	t    *testing.T
	dir  string
	db   *badgerdb.DB
	shop *shop.Shop

	mu  sync.Mutex // guards now
	now time.Time
}

func newTill(t *testing.T) *till {
	l := &till{t: t, dir: filepath.Join(t.TempDir(), "shop"), now: time.Now()}
	l.open()
	t.Cleanup(l.close)
	return l
}

func (l *till) open() {
	l.t.Helper()
	db, err := badgerdb.Open(badgerdb.Options{Dir: l.dir})
	if err != nil {
		l.t.Fatal(err)
	}
	l.db = db
	l.shop = shop.New(shop.Options{DB: db, API: func() string { return "http://127.0.0.1:9" }, Now: l.time})
}

func (l *till) close() {
	l.shop.Close()
	if err := l.db.Close(); err != nil {
		l.t.Error(err)
	}
}

func (l *till) time() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *till) wait(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// deliver posts an event as its sender would now: signed anew, by Stripe's own
// helper.
func (l *till) deliver(body []byte) int {
	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: hookSecret, Timestamp: l.time()})
	request, err := http.NewRequest(http.MethodPost, "/webhooks", bytes.NewReader(body))
	if err != nil {
		l.t.Error(err)
		return 0
	}
	request.Header.Set("Stripe-Signature", signed.Header)
	answer := newRecorder()
	l.shop.Webhooks(hookSecret).ServeHTTP(answer, request)
	return answer.status
}

// recorder keeps the status alone.
type recorder struct {
	header http.Header
	status int
}

func newRecorder() *recorder { return &recorder{http.Header{}, http.StatusOK} }

func (r *recorder) Header() http.Header            { return r.header }
func (r *recorder) WriteHeader(status int)         { r.status = status }
func (r *recorder) Write(text []byte) (int, error) { return len(text), nil }

// sold insists on what the effects came to: one receipt and one thing less.
func (l *till) sold(when string) {
	l.t.Helper()
	all, err := l.shop.Shelf(l.t.Context())
	if err != nil || all["you"] != (shop.Stock{Receipts: 1, Stock: -1}) {
		l.t.Errorf("%s: %+v, %v", when, all["you"], err)
	}
}

func TestFiftyDeliveriesOfOneRealEventAtOnceHaveOneEffect(t *testing.T) { // Q02
	event, l := paidEvent(t, realEvents(t)), newTill(t)
	barrier := make(chan struct{})
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			<-barrier
			if status := l.deliver(event); status/100 != 2 {
				t.Errorf("answered %d", status)
			}
		})
	}
	close(barrier)
	group.Wait()
	l.sold("after fifty at once")
}

// TestARedeliveryHasNoEffectHoweverLateItComes: what an event has done is
// remembered for as long as the receipts themselves, in the same transaction and
// with no expiry, so that there is no retention for a redelivery to outlive. The
// duplicates are those of the field: 46 over 29 hours; then a year goes by.
func TestARedeliveryHasNoEffectHoweverLateItComes(t *testing.T) { // Q13
	event, l := paidEvent(t, realEvents(t)), newTill(t)
	for range 46 {
		if status := l.deliver(event); status != http.StatusOK {
			t.Fatalf("answered %d", status)
		}
		l.wait(29 * time.Hour / 46)
	}
	l.sold("after 46 deliveries")
	for _, pause := range []time.Duration{30 * 24 * time.Hour, 400 * 24 * time.Hour} {
		l.wait(pause)
		l.close()
		l.open()
		if status := l.deliver(event); status != http.StatusOK {
			t.Errorf("answered %d after %v", status, pause)
		}
		l.sold("after " + pause.String())
	}
}

func TestEventsInAnyOrderEndInTheSameState(t *testing.T) { // Q06
	events := realEvents(t)
	for _, order := range permutations(len(events)) {
		l := newTill(t)
		for _, i := range order {
			if status := l.deliver(events[i]); status != http.StatusOK {
				t.Errorf("order %v: event %d: answered %d", order, i, status)
			}
		}
		l.deliver(events[order[0]]) // the first once more, late
		l.sold(fmt.Sprint("order ", order))
	}
}

// paidEvent is the one that says that the charge has succeeded.
func paidEvent(t *testing.T, events [][]byte) []byte {
	t.Helper()
	at := slices.IndexFunc(events, func(body []byte) bool { return bytes.Contains(body, []byte(`"type":"charge.succeeded"`)) })
	if at < 0 {
		t.Fatalf("no such event in %s", events)
	}
	return events[at]
}

// permutations are all orders of n things.
func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, shorter := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}
