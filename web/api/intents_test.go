package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
)

// intend is a request for a payment intent of €50.00.
func intend(key string, more ...string) ask {
	form := url.Values{"amount": {"5000"}, "currency": {"eur"}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return ask{path: pathIntents, key: key, form: form}
}

func (a answer) intent(t *testing.T) intentObject {
	t.Helper()
	var object intentObject
	if err := json.Unmarshal([]byte(a.body), &object); err != nil || object.Object != "payment_intent" {
		t.Fatalf("%d is not a payment intent: %v\n%s", a.status, err, a.body)
	}
	return object
}

func (b *bench) readIntent(id string) intentObject {
	b.t.Helper()
	return b.want(http.StatusOK, ask{method: "GET", path: pathOf(id)}).intent(b.t)
}

func TestAConfirmedIntentIsOneChargeAndReplaysByteEqual(t *testing.T) {
	b := newBench(t, benchOptions{})
	wish := intend("pi", "confirm", "True", "payment_method", "pm_card_visa", "description", "socks", "metadata[order]", "7", "payment_method_types[]", "card")
	got := b.want(http.StatusCreated, wish)
	made := got.intent(t)
	if made.Status != "succeeded" || made.AmountReceived != 5000 || made.LatestCharge == nil || *made.PaymentMethod != "pm_card_visa" || made.Metadata["order"] != "7" {
		t.Fatalf("%s", got.body)
	}
	if got.header.Get("Location") != pathIntents+"/"+made.ID {
		t.Errorf("Location %q", got.header.Get("Location"))
	}
	charge := b.readCharge(*made.LatestCharge)
	if charge.PaymentIntent == nil || *charge.PaymentIntent != made.ID || !charge.Paid || *charge.Description != "socks" {
		t.Errorf("the charge: %+v", charge)
	}
	if again := b.want(http.StatusCreated, wish); again.body != got.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("not a replay: %s", again.body)
	}
	if taken := b.bank.taken("shop", "eur"); taken != 5000 {
		t.Errorf("the card was charged %d", taken)
	}
	if read := b.want(http.StatusOK, ask{method: "GET", path: pathOf(made.ID)}); read.body != got.body {
		t.Errorf("read: %s", read.body)
	}
	b.refused(http.StatusConflict, CodeKeyReused, intend("pi", "confirm", "true", "payment_method", "pm_card_amex"))
}

func TestADeclinedIntentRequiresAnotherPaymentMethod(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.bank.next(move{decline: "insufficient_funds"})
	wish := intend("pi", "confirm", "true", "payment_method", "pm_card_chargeDeclinedInsufficientFunds")
	doc := b.refused(http.StatusPaymentRequired, CodeCardDeclined, wish)
	inside := doc.Error.Intent
	if doc.Error.Type != "card_error" || doc.Error.DeclineCode != "insufficient_funds" || inside == nil {
		t.Fatalf("%+v", doc)
	}
	if inside.Status != "requires_payment_method" || inside.PaymentMethod != nil || inside.LastPaymentError.Code != CodeCardDeclined {
		t.Errorf("%+v", inside)
	}
	if read := b.readIntent(inside.ID); read.Status != "requires_payment_method" || *read.LatestCharge != doc.Error.Charge || read.AmountReceived != 0 {
		t.Errorf("%+v", read)
	}
	if again := b.want(http.StatusPaymentRequired, wish); again.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the decline does not replay")
	}
	form := url.Values{"payment_intent": {inside.ID}}
	b.refused(http.StatusBadRequest, CodeNotRefundable, ask{path: pathRefunds, key: "r", form: form})
}

func TestAnIntentOfUnknownOutcomeIsProcessingUntilItsKeySettlesIt(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.bank.next(move{silent: true})
	wish := intend("pi", "confirm", "true", "payment_method", "pm_card_visa")
	lost := b.refused(http.StatusServiceUnavailable, CodeOutcomeUnknown, wish)
	var read intentObject
	got := b.want(http.StatusOK, ask{method: "GET", path: lost.Resource})
	if read = got.intent(t); read.Status != "processing" || read.AmountReceived != 0 {
		t.Errorf("%+v", read)
	}
	if made := b.want(http.StatusCreated, wish).intent(t); made.ID != read.ID || made.Status != "succeeded" {
		t.Errorf("%+v", made)
	}
	if taken := b.bank.taken("shop", "eur"); taken != 5000 {
		t.Errorf("the card was charged %d", taken)
	}
}

func TestAnIntentThatIsNotConfirmedChargesNobody(t *testing.T) {
	b := newBench(t, benchOptions{})
	bare := b.want(http.StatusCreated, intend("bare")).intent(t)
	with := b.want(http.StatusCreated, intend("with", "source", "tok_visa")).intent(t)
	if bare.Status != "requires_payment_method" || with.Status != "requires_confirmation" || bare.LatestCharge != nil {
		t.Errorf("%+v, %+v", bare, with)
	}
	if again := b.want(http.StatusCreated, intend("bare")); again.header.Get("Idempotent-Replayed") != "true" || again.intent(t).ID != bare.ID {
		t.Errorf("not a replay: %s", again.body)
	}
	if calls := b.bank.calls(""); len(calls) != 0 {
		t.Errorf("the provider was asked: %+v", calls)
	}
	b.refused(http.StatusBadRequest, CodeNotRefundable, ask{path: pathRefunds, key: "r", form: url.Values{"payment_intent": {bare.ID}}})
	var list listObject[intentObject]
	got := b.want(http.StatusOK, ask{method: "GET", path: pathIntents})
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || len(list.Data) != 2 || list.Data[0].ID != with.ID || list.URL != pathIntents {
		t.Errorf("%v %s", err, got.body)
	}
}

func TestAnIntentIsRefundedByItsOwnId(t *testing.T) {
	b := newBench(t, benchOptions{})
	made := b.want(http.StatusCreated, intend("pi", "confirm", "true", "payment_method", "pm_card_visa")).intent(t)
	form := url.Values{"payment_intent": {made.ID}, "amount": {"2000"}}
	back := b.want(http.StatusCreated, ask{path: pathRefunds, key: "r", form: form}).refund(t)
	if back.Charge != *made.LatestCharge || back.PaymentIntent == nil || *back.PaymentIntent != made.ID || back.Amount != 2000 {
		t.Errorf("%+v", back)
	}
	b.refused(http.StatusNotFound, CodeResourceMissing, ask{path: pathRefunds, key: "r2", form: url.Values{"payment_intent": {"pi_none"}}})
	b.refused(http.StatusNotFound, CodeResourceMissing, ask{path: pathRefunds, key: "r2", form: url.Values{"payment_intent": {"nonsense"}}})
	foreign := ask{path: pathRefunds, key: "r2", owner: "bob", form: url.Values{"payment_intent": {made.ID}}}
	b.refused(http.StatusNotFound, CodeResourceMissing, foreign)
}

func TestAnIntentNamesTheParameterAtFault(t *testing.T) {
	b := newBench(t, benchOptions{})
	for param, more := range map[string][]string{
		"payment_method":       {"confirm", "true"},
		"confirm":              {"confirm", "maybe"},
		"source":               {"source", "visa"},
		"payment_method_types": {"payment_method_types[]", "sofort"},
		"return_url":           {"return_url", "http://127.0.0.1/"},
		"currency":             {"currency", "EUR"},
		"amount":               {"amount", "50.00"},
	} {
		got := b.want(http.StatusBadRequest, intend("k", more...))
		checkDocument(t, got)
		if named := got.doc(t).Error.Param; named != param {
			t.Errorf("%v names %q, want %q", more, named, param)
		}
	}
	b.refused(http.StatusBadRequest, CodeCardNumber, intend("k", "payment_method", "4242424242424242"))
	b.refused(http.StatusBadRequest, CodeKeyMissing, intend("-"))
	b.refused(http.StatusMethodNotAllowed, CodeMethodNotAllowed, ask{method: "DELETE", path: pathIntents})
}
