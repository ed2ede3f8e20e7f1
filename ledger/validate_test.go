package ledger

import (
	"errors"
	"strings"
	"testing"

	"chargeonce/idem"
)

func valid() ChargeRequest {
	return ChargeRequest{
		Key: idem.Key{Owner: "shop", Value: "k"}, Fingerprint: idem.Fingerprint{Sum: "v1:00"},
		Amount: 5000, Currency: "eur", Card: "tok_visa",
	}
}

func TestTheBoundsOfARequestAreLegal(t *testing.T) {
	for name, change := range map[string]func(*ChargeRequest){
		"least":            func(r *ChargeRequest) { r.Amount = 1 },
		"most":             func(r *ChargeRequest) { r.Amount = MaxAmount },
		"longest key":      func(r *ChargeRequest) { r.Key.Value = strings.Repeat("k", idem.MaxKeyLength) },
		"characters":       func(r *ChargeRequest) { r.Description = strings.Repeat("€", MaxDescription) },
		"no decimals":      func(r *ChargeRequest) { r.Currency = "jpy" },
		"token with a few": func(r *ChargeRequest) { r.Card = "pm_card_visa_4242" },
		"metadata": func(r *ChargeRequest) {
			r.Metadata = map[string]string{strings.Repeat("n", MaxMetadataName): strings.Repeat("€", MaxMetadataValue)}
		},
	} {
		r := valid()
		change(&r)
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARequestBeyondItsBoundsNamesTheParameter(t *testing.T) {
	many := make(map[string]string)
	for i := range MaxMetadata + 1 {
		many[strings.Repeat("n", i+1)] = ""
	}
	for _, test := range []struct {
		param  string
		change func(*ChargeRequest)
	}{
		{"amount", func(r *ChargeRequest) { r.Amount = 0 }},
		{"amount", func(r *ChargeRequest) { r.Amount = -5 }},
		{"amount", func(r *ChargeRequest) { r.Amount = MaxAmount + 1 }},
		{"currency", func(r *ChargeRequest) { r.Currency = "EUR" }},
		{"currency", func(r *ChargeRequest) { r.Currency = "" }},
		{"idempotency_key", func(r *ChargeRequest) { r.Key.Value = "" }},
		{"idempotency_key", func(r *ChargeRequest) { r.Key.Owner = "a/b" }},
		{"idempotency_key", func(r *ChargeRequest) { r.Key.Value = strings.Repeat("k", idem.MaxKeyLength+1) }},
		{"fingerprint", func(r *ChargeRequest) { r.Fingerprint = idem.Fingerprint{} }},
		{"source", func(r *ChargeRequest) { r.Card = "" }},
		{"source", func(r *ChargeRequest) { r.Card = "tok visa" }},
		{"source", func(r *ChargeRequest) { r.Card = strings.Repeat("t", MaxCard+1) }},
		{"description", func(r *ChargeRequest) { r.Description = strings.Repeat("€", MaxDescription+1) }},
		{"metadata", func(r *ChargeRequest) { r.Metadata = many }},
		{"metadata", func(r *ChargeRequest) { r.Metadata = map[string]string{"": "x"} }},
		{"metadata", func(r *ChargeRequest) { r.Metadata = map[string]string{strings.Repeat("n", 41): "x"} }},
		{"metadata", func(r *ChargeRequest) { r.Metadata = map[string]string{"n": strings.Repeat("v", 501)} }},
	} {
		r := valid()
		test.change(&r)
		var invalid *InvalidError
		if err := r.Validate(); !errors.As(err, &invalid) || invalid.Param != test.param || !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", test.param, err)
		}
	}
}

func TestAnIntentThatIsNotConfirmedMayLackACardButNotHoldANumber(t *testing.T) {
	for card, ok := range map[string]bool{"": true, "tok_visa": true, "4242424242424242": false, "tok visa": false} {
		r := IntentRequest{ChargeRequest: valid()}
		r.Card = card
		if err := r.Validate(); (err == nil) != ok {
			t.Errorf("card %q: %v", card, err)
		}
		if r.Confirm = true; r.Validate() == nil != (ok && card != "") {
			t.Errorf("confirmed, card %q: %v", card, r.Validate())
		}
	}
	bare := IntentRequest{ChargeRequest: valid()}
	bare.Card, bare.Amount = "", 0
	var invalid *InvalidError
	if err := bare.Validate(); !errors.As(err, &invalid) || invalid.Param != "amount" {
		t.Errorf("without an amount: %v", err)
	}
}

func TestWhatMayBeACardNumberIsRefusedAndNotRepeated(t *testing.T) {
	for _, card := range []string{
		"4242424242424242", "4242-4242-4242-4242", "tok_4242424242424242", "378282246310005", "--4242--4242-4242",
	} {
		r := valid()
		r.Card = card
		err := r.Validate()
		if err == nil {
			t.Errorf("%s is taken", card)
			continue
		}
		if strings.Contains(err.Error(), "4242") || strings.Contains(err.Error(), "3782") {
			t.Errorf("the error repeats it: %v", err)
		}
	}
}
