package naive

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"chargeonce/ledger/badgerdb"
	"chargeonce/web/shop"
)

// told has a shop with a mistake, or with none, receive one message so many
// times, each time signed anew and acknowledged.
func told(t *testing.T, change func(shop.Options) shop.Options, times int) shop.Stock {
	t.Helper()
	db, err := badgerdb.Open(badgerdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, db.Close) })
	options := shop.Options{DB: db, API: func() string { return "" }}
	if change != nil {
		options = change(options)
	}
	store := shop.New(options)
	t.Cleanup(store.Close)
	for range times {
		answer := httptest.NewRecorder()
		store.Webhooks("secret").ServeHTTP(answer, message())
		if answer.Code != http.StatusOK {
			t.Fatalf("not acknowledged: %d", answer.Code)
		}
	}
	shelf, err := store.Shelf(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return shelf["shop"]
}

// message is a signed delivery of evt_1.
func message() *http.Request {
	body := `{"id":"evt_1","type":"charge.succeeded","account":"shop","data":{"object":{"id":"ch_1","amount":5000,"currency":"eur"}}}`
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte("secret"))
	_, _ = mac.Write([]byte(stamp + "." + body)) // a hash never fails
	r := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(body))
	r.Header.Set("Stripe-Signature", "t="+stamp+",v1="+hex.EncodeToString(mac.Sum(nil)))
	return r
}

func TestTheGullibleConsumerDoesAMessageAsOftenAsItComes(t *testing.T) {
	for times := range 4 {
		want := shop.Stock{Receipts: times, Stock: -times}
		if got := told(t, gullible, times); got != want {
			t.Errorf("told %d times: %+v, want %+v", times, got, want)
		}
	}
}

func TestWithoutTheMistakeAMessageIsDoneOnce(t *testing.T) {
	if got, want := told(t, nil, 3), (shop.Stock{Receipts: 1, Stock: -1}); got != want {
		t.Errorf("told 3 times: %+v, want %+v", got, want)
	}
}

func TestTheGullibleShopPaysLikeTheRightOne(t *testing.T) {
	m := noDedup()
	s := (&system{t: t}).start(m)
	order := shop.Draft(5000, "eur", "tok_visa")
	if keys := buy(t, s, m, order); len(keys) != 2 || keys[0] != order.Key || keys[1] != order.Key {
		t.Errorf("keys on the wire: %v; want %q twice", keys, order.Key)
	}
	if n := s.captures("shop"); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
}
