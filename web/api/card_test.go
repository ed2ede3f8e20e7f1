package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestTestTokensAreKnownInStripesSpellings(t *testing.T) {
	for _, token := range []string{
		"tok_visa", "pm_card_visa", "tok_visa_debit", "pm_card_mastercard", "tok_chargeDeclined", "pm_card_chargeDeclined",
		"tok_visa_chargeDeclined", "pm_card_visa_chargeDeclinedInsufficientFunds", "pm_card_chargeDeclinedExpiredCard",
		"tok_chargeonceSlow", "tok_chargeonceFails", "pm_card_chargeonceSilent",
	} {
		if !KnownToken(token) {
			t.Errorf("%s is unknown", token)
		}
	}
	for _, token := range []string{"", "tok_", "visa", "tok_Visa", "tok_visa ", "tok_visa_visa", "pm_visa", "tok_visa_chargeonceSlow", "src_visa"} {
		if KnownToken(token) {
			t.Errorf("%q is known", token)
		}
	}
}

// cardNumbers are the published test numbers of the networks.
var cardNumbers = []string{
	"4242424242424242", "4000056655665556", "5555555555554444", "2223003122003222", "378282246310005", "6011111111111117",
	"3056930009020004", "36227206271667", "3566002020360505", "6200000000000005",
}

func TestACardNumberIsSeenWhereverItHides(t *testing.T) {
	for _, number := range cardNumbers {
		spaced := strings.Join([]string{number[:4], number[4:8], number[8:12], number[12:]}, " ")
		for _, text := range []string{
			number, spaced, strings.ReplaceAll(spaced, " ", "-"), "card " + number + ".", spaced + " 12/34", "7 " + spaced, "a" + number + "b",
		} {
			if !holdsCardNumber(text) {
				t.Errorf("%q was not seen", text)
			}
		}
		wrong := number[:len(number)-1] + string('0'+(number[len(number)-1]-'0'+1)%10)
		if holdsCardNumber(wrong) {
			t.Errorf("%q has a wrong check digit", wrong)
		}
	}
	for _, text := range []string{
		"", "4242", "ord_4242", "1700000000000", "550e8400-e29b-41d4-a716-446655440000", "+49 30 901820", "424242424242424242424242", "4242424242424242 4242424242424242"[1:16],
	} {
		if holdsCardNumber(text) {
			t.Errorf("%q is no card number", text)
		}
	}
}

// between are what people and word processors put between the groups of a number.
var between = []string{
	" ", "  ", "-", ".", "/", "_", "\n", "\r\n", "\t", " - ", "\u00a0", "\u2007", "\u202f", "\u3000", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2212", "\u200b", "\ufeff", "\u00ad", "\u2028",
}

func TestNoSeparatorHidesACardNumber(t *testing.T) {
	for _, number := range cardNumbers {
		for _, by := range between {
			text := strings.Join([]string{number[:4], number[4:8], number[8:12], number[12:]}, by)
			if !holdsCardNumber("my "+text+", thanks") || !isCardNumberAlone(text) {
				t.Errorf("%q was not seen", text)
			}
			if got := HideCardNumbers(url.QueryEscape(text)); strings.ContainsAny(strings.ReplaceAll(got, "%", ""), "4") && strings.Contains(got, number[:4]) {
				t.Errorf("%q is shown as %q", text, got)
			}
		}
	}
	for _, text := range []string{"", "4242", "550e8400-e29b-41d4-a716-446655440000", "key-4242424242424242", "4242424242424241", "42424242424242424242"} {
		if isCardNumberAlone(text) {
			t.Errorf("%q is no card number alone", text)
		}
	}
}

// TestACardNumberIsRefusedAsAnyName: of a key, an owner, a cart, a SKU, a place.
func TestACardNumberIsRefusedAsAnyName(t *testing.T) {
	b := newBench(t, benchOptions{})
	for _, number := range []string{"4242424242424242", "4242-4242-4242-4242"} {
		for what, a := range map[string]ask{
			"key":       {key: number},
			"quoted":    {key: `"` + number + `"`},
			"put's key": {method: "PUT", path: socks, form: url.Values{"quantity": {"1"}}, header: map[string]string{"Idempotency-Key": number}},
			"cart":      {method: "PUT", path: pathCarts + "/" + number + "/items/sku", form: url.Values{"quantity": {"1"}}},
			"sku":       {method: "PUT", path: pathCarts + "/cart/items/" + number, form: url.Values{"quantity": {"1"}}},
			"increment": {path: pathCarts + "/cart/items/" + number + "/increment", form: url.Values{"by": {"1"}}},
			"url":       {path: pathEndpoints, form: url.Values{"url": {"http://localhost/" + number}, "enabled_events[]": {"*"}}},
			"escaped":   {path: pathEndpoints, form: url.Values{"url": {"http://localhost/?" + strings.ReplaceAll(number, "-", "%20")}, "enabled_events[]": {"*"}}},
		} {
			got := b.want(http.StatusBadRequest, a)
			if doc := got.doc(t); doc.Error.Code != CodeCardNumber || got.header.Get("Idempotency-Key") == number {
				t.Errorf("%s: %v %s", what, got.header, got.body)
			}
		}
		b.refused(http.StatusUnauthorized, CodeCredentialInvalid, ask{owner: number})
		b.want(http.StatusCreated, ask{key: "trace", header: map[string]string{"Chargeonce-Trace": number}})
	}
	if got := OwnerName(http.Header{"Authorization": {"Bearer sk_test_4242424242424242"}}); got != "" {
		t.Errorf("the owner is %q", got)
	}
	b.leaksNothing("4242")
	b.want(http.StatusOK, ask{method: "PUT", path: pathCarts + "/cart/items/4006381333931", form: url.Values{"quantity": {"1"}}}) // an EAN
}

func TestACardNumberIsRefusedAndLeavesNoTrace(t *testing.T) {
	b := newBench(t, benchOptions{})
	const number = "4242424242424242"
	for what, a := range map[string]ask{
		"as the source":          {form: with("source", number)},
		"with blanks":            {form: with("source", "4242 4242 4242 4242")},
		"as the payment method":  {form: with("payment_method", number)},
		"as card[number]":        {form: with("card[number]", number)},
		"as source[number]":      {body: strings.NewReader("amount=1&currency=eur&source[number]=" + number)},
		"as a JSON number":       {json: `{"amount":1,"currency":"eur","source":` + number + `}`},
		"as a JSON object":       {json: `{"amount":1,"currency":"eur","source":{"object":"card","number":"` + number + `"}}`},
		"in the description":     {form: with("description", "my card "+number)},
		"by non-breaking blanks": {form: with("description", "4242\u00a04242\u20114242\n4242")},
		"by points in metadata":  {form: with("metadata[note]", "4242.4242.4242.4242")},
		"in metadata":            {form: with("metadata[note]", number)},
		"as a metadata name":     {form: with("metadata["+number+"]", "x")},
	} {
		got := b.want(http.StatusBadRequest, a)
		if doc := got.doc(t); doc.Error.Code != CodeCardNumber {
			t.Errorf("%s: %s", what, got.body)
		}
	}
	b.want(http.StatusBadRequest, ask{form: with(number, "1")})
	b.want(http.StatusBadRequest, ask{json: `{"` + number + `":1,"` + number + `":1}`})
	b.want(http.StatusNotFound, ask{method: "GET", path: "/v1/charges/" + number})
	b.want(http.StatusNotFound, ask{method: "GET", path: "/" + number})
	b.want(http.StatusMethodNotAllowed, ask{method: number})
	b.leaksNothing("4242")
	b.want(http.StatusCreated, ask{}) // no refusal has claimed the key
}

// leaksNothing looks for a text in everything that was written down.
func (b *bench) leaksNothing(texts ...string) {
	b.t.Helper()
	written := b.logs.String()
	for _, event := range b.told() {
		written += string(mustJSON(event))
	}
	written += b.send(ask{method: "GET", path: "/-/books"}).body + b.send(ask{method: "GET", path: "/-/keys"}).body
	for _, text := range texts {
		if at := strings.Index(written, text); at >= 0 {
			b.t.Errorf("%q was written down: …%s…", text, written[max(0, at-60):min(len(written), at+60)])
		}
	}
}

func TestNoSecretAndNoKeyInClearGetsIntoTheLog(t *testing.T) { // B12
	b := newBench(t, benchOptions{})
	const key = "jane.doe@example.com"
	b.bank.next(move{status: 503})
	b.want(http.StatusServiceUnavailable, ask{key: key})
	b.want(http.StatusCreated, ask{key: key})
	b.want(http.StatusCreated, ask{key: key})
	b.want(http.StatusConflict, ask{key: key, form: with("amount", "7")})
	b.want(http.StatusBadRequest, ask{key: key, form: with("amount", "-7")})
	b.want(http.StatusUnauthorized, ask{key: key, header: map[string]string{"Authorization": "Bearer sk_live_topsecret"}})
	if logs := b.logs.String(); strings.Contains(logs, "jane") || !strings.Contains(logs, "shop/#") {
		t.Errorf("the key is logged in clear, or not at all:\n%s", logs)
	}
	for _, secret := range []string{"sk_test", "sk_live", "topsecret"} {
		b.leaksNothing(secret)
	}
}
