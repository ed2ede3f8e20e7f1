package tests

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/webhook"
)

// TestStripeGoMakesAnEndpointAndVerifiesWhatItIsSent lets the SDK make a webhook
// endpoint and check a delivery under the secret that it was given.
func TestStripeGoMakesAnEndpointAndVerifiesWhatItIsSent(t *testing.T) {
	took := make(chan delivered, 16)
	own := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read a delivery: %v", err)
		}
		took <- delivered{header: r.Header.Clone(), body: body}
	}))
	defer own.Close()
	api := start(t, "api", "--listen", "127.0.0.1:0", "--data", t.TempDir())
	s, ctx := newSDK(&stageClient{t: t, base: api.URL}, "gopher"), t.Context()
	made, err := s.V1WebhookEndpoints.Create(ctx, &stripe.WebhookEndpointCreateParams{
		URL: stripe.String(own.URL), EnabledEvents: stripe.StringSlice([]string{"charge.succeeded"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.V1Charges.Create(ctx, purchase("order-1")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the event arrives", func() (bool, any) { return len(took) == 1, len(took) })
	got := <-took
	event, err := webhook.ConstructEvent(got.body, got.header.Get("Stripe-Signature"), made.Secret)
	if err != nil || event.Type != "charge.succeeded" || event.PendingWebhooks != 1 {
		t.Errorf("%v %+v", err, event)
	}
	gone, err := s.V1WebhookEndpoints.Delete(ctx, made.ID, nil)
	if err != nil || !gone.Deleted {
		t.Errorf("%v %+v", err, gone)
	}
	for one, err := range s.V1WebhookEndpoints.List(ctx, nil) {
		t.Errorf("%v is still listed: %+v", err, one)
	}
}
