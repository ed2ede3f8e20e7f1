package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestAChargeIs201WithItsLocationAndCapturesOnce(t *testing.T) {
	b := newBench(t, benchOptions{})
	got := b.want(http.StatusCreated, ask{})
	charge := got.charge(t)
	if charge.Status != "succeeded" || !charge.Paid || !charge.Captured || charge.AmountCaptured != 5000 {
		t.Errorf("not a paid charge: %s", got.body)
	}
	if location := got.header.Get("Location"); location != "/v1/charges/"+charge.ID {
		t.Errorf("Location %q", location)
	}
	if taken := b.bank.taken("shop", "eur"); taken != 5000 {
		t.Errorf("the card was charged %d", taken)
	}
	for name, want := range map[string]string{"Idempotency-Key": "key-1", "Stripe-Should-Retry": "", "Idempotent-Replayed": "", "Content-Type": typeJSON} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.header.Get(name), want)
		}
	}
	if got.header.Get("Request-Id") == "" || got.header.Get("Idempotency-Expires") == "" {
		t.Errorf("headers are missing: %v", got.header)
	}
}

func TestAReplayIsByteEqualAndMarked(t *testing.T) { // D01, D02, D07, I3
	b := newBench(t, benchOptions{})
	first := b.want(http.StatusCreated, ask{})
	again := b.want(http.StatusCreated, ask{})
	if again.body != first.body {
		t.Errorf("the bodies differ:\n%s%s", first.body, again.body)
	}
	for _, name := range []string{"Location", "Content-Type", "Content-Length"} {
		if first.header.Get(name) != again.header.Get(name) {
			t.Errorf("%s: %q and %q", name, first.header.Get(name), again.header.Get(name))
		}
	}
	if again.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the replay is not marked")
	}
	if again.header.Get("Original-Request") != first.header.Get("Request-Id") {
		t.Errorf("Original-Request %q, want %q", again.header.Get("Original-Request"), first.header.Get("Request-Id"))
	}
	if again.header.Get("Request-Id") == first.header.Get("Request-Id") {
		t.Error("the replay has no Request-Id of its own")
	}
	if calls := len(b.bank.calls("")); calls != 1 {
		t.Errorf("the provider was called %d times", calls)
	}
}

func TestADeclinedCardIsADefiniteAnswerThatReplays(t *testing.T) { // A22, A18
	b := newBench(t, benchOptions{})
	b.bank.next(move{decline: "insufficient_funds"})
	form := goodForm()
	form.Set("source", "tok_chargeDeclinedInsufficientFunds")
	first := b.want(http.StatusPaymentRequired, ask{form: form})
	checkDocument(t, first)
	doc := first.doc(t)
	if doc.Error.Type != "card_error" || doc.Error.Code != CodeCardDeclined || doc.Error.DeclineCode != "insufficient_funds" {
		t.Errorf("not a declined card: %s", first.body)
	}
	again := b.want(http.StatusPaymentRequired, ask{form: form})
	if again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the decline does not replay: %v\n%s", again.header, again.body)
	}
	if again.header.Get("Stripe-Should-Retry") != "false" {
		t.Error("a decline must not be retried")
	}
	failed := b.want(http.StatusOK, ask{method: "GET", path: "/v1/charges/" + doc.Error.Charge}).charge(t)
	if failed.Status != "failed" || failed.Paid || failed.Captured || failed.AmountCaptured != 0 || *failed.FailureCode != "card_declined" {
		t.Errorf("not a failed charge: %+v", failed)
	}
	if calls := len(b.bank.calls("POST")); calls != 1 {
		t.Errorf("the card was tried %d times", calls)
	}
}

func TestAChargeIsReadByItsOwnerAlone(t *testing.T) { // I4
	b := newBench(t, benchOptions{})
	id := b.want(http.StatusCreated, ask{owner: "alice"}).charge(t).ID
	path := "/v1/charges/" + id
	if got := b.want(http.StatusOK, ask{method: "GET", path: path, owner: "alice"}).charge(t); got.ID != id {
		t.Errorf("got %s", got.ID)
	}
	theirs := b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: "GET", path: path, owner: "bob"})
	none := b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: "GET", path: "/v1/charges/ch_none", owner: "bob"})
	if theirs != none {
		t.Errorf("another owner's charge can be told from none: %v and %v", theirs, none)
	}
	for _, odd := range []string{"nonsense", "ch_" + strings.Repeat("a", 100), "ch_a%00b"} {
		b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: "GET", path: "/v1/charges/" + odd})
	}
	b.refused(http.StatusNotFound, CodeRouteMissing, ask{method: "GET", path: "/v1/charges/ch_%2F..%2Fx"}) // an unclean path is no path
	b.refused(http.StatusUnauthorized, CodeCredentialMissing, ask{method: "GET", path: path, owner: "-"})
	b.refused(http.StatusBadRequest, CodeParamUnknown, ask{method: "GET", path: path + "?expand[]=customer"})
}

// page is a list as a client reads it.
type page struct {
	Object  string         `json:"object"`
	URL     string         `json:"url"`
	HasMore *bool          `json:"has_more"`
	Data    []chargeObject `json:"data"`
}

func (b *bench) page(owner, query string) (ids string, more bool) {
	b.t.Helper()
	got := b.want(http.StatusOK, ask{method: "GET", path: "/v1/charges" + query, owner: owner})
	var list page
	if err := json.Unmarshal([]byte(got.body), &list); err != nil {
		b.t.Fatal(err)
	}
	if list.Object != "list" || list.URL != "/v1/charges" || list.HasMore == nil || list.Data == nil {
		b.t.Fatalf("not a list: %s", got.body)
	}
	var names []string
	for _, charge := range list.Data {
		names = append(names, *charge.Description)
	}
	return strings.Join(names, " "), *list.HasMore
}

func TestListsRunFromTheNewestAndPageBothWays(t *testing.T) {
	b := newBench(t, benchOptions{})
	ids := map[string]string{}
	for _, name := range []string{"1", "2", "3", "4", "5"} {
		form := goodForm()
		form.Set("description", name)
		ids[name] = b.want(http.StatusCreated, ask{key: "k" + name, form: form}).charge(t).ID
	}
	other := b.want(http.StatusCreated, ask{owner: "bob"}).charge(t).ID
	for _, c := range []struct {
		query, want string
		more        bool
	}{
		{"", "5 4 3 2 1", false},
		{"?limit=2", "5 4", true},
		{"?limit=2&starting_after=" + ids["4"], "3 2", true},
		{"?limit=2&starting_after=" + ids["2"], "1", false},
		{"?limit=2&ending_before=" + ids["2"], "4 3", true},
		{"?limit=2&ending_before=" + ids["4"], "5", false},
		{"?limit=100", "5 4 3 2 1", false},
	} {
		if got, more := b.page("shop", c.query); got != c.want || more != c.more {
			t.Errorf("%s: got %q %v, want %q %v", c.query, got, more, c.want, c.more)
		}
	}
	if got, more := b.page("nobody", ""); got != "" || more {
		t.Errorf("an empty list: %q %v", got, more)
	}
	for query, param := range map[string]string{
		"?limit=0": "limit", "?limit=101": "limit", "?limit=ten": "limit", "?limit=1e1": "limit", "?limit=-1": "limit",
		"?limit=1&limit=2": "limit", "?offset=3": "offset", "?starting_after=ch_none": "starting_after",
		"?ending_before=%2e%2e": "ending_before", "?starting_after=" + other: "starting_after",
		"?starting_after=" + ids["1"] + "&ending_before=" + ids["2"]: "ending_before",
	} {
		got := b.want(http.StatusBadRequest, ask{method: "GET", path: "/v1/charges" + query})
		checkDocument(t, got)
		if doc := got.doc(t); doc.Error.Param != param {
			t.Errorf("%s: param %q, want %q", query, doc.Error.Param, param)
		}
	}
}

func TestMoneyKeepsItsOwnExponentFromEndToEnd(t *testing.T) { // G01, G02
	b := newBench(t, benchOptions{})
	for _, c := range []struct {
		amount   int64
		currency string
		shown    string
	}{{500, "jpy", "500 JPY"}, {5000, "eur", "50.00 EUR"}, {12345, "kwd", "12.345 KWD"}, {1, "usd", "0.01 USD"}, {99999999, "bhd", "99999.999 BHD"}} {
		form := url.Values{"amount": {fmt.Sprint(c.amount)}, "currency": {c.currency}, "source": {"tok_visa"}}
		got := b.want(http.StatusCreated, ask{key: c.currency, form: form}).charge(t)
		if got.Amount != c.amount || got.AmountCaptured != c.amount || got.Currency != c.currency {
			t.Errorf("%s: charged %d %s", c.shown, got.Amount, got.Currency)
		}
		if taken := b.bank.taken("shop", c.currency); taken != c.amount {
			t.Errorf("%s: the provider took %d", c.shown, taken)
		}
		if money(c.amount, c.currency) != c.shown {
			t.Errorf("shown as %s, want %s", money(c.amount, c.currency), c.shown)
		}
	}
}

func TestTheLargestLawfulChargeIsStillDeduplicated(t *testing.T) { // A20
	b := newBench(t, benchOptions{})
	form := goodForm()
	form.Set("description", strings.Repeat("<", 1000)) // grows sixfold in JSON
	for i := range 50 {
		form.Set(fmt.Sprintf("metadata[%s%02d]", strings.Repeat("n", 38), i), strings.Repeat("<", 380))
	}
	first := b.want(http.StatusCreated, ask{form: form})
	if again := b.want(http.StatusCreated, ask{form: form}); again.body != first.body || len(first.body) < 100_000 {
		t.Errorf("a body of %d bytes does not replay", len(first.body))
	}
	if calls := len(b.bank.calls("POST")); calls != 1 {
		t.Errorf("the card was charged %d times", calls)
	}
}
