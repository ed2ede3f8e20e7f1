package naive

import (
	"net/http"
	"testing"

	"chargeonce/idem"
	"chargeonce/web/control"
	"chargeonce/web/shop"
)

func TestALostAnswerUnderAFreshKeyChargesTwice(t *testing.T) {
	s := (&system{t: t}).start(freshKey())
	order := shop.Draft(5000, "eur", "tok_visa")
	keys := buy(t, s, freshKey(), order)
	if len(keys) != 2 || keys[0] != order.Key || keys[1] == order.Key || keys[1] == "-" {
		t.Errorf("keys on the wire: %v; want the journal's %q and then another", keys, order.Key)
	}
	if n := s.captures("shop"); n != 2 {
		t.Errorf("%d captures, want 2", n)
	}
}

// The server beneath is the right one: whoever keeps his key is charged once.
func TestTheServerIsRightAllTheWhile(t *testing.T) {
	s := (&system{t: t}).start(freshKey())
	first, again := s.want(http.StatusCreated, ask{}), s.want(http.StatusCreated, ask{trace: "t.2"})
	if again.body != first.body || again.header.Get(idem.HeaderReplayed) != "true" {
		t.Errorf("not a replay: %v\n%s", again.header, again.body)
	}
	s.want(http.StatusConflict, ask{amount: "8000"})
	if n := s.captures("shop"); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
	eventually(t, "the replay is told", func() bool { return count(s.of("t.2"), control.KindDecision) == 1 })
}

func TestEachAttemptHasOneKeyOfItsOwn(t *testing.T) {
	order := shop.Draft(5000, "eur", "tok_visa")
	seen := map[string]string{}
	for _, trace := range []string{"A.1", "A.2", "A.3", "A.12", "B.2"} {
		key := keyOfAttempt(order.Key, trace)
		if key != keyOfAttempt(order.Key, trace) {
			t.Errorf("attempt %s is shown with another key than it is sent with", trace)
		}
		if _, err := idem.ParseKey("shop", []string{key}); err != nil || len(key) != len(order.Key) {
			t.Errorf("attempt %s has a key of another form: %q, %v", trace, key, err)
		}
		if other, taken := seen[key]; taken {
			t.Errorf("attempts %s and %s share %q", trace, other, key)
		}
		seen[key] = trace
	}
	if seen[order.Key] != "A.1" {
		t.Errorf("attempt 1 does not carry the journal's key: %v", seen)
	}
	if keyOfAttempt(order.Key, "A.2") == keyOfAttempt("another", "A.2") {
		t.Error("two orders share a key")
	}
}

func TestAFreshKeyIsForRequestsThatHaveOne(t *testing.T) {
	network := &losing{next: answering{}}
	for _, header := range []string{"", "order-1"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/v1/charges", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set(shop.HeaderTrace, "A.2")
		if header != "" {
			request.Header.Set(idem.HeaderKey, header)
		}
		response, err := freshKey().Wire(network).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if request.Header.Get(idem.HeaderKey) != header {
			t.Error("the caller's own request was changed")
		}
	}
	if network.keys[0] != "-" || network.keys[1] != keyOfAttempt("order-1", "A.2") {
		t.Errorf("keys on the wire: %v", network.keys)
	}
}
