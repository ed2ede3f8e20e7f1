package api

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
)

// confirm is a request to confirm an intent, with more parameters if need be.
func confirm(id, key string, more ...string) ask {
	form := url.Values{}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return ask{path: pathOf(id) + "/confirm", key: key, form: form}
}

// unexpected sends a confirmation that the intent's state does not allow.
func (b *bench) unexpected(a ask, status string) document {
	b.t.Helper()
	doc := b.refused(http.StatusBadRequest, CodeIntentState, a)
	if doc.Error.Type != "invalid_request_error" || doc.Error.Intent == nil || doc.Error.Intent.Status != status || doc.Resource != pathOf(doc.Error.Intent.ID) {
		b.t.Errorf("want an intent that is %s: %+v", status, doc)
	}
	return doc
}

func TestAWaitingIntentIsConfirmedByAKeyOfItsOwnAndReplaysByteEqual(t *testing.T) {
	b := newBench(t, benchOptions{})
	made := b.want(http.StatusCreated, intend("make", "payment_method", "pm_card_visa", "description", "socks", "metadata[order]", "7")).intent(t)
	got := b.want(http.StatusCreated, confirm(made.ID, "pay"))
	paid := got.intent(t)
	if paid.ID != made.ID || paid.Status != "succeeded" || paid.AmountReceived != 5000 || paid.LatestCharge == nil || got.header.Get("Location") != pathOf(made.ID) {
		t.Fatalf("%v %s", got.header, got.body)
	}
	charge := b.readCharge(*paid.LatestCharge)
	if *charge.PaymentIntent != made.ID || *charge.Description != "socks" || charge.Metadata["order"] != "7" || !charge.Paid {
		t.Errorf("the charge: %+v", charge)
	}
	again := b.want(http.StatusCreated, confirm(made.ID, "pay"))
	if again.body != got.body || again.header.Get("Idempotent-Replayed") != "true" || again.header.Get("Original-Request") != got.header.Get("Request-Id") {
		t.Errorf("not a replay: %v %s", again.header, again.body)
	}
	if read := b.want(http.StatusOK, ask{method: "GET", path: pathOf(made.ID)}); read.body != got.body {
		t.Errorf("read: %s", read.body)
	}
	// What made the intent is another request, and goes on saying what it said.
	if first := b.want(http.StatusCreated, intend("make", "payment_method", "pm_card_visa", "description", "socks", "metadata[order]", "7")); first.intent(t).Status != "requires_confirmation" {
		t.Errorf("replayed as %s", first.body)
	}
	for _, event := range b.told() {
		if event.Charge == charge.ID && event.Key != "pay" {
			t.Errorf("told under another key: %+v", event)
		}
	}
}

func TestManyKeysAtOnceConfirmOneIntentOnce(t *testing.T) { // I1, across keys
	b := newBench(t, benchOptions{})
	for round := range 5 {
		made := b.want(http.StatusCreated, intend("make"+string(rune('a'+round)))).intent(t)
		const keys = 12
		answers, barrier := make([]answer, keys), make(chan struct{})
		var group sync.WaitGroup
		for n := range keys {
			group.Go(func() {
				<-barrier
				var err error
				if answers[n], err = b.try(confirm(made.ID, made.ID+string(rune('a'+n)), "payment_method", "pm_card_visa")); err != nil {
					t.Error(err)
				}
			})
		}
		close(barrier)
		group.Wait()
		paid := 0
		for _, got := range answers {
			switch {
			case got.status == http.StatusCreated:
				paid++
			case got.status != http.StatusBadRequest || got.doc(t).Error.Code != CodeIntentState:
				t.Errorf("%d %s", got.status, got.body)
			}
		}
		if paid != 1 {
			t.Errorf("%d keys were told that they paid", paid)
		}
		if taken := b.bank.taken("shop", "eur"); taken != int64(5000*(round+1)) {
			t.Errorf("the cards were charged %d after round %d", taken, round+1)
		}
	}
}

func TestAConfirmationThatFindsAnotherAtWorkIsNotStored(t *testing.T) {
	b := newBench(t, benchOptions{})
	made := b.want(http.StatusCreated, intend("make", "payment_method", "pm_card_visa")).intent(t)
	b.bank.next(move{silent: true})
	b.refused(http.StatusServiceUnavailable, CodeOutcomeUnknown, confirm(made.ID, "one"))
	b.unexpected(confirm(made.ID, "two", "payment_method", "pm_card_amex"), "processing")
	b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: "GET", path: pathKeys + "?key=two"})
	if paid := b.want(http.StatusCreated, confirm(made.ID, "one")).intent(t); paid.Status != "succeeded" {
		t.Errorf("%+v", paid)
	}
	for range 2 { // the second is a replay
		if doc := b.unexpected(confirm(made.ID, "two", "payment_method", "pm_card_amex"), "succeeded"); doc.Error.Charge == "" {
			t.Errorf("%+v", doc)
		}
	}
	if key := b.lookUp("shop", "two"); key.Resource != nil || *key.Status != http.StatusBadRequest {
		t.Errorf("%+v", key)
	}
	if taken := b.bank.taken("shop", "eur"); taken != 5000 {
		t.Errorf("the card was charged %d", taken)
	}
}

func TestADeclinedIntentIsConfirmedAgainWithAnotherCard(t *testing.T) {
	b := newBench(t, benchOptions{})
	made := b.want(http.StatusCreated, intend("make", "payment_method", "pm_card_chargeDeclined")).intent(t)
	b.bank.next(move{decline: "generic_decline"})
	declined := b.refused(http.StatusPaymentRequired, CodeCardDeclined, confirm(made.ID, "one"))
	if declined.Error.Intent == nil || declined.Error.Intent.Status != "requires_payment_method" || declined.Error.Intent.LastPaymentError == nil {
		t.Errorf("%+v", declined)
	}
	b.unexpected(confirm(made.ID, "two"), "requires_payment_method") // no card is tried again unasked
	paid := b.want(http.StatusCreated, confirm(made.ID, "three", "payment_method", "pm_card_visa")).intent(t)
	if paid.Status != "succeeded" || *paid.PaymentMethod != "pm_card_visa" || *paid.LatestCharge == declined.Error.Charge || paid.LastPaymentError != nil {
		t.Errorf("%+v", paid)
	}
	if again := b.want(http.StatusPaymentRequired, confirm(made.ID, "one")); again.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the decline does not replay")
	}
	back := b.want(http.StatusCreated, ask{path: pathRefunds, key: "r", form: url.Values{"payment_intent": {made.ID}}}).refund(t)
	if back.Charge != *paid.LatestCharge || back.Amount != 5000 {
		t.Errorf("%+v", back)
	}
}

func TestAConfirmationNamesWhatIsWrongWithIt(t *testing.T) {
	b := newBench(t, benchOptions{})
	bare := b.want(http.StatusCreated, intend("make")).intent(t)
	if doc := b.unexpected(confirm(bare.ID, "none"), "requires_payment_method"); doc.Error.Param != "payment_method" {
		t.Errorf("%+v", doc)
	}
	b.refused(http.StatusBadRequest, CodeParamUnknown, confirm(bare.ID, "k", "return_url", "http://127.0.0.1/"))
	b.refused(http.StatusBadRequest, CodeTokenInvalid, confirm(bare.ID, "k", "payment_method", "visa"))
	b.refused(http.StatusBadRequest, CodeCardNumber, confirm(bare.ID, "k", "payment_method", "4242424242424242"))
	b.refused(http.StatusBadRequest, CodeKeyMissing, confirm(bare.ID, "-", "payment_method", "pm_card_visa"))
	b.refused(http.StatusNotFound, CodeResourceMissing, confirm("pi_none", "k", "payment_method", "pm_card_visa"))
	b.refused(http.StatusNotFound, CodeResourceMissing, ask{path: pathIntents + "/nonsense/confirm", key: "k", form: url.Values{}})
	b.refused(http.StatusMethodNotAllowed, CodeMethodNotAllowed, ask{method: "GET", path: pathOf(bare.ID) + "/confirm"})
	foreign := confirm(bare.ID, "k", "payment_method", "pm_card_visa")
	foreign.owner = "bob"
	b.refused(http.StatusNotFound, CodeResourceMissing, foreign)
	// None of these has touched the key, and the path is a part of the request.
	b.want(http.StatusCreated, confirm(bare.ID, "k", "payment_method", "pm_card_visa"))
	other := b.want(http.StatusCreated, intend("other")).intent(t)
	b.refused(http.StatusConflict, CodeKeyReused, confirm(other.ID, "k", "payment_method", "pm_card_visa"))
}

func TestAKillAnywhereInAConfirmationChargesOnce(t *testing.T) { // A04, I1
	if testing.Short() {
		t.Skip("starts processes")
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			bank := newBank(t)
			args := []string{
				"--data", t.TempDir(), "--provider", bank.url, "--provider-timeout", "2s", "--provider-attempts", "1",
				"--lease", "3s", "--busy-wait", "1s",
			}
			before := spawn(t, args...)
			b := &bench{t: t, url: before.url, bank: bank}
			made := b.want(http.StatusCreated, intend("make", "payment_method", "pm_card_visa")).intent(t)
			interrupt(t, before)
			dead := spawn(t, append(args, "--crash-at", point)...)
			b.url = dead.url
			r := &restarted{b, t, args, dead, chargeObject{}}
			if paid := r.settle(confirm(made.ID, "pay")).intent(t); paid.Status != "succeeded" || paid.ID != made.ID {
				t.Errorf("%+v", paid)
			}
			r.unexpected(confirm(made.ID, "another", "payment_method", "pm_card_visa"), "succeeded")
			if taken := bank.taken("shop", "eur"); taken != 5000 {
				t.Errorf("the card was charged %d", taken)
			}
		})
	}
}
