package tests

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/ledger/badgerdb"
	"chargeonce/web/shop"
)

// hookSecret is a webhook secret of 24 bytes.
const hookSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"

// consumer is the shop's real webhook consumer on a journal of its own. It
// keeps every delivery as it came.
type consumer struct {
	url     string
	shop    *shop.Shop
	failing atomic.Bool // effects fail

	mu         sync.Mutex // guards deliveries
	deliveries []delivered
}

type delivered struct {
	header http.Header
	body   []byte
	status int
}

func newConsumer(t *testing.T) *consumer {
	t.Helper()
	db, err := badgerdb.Open(badgerdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	c := &consumer{}
	c.shop = shop.New(shop.Options{DB: db, API: func() string { return "http://127.0.0.1:9" }})
	hooks := c.shop.Webhooks(hookSecret)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read a delivery: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		recorder := httptest.NewRecorder()
		if c.failing.Load() {
			recorder.WriteHeader(http.StatusInternalServerError)
		} else {
			hooks.ServeHTTP(recorder, r)
		}
		c.mu.Lock()
		c.deliveries = append(c.deliveries, delivered{r.Header.Clone(), body, recorder.Code})
		c.mu.Unlock()
		w.WriteHeader(recorder.Code)
	}))
	c.url = server.URL + "/webhooks"
	t.Cleanup(func() {
		server.Close()
		c.shop.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *consumer) got() []delivered {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]delivered(nil), c.deliveries...)
}

// shelf is what the effects came to for an owner.
func (c *consumer) shelf(t *testing.T, owner string) shop.Stock {
	t.Helper()
	all, err := c.shop.Shelf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all[owner]
}

// flags start a payments API that delivers to this consumer.
func (c *consumer) flags(data string) []string {
	return []string{
		"api", "--listen", "127.0.0.1:0", "--data", data, "--lease", "3s", "--provider-timeout", "500ms",
		"--webhook", c.url, "--webhook-secret", hookSecret,
	}
}

func TestADeliveryIsProvenByEitherSignature(t *testing.T) {
	c := newConsumer(t)
	api := start(t, c.flags(t.TempDir())...)
	if _, _, err := postCharge(api.URL, "you", "order-1", 5000); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the event arrives", func() (bool, any) { return len(c.got()) == 1, c.got() })
	got, now := c.got()[0], time.Now()
	if got.status != http.StatusOK {
		t.Fatalf("the shop answered %d", got.status)
	}
	flipped := bytes.Clone(got.body)
	flipped[len(flipped)/2] ^= 1
	for other, scheme := range map[string]string{"Webhook-Signature": "Stripe-Signature", "Stripe-Signature": "Webhook-Signature"} {
		header := got.header.Clone()
		header.Del(other)
		if err := shop.VerifySignature(hookSecret, header, got.body, now); err != nil {
			t.Errorf("%s: %v", scheme, err)
		}
		for what, err := range map[string]error{
			"a flipped byte": shop.VerifySignature(hookSecret, header, flipped, now),
			"another secret": shop.VerifySignature("whsec_c29tZWJvZHkgZWxzZSdzIHNlY3JldCE=", header, got.body, now),
			"too late":       shop.VerifySignature(hookSecret, header, got.body, now.Add(2*shop.Tolerance)),
		} {
			if !errors.Is(err, shop.ErrSignature) {
				t.Errorf("%s with %s: %v", scheme, what, err)
			}
		}
	}
}

func TestAnEffectThatFailsIsDeliveredAgainAndAppliedOnce(t *testing.T) { // Q03
	c := newConsumer(t)
	c.failing.Store(true)
	api := start(t, c.flags(t.TempDir())...)
	if _, _, err := postCharge(api.URL, "you", "order-1", 5000); err != nil {
		t.Fatal(err)
	}
	eventually(t, "two attempts fail", func() (bool, any) { return len(c.got()) >= 2, len(c.got()) })
	c.failing.Store(false)
	eventually(t, "there is one receipt", func() (bool, any) {
		shelf := c.shelf(t, "you")
		return shelf == shop.Stock{Receipts: 1, Stock: -1}, shelf
	})
	seen := c.got()
	if first, last := seen[0], seen[len(seen)-1]; !bytes.Equal(first.body, last.body) || first.header.Get("Webhook-Id") != last.header.Get("Webhook-Id") {
		t.Errorf("a redelivery is another event:\n%s\n%s", first.body, last.body)
	}
}

// TestAKillAroundADeliveryGivesOneEffect kills the API where an event could be
// lost (before it is sent) and where it could take effect twice (after the
// shop has it, before the API knows).
func TestAKillAroundADeliveryGivesOneEffect(t *testing.T) { // Q01, Q12
	for point, attempts := range map[string]int{"delivering": 1, "acknowledged": 2} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			c := newConsumer(t)
			flags := c.flags(filepath.Join(t.TempDir(), "api"))
			first := start(t, append(flags, "--crash-at", point)...)
			_, _, _ = postCharge(first.URL, "you", "order-1", 5000) // the answer may die with the process
			<-first.done
			start(t, flags...)
			eventually(t, "the shop has every attempt", func() (bool, any) { return len(c.got()) == attempts, len(c.got()) })
			eventually(t, "there is one receipt", func() (bool, any) {
				shelf := c.shelf(t, "you")
				return shelf == shop.Stock{Receipts: 1, Stock: -1}, shelf
			})
		})
	}
}
