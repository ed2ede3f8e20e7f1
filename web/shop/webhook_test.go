package shop

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/ledger/badgerdb"
)

const secret = "whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0"

var signedAt = time.Unix(1_800_000_000, 0)

// odd is a body that no encoder would write again the same way.
const odd = `{ "id":"evt_1",  "type":"charge.succeeded","account":"you", "rate":1.0, "note":"é",
 "data":{"object":{"id":"ch_1","amount":5000,"currency":"eur","metadata":{"order":"ord_1"}}} }`

func stripeHeader(body string, at time.Time) http.Header {
	stamp := fmt.Sprint(at.Unix())
	sum := sign([]byte(secret), stamp+".", []byte(body))
	return http.Header{"Stripe-Signature": {"t=" + stamp + ",v1=" + hex.EncodeToString(sum)}}
}

func standardHeader(id, body string, at time.Time) http.Header {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	stamp := fmt.Sprint(at.Unix())
	sum := sign(key, id+"."+stamp+".", []byte(body))
	return http.Header{
		"Webhook-Id": {id}, "Webhook-Timestamp": {stamp},
		"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(sum)},
	}
}

func TestSignaturesCoverTheBytesAsTheyArrive(t *testing.T) { // Q10
	for name, header := range map[string]http.Header{
		"stripe": stripeHeader(odd, signedAt), "standard": standardHeader("evt_1", odd, signedAt),
	} {
		if err := VerifySignature(secret, header, []byte(odd), signedAt.Add(time.Minute)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range odd {
			flipped := []byte(odd)
			flipped[i] ^= 1
			if err := VerifySignature(secret, header, flipped, signedAt); !errors.Is(err, ErrSignature) {
				t.Fatalf("%s: a flipped byte %d passed: %v", name, i, err)
			}
		}
	}
}

func TestSignaturesThatProveNothingAreRefused(t *testing.T) {
	good := stripeHeader(odd, signedAt)
	for name, test := range map[string]struct {
		secret string
		header http.Header
		now    time.Time
	}{
		"none":            {secret, http.Header{}, signedAt},
		"other secret":    {"whsec_AAAA", good, signedAt},
		"too old":         {secret, good, signedAt.Add(Tolerance + time.Second)},
		"from the future": {secret, good, signedAt.Add(-Tolerance - time.Second)},
		"no timestamp":    {secret, http.Header{"Stripe-Signature": {"v1=00"}}, signedAt},
		"not hex":         {secret, http.Header{"Stripe-Signature": {"t=1800000000,v1=zz"}}, signedAt},
		"other id": {secret, func() http.Header {
			h := standardHeader("evt_1", odd, signedAt)
			h.Set("Webhook-Id", "evt_2")
			return h
		}(), signedAt},
	} {
		if err := VerifySignature(test.secret, test.header, []byte(odd), test.now); !errors.Is(err, ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// webhookShop is a shop that receives webhooks at the time they are signed.
func webhookShop(t *testing.T, effect Effect) (*Shop, http.Handler) {
	t.Helper()
	db := openDB(t, "")
	s := New(Options{DB: db, API: func() string { return "" }, Now: func() time.Time { return signedAt }, Effect: effect})
	t.Cleanup(func() {
		s.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, s.Webhooks(secret)
}

func post(handler http.Handler, header http.Header, body string) int {
	r := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(body))
	r.Header = header
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Code
}

func shelf(t *testing.T, s *Shop) Stock {
	t.Helper()
	all, err := s.Shelf(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all["you"]
}

func TestFiftyDeliveriesOfOneEventHaveOneEffect(t *testing.T) { // Q02
	s, handler := webhookShop(t, nil)
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if status := post(handler, stripeHeader(odd, signedAt), odd); status != http.StatusOK {
				t.Errorf("status %d", status)
			}
		})
	}
	group.Wait()
	if got := shelf(t, s); got != (Stock{Receipts: 1, Stock: -1}) {
		t.Errorf("shelf: %+v", got)
	}
}

func TestAFailedEffectIsAppliedByTheRedelivery(t *testing.T) {
	fail := true
	s, handler := webhookShop(t, func(tx *badgerdb.Tx, receipt Receipt) error {
		if err := Issue(tx, receipt); err != nil {
			return err
		}
		if fail {
			return errors.New("the printer is on fire")
		}
		return nil
	})
	if status := post(handler, stripeHeader(odd, signedAt), odd); status != http.StatusInternalServerError {
		t.Errorf("first delivery: %d", status)
	}
	if got := shelf(t, s); got != (Stock{}) {
		t.Errorf("a failed effect left %+v", got)
	}
	fail = false
	if status := post(handler, stripeHeader(odd, signedAt), odd); status != http.StatusOK {
		t.Errorf("redelivery: %d", status)
	}
	if got := shelf(t, s); got != (Stock{Receipts: 1, Stock: -1}) {
		t.Errorf("shelf: %+v", got)
	}
}

func TestDeliveriesThatAreNotForUsChangeNothing(t *testing.T) {
	s, handler := webhookShop(t, nil)
	other := `{"id":"evt_2","type":"charge.failed","account":"you"}`
	if status := post(handler, stripeHeader(other, signedAt), other); status != http.StatusOK {
		t.Errorf("another type must be acknowledged, or it comes for ever: %d", status)
	}
	if status := post(handler, http.Header{}, odd); status != http.StatusBadRequest {
		t.Errorf("unsigned: %d", status)
	}
	for _, body := range []string{"null", "[]", "{}", "not JSON", ""} {
		if status := post(handler, stripeHeader(body, signedAt), body); status != http.StatusBadRequest {
			t.Errorf("%q: %d", body, status)
		}
	}
	if got := shelf(t, s); got != (Stock{}) {
		t.Errorf("shelf: %+v", got)
	}
}
