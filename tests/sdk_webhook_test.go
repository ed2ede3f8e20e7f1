package tests

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/webhook"
)

// TestADeliveryIsVerifiedByTheFieldsOwnHelpers gives deliveries, as they came,
// to stripe-go's helper and to that of Standard Webhooks. The shop's own check
// has its test elsewhere: it may be wrong in the way in which our signing is.
func TestADeliveryIsVerifiedByTheFieldsOwnHelpers(t *testing.T) { // Q10
	c := newConsumer(t)
	api := start(t, c.flags(t.TempDir())...)
	s := newSDK(&stageClient{t: t, base: api.URL}, "gopher")
	params := purchase("order-1")
	params.Description = stripe.String("1.0 <b> é \\u0041 \U0001F9E6") // what a second encoding would spell otherwise
	charge, err := s.V1Charges.Create(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the event arrives", func() (bool, any) { return len(c.got()) == 1, len(c.got()) })
	got := c.got()[0]

	event, err := webhook.ConstructEvent(got.body, got.header.Get("Stripe-Signature"), hookSecret)
	if err != nil {
		t.Fatal(err)
	}
	var told stripe.Charge
	if err := json.Unmarshal(event.Data.Raw, &told); err != nil || told.ID != charge.ID || event.Type != "charge.succeeded" || told.Description != *params.Description {
		t.Errorf("%v: %s tells of %+v", err, event.Type, told)
	}
	standard, err := standardwebhooks.NewWebhook(hookSecret)
	if err != nil {
		t.Fatal(err)
	}
	if err := standard.Verify(got.body, got.header); err != nil {
		t.Error(err)
	}
	if id := got.header.Get(standardwebhooks.HeaderWebhookID); id != event.ID {
		t.Errorf("the delivery is called %q, the event %q", id, event.ID)
	}
	refusesForgery(t, standard, got.body, got.header)
}

// refusesForgery makes sure that the helpers can say no.
func refusesForgery(t *testing.T, standard *standardwebhooks.Webhook, body []byte, header http.Header) {
	t.Helper()
	flipped := bytes.Clone(body)
	flipped[len(flipped)/2] ^= 1
	if err := standard.Verify(flipped, header); err == nil {
		t.Error("Standard Webhooks takes a flipped byte")
	}
	if _, err := webhook.ConstructEvent(flipped, header.Get("Stripe-Signature"), hookSecret); err == nil {
		t.Error("stripe-go takes a flipped byte")
	}
}
