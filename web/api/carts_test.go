package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

const socks = pathCarts + "/basket/items/socks"

func put(quantity string) ask {
	return ask{method: http.MethodPut, path: socks, form: url.Values{"quantity": {quantity}}}
}

func more(key, by string) ask {
	return ask{path: socks + "/increment", key: key, form: url.Values{"by": {by}}}
}

func (a answer) cart(t *testing.T) string {
	t.Helper()
	var c cartObject
	if err := json.Unmarshal([]byte(a.body), &c); err != nil || c.Object != "cart" || c.Items == nil || c.Updated == 0 {
		t.Fatalf("%d is not a cart: %v\n%s", a.status, err, a.body)
	}
	return fmt.Sprint(c.ID, c.Items)
}

func TestPuttingAQuantityTwiceIsPuttingItOnceWithOrWithoutAKey(t *testing.T) {
	b := newBench(t, benchOptions{})
	for _, key := range []string{"", "k", "k", "other"} {
		a := put("3")
		if key != "" {
			a.header = map[string]string{"Idempotency-Key": key}
		}
		got := b.want(http.StatusOK, a)
		if got.cart(t) != "basket[{socks 3}]" || got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%q: %s", key, got.body)
		}
	}
	b.want(http.StatusOK, ask{method: http.MethodPut, path: pathCarts + "/basket/items/hat", json: `{"quantity":1}`})
	if got := b.want(http.StatusOK, ask{method: "GET", path: pathCarts + "/basket"}); got.cart(t) != "basket[{hat 1} {socks 3}]" {
		t.Errorf("%s", got.body)
	}
	if got := b.want(http.StatusOK, put("0")); got.cart(t) != "basket[{hat 1}]" {
		t.Errorf("%s", got.body)
	}
	if b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: "GET", path: pathKeys + "?key=k"}); b.saw("started") != 0 {
		t.Error("a PUT has claimed its key")
	}
	b.refused(http.StatusBadRequest, CodeKeyInvalid, ask{method: http.MethodPut, path: socks, form: put("1").form, header: map[string]string{"Idempotency-Key": "a b"}})
}

func TestAnIncrementIsAppliedOncePerKey(t *testing.T) {
	b := newBench(t, benchOptions{})
	answers := make([]answer, 64)
	var running sync.WaitGroup
	for i := range answers {
		running.Go(func() { answers[i], _ = b.try(more("k", "2")) })
	}
	running.Wait()
	replays := 0
	for _, got := range answers {
		if got.status != http.StatusOK || got.body != answers[0].body || got.cart(t) != "basket[{socks 2}]" {
			t.Errorf("%d %s", got.status, got.body)
		}
		if got.header.Get("Idempotent-Replayed") == "true" && got.header.Get("Original-Request") != "" {
			replays++
		}
	}
	if replays != len(answers)-1 {
		t.Errorf("%d replays", replays)
	}
	if got := b.want(http.StatusOK, more("other", "-1")); got.cart(t) != "basket[{socks 1}]" || got.header.Get("Idempotency-Expires") == "" {
		t.Errorf("another key: %v %s", got.header, got.body)
	}
	if doc := b.refused(http.StatusConflict, CodeKeyReused, more("k", "3")); doc.Error.Param != "by" {
		t.Errorf("%+v", doc)
	}
	for by, want := range map[string]string{"2": "differs in the path.", "3": "differs in the path, by."} {
		doc := b.refused(http.StatusConflict, CodeKeyReused, ask{path: pathCarts + "/basket/items/hat/increment", key: "k", form: more("", by).form})
		if !strings.Contains(doc.Detail, want) || (doc.Error.Param == "by") != (by == "3") {
			t.Errorf("another SKU: %+v", doc)
		}
	}
	b.refused(http.StatusBadRequest, CodeKeyMissing, more("-", "1"))
	same := ask{path: socks + "/increment", key: "k", json: `{"by":2}`} // as JSON it is the same request
	if got := b.want(http.StatusOK, same); got.body != answers[0].body {
		t.Errorf("%s", got.body)
	}
}

func TestWhatACartCannotHoldIsAnAnswerThatIsReplayed(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.want(http.StatusOK, put("999"))
	refused := b.want(http.StatusBadRequest, more("k", "2"))
	if doc := refused.doc(t); doc.Error.Code != CodeQuantity || doc.Error.Param != "by" || doc.Error.Type != kindInvalid {
		t.Errorf("%s", refused.body)
	}
	b.want(http.StatusOK, put("1"))
	again := b.want(http.StatusBadRequest, more("k", "2"))
	if again.body != refused.body || again.header.Get("Idempotent-Replayed") != "true" || again.header.Get("Stripe-Should-Retry") != "false" {
		t.Errorf("%v %s", again.header, again.body)
	}
	var key keyObject
	got := b.want(http.StatusOK, ask{method: "GET", path: pathKeys + "?key=k"})
	if err := json.Unmarshal([]byte(got.body), &key); err != nil || key.Resource != nil || key.State != "done" || *key.Status != http.StatusBadRequest {
		t.Errorf("%v %s", err, got.body)
	}
}

func TestACartIsItsOwnersAloneAndItsNamesArePlain(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.want(http.StatusOK, put("1"))
	b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: "GET", path: pathCarts + "/basket", owner: "anna"})
	b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: "GET", path: pathCarts + "/a%2Fb"})
	b.refused(http.StatusBadRequest, CodeParamUnknown, ask{method: "GET", path: pathCarts + "/basket?x=1"})
	b.refused(http.StatusUnauthorized, CodeCredentialMissing, ask{method: "GET", path: pathCarts + "/basket", owner: "-"})
	b.refused(http.StatusMethodNotAllowed, CodeMethodNotAllowed, ask{method: http.MethodPut, path: pathCarts + "/basket"})
	for path, param := range map[string]string{"/a.b/items/socks": "id", "/basket/items/a%20b": "sku", "/" + strings.Repeat("x", 65) + "/items/s": "id"} {
		for _, a := range []ask{
			{method: http.MethodPut, path: pathCarts + path, form: put("1").form},
			{path: pathCarts + path + "/increment", form: more("", "1").form},
		} {
			if doc := b.refused(http.StatusBadRequest, CodeParamInvalid, a); doc.Error.Param != param {
				t.Errorf("%s: %+v", path, doc)
			}
		}
	}
}

func TestQuantitiesAreWholeNumbersWithinBounds(t *testing.T) {
	b := newBench(t, benchOptions{})
	for _, quantity := range []string{"-1", "1001", "1.5", "1e2", "many", "+1", "00"} {
		b.refused(http.StatusBadRequest, CodeParamInvalid, put(quantity))
	}
	for _, by := range []string{"-1001", "1001", "-0", "+1", "--1", "1.0", "-"} {
		b.refused(http.StatusBadRequest, CodeParamInvalid, more("k", by))
	}
	b.refused(http.StatusBadRequest, CodeParamInvalid, put(""))
	b.refused(http.StatusBadRequest, CodeParamInvalid, more("k", ""))
	b.refused(http.StatusBadRequest, CodeParamInvalid, ask{path: socks + "/increment", json: `{"by":"1"}`})
	b.want(http.StatusOK, more("k", "1000")) // nothing above has claimed the key
}

func TestAnIncrementWhoseAnswerIsNoLongerKeptPointsToItsCart(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.want(http.StatusOK, more("k", "1"))
	b.advance(idem.DefaultRetain + time.Hour)
	if doc := b.refused(http.StatusConflict, CodeResultExpired, more("k", "1")); doc.Resource != pathCarts+"/basket" {
		t.Errorf("%+v", doc)
	}
	if got := b.want(http.StatusOK, ask{method: "GET", path: pathCarts + "/basket"}); got.cart(t) != "basket[{socks 1}]" {
		t.Errorf("%s", got.body)
	}
}

func TestTheCommitOfAnIncrementIsToldUnderItsKey(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.want(http.StatusOK, more("k", "1"))
	for _, event := range b.told() {
		if event.Owner != "shop" || event.Key != "k" || event.ProviderKey != "" {
			t.Errorf("%+v", event)
		}
		if event.Kind == "commit" && !strings.Contains(event.Reason, "ct/shop/basket") {
			t.Errorf("the one commit wrote %s", event.Reason)
		}
	}
}

func TestEachRefusalOfACartHasItsCode(t *testing.T) {
	for err, want := range map[error]Code{
		ledger.ErrQuantity: CodeQuantity, ledger.ErrCartFull: CodeCartFull, ledger.ErrTooManyCarts: CodeTooManyCarts,
		ledger.ErrClosed: CodeUnavailable, ledger.ErrOutcomeUnknown: CodeOutcomeUnknown,
	} {
		problem := cartProblem(fmt.Errorf("wrapped: %w", err))
		if problem.Code != want || strings.Contains(problem.Error(), "payment") {
			t.Errorf("%v: %+v", err, problem)
		}
	}
}
