package tests

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stripe/stripe-go/v82"

	"chargeonce/web/control"
)

// sdk is stripe-go as its users have it, pointed at a stage. Its requests cross
// the stage's network, and its owner is one of its own.
type sdk struct {
	*stripe.Client
	stage *stageClient
	owner string
}

func newSDK(c *stageClient, owner string) *sdk {
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL:           stripe.String(c.base),
		HTTPClient:    &http.Client{Timeout: patience, Transport: &http.Transport{}},
		LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &sdk{stripe.NewClient("sk_test_"+owner, stripe.WithBackends(backends)), c, owner}
}

// purchase is a charge of €50.00 by a good card, or by another one.
func purchase(key string, source ...string) *stripe.ChargeCreateParams {
	params := &stripe.ChargeCreateParams{Amount: stripe.Int64(5000), Currency: stripe.String("eur")}
	if key != "" { // else the SDK makes one up
		params.SetIdempotencyKey(key)
	}
	token := "tok_visa"
	if len(source) > 0 {
		token = source[0]
	}
	_ = params.SetSource(token) // fails for other types than text
	return params
}

// wire is how many requests of the owner the network saw.
func (s *sdk) wire() int { return s.stage.books(s.owner).Wire.API }

// stripeError is the SDK's own error.
func stripeError(t *testing.T, err error) *stripe.Error {
	t.Helper()
	var failed *stripe.Error
	if !errors.As(err, &failed) {
		t.Fatalf("not an error of the SDK's: %v", err)
	}
	return failed
}

func TestStripeGoChargesRefundsAndLists(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	s, ctx := newSDK(c, "gopher"), t.Context()
	params := purchase("")
	params.Description = stripe.String("socks")
	params.AddMetadata("order", "7")
	charge, err := s.V1Charges.Create(ctx, params)
	if err != nil {
		t.Fatal(err)
	}
	if !charge.Paid || charge.Amount != 5000 || charge.Status != stripe.ChargeStatusSucceeded || charge.Metadata["order"] != "7" || charge.Outcome.Type != "authorized" {
		t.Errorf("%+v", charge)
	}
	refund, err := s.V1Refunds.Create(ctx, &stripe.RefundCreateParams{
		Charge: stripe.String(charge.ID), Amount: stripe.Int64(2000), Reason: stripe.String("requested_by_customer"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if refund.Amount != 2000 || refund.Charge.ID != charge.ID || refund.Status != stripe.RefundStatusSucceeded {
		t.Errorf("%+v", refund)
	}
	again, err := s.V1Charges.Retrieve(ctx, charge.ID, nil)
	if err != nil || again.AmountRefunded != 2000 || again.Refunded {
		t.Errorf("%v %+v", err, again)
	}
	if _, err := s.V1Refunds.Create(ctx, &stripe.RefundCreateParams{Charge: stripe.String(charge.ID), Amount: stripe.Int64(3001)}); stripeError(t, err).Code != "amount_too_large" {
		t.Errorf("a refund of more than is left: %v", err)
	}
	balance, err := s.V1Balance.Retrieve(ctx, nil)
	if err != nil || len(balance.Available) != 1 || balance.Available[0].Amount != 3000 || balance.Available[0].Currency != "eur" {
		t.Errorf("%v %+v", err, balance)
	}
	s.seesEvents(t, ctx, "charge.refunded", "refund.created", "charge.succeeded")
}

func (s *sdk) seesEvents(t *testing.T, ctx context.Context, want ...stripe.EventType) {
	t.Helper()
	var got []stripe.EventType
	for event, err := range s.V1Events.List(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		about, _, _ := strings.Cut(string(event.Type), ".")
		if event.Data.Object["object"] != about || event.Request.ID == "" || event.Request.IdempotencyKey == "" {
			t.Errorf("%+v", event)
		}
		got = append(got, event.Type)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestStripeGoPagesThroughALongList(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	s := newSDK(c, "gopher")
	var made []string
	for range 5 {
		charge, err := s.V1Charges.Create(t.Context(), purchase(""))
		if err != nil {
			t.Fatal(err)
		}
		made = append([]string{charge.ID}, made...)
	}
	var listed []string
	list := &stripe.ChargeListParams{}
	list.Limit = stripe.Int64(2) // three pages, which the SDK fetches by itself
	for charge, err := range s.V1Charges.List(t.Context(), list) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, charge.ID)
	}
	if fmt.Sprint(listed) != fmt.Sprint(made) {
		t.Errorf("listed %v, made %v", listed, made)
	}
}

func TestStripeGoSeesADeclineAsACardErrorAfterOneAttempt(t *testing.T) { // A22
	_, c := startStage(t, t.TempDir())
	s := newSDK(c, "gopher")
	for range 2 { // the second is a replay
		_, err := s.V1Charges.Create(t.Context(), purchase("d", "tok_chargeDeclinedInsufficientFunds"))
		declined := stripeError(t, err)
		if declined.Type != stripe.ErrorTypeCard || declined.Code != stripe.ErrorCodeCardDeclined || declined.DeclineCode != "insufficient_funds" || declined.ChargeID == "" {
			t.Errorf("%+v", declined)
		}
	}
	if wire := s.wire(); wire != 2 {
		t.Errorf("two calls made %d requests", wire)
	}
}

func TestStripeGoConfirmsAPaymentIntent(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	s, ctx := newSDK(c, "gopher"), t.Context()
	wish := func(method string) *stripe.PaymentIntentCreateParams {
		return &stripe.PaymentIntentCreateParams{
			Amount: stripe.Int64(5000), Currency: stripe.String("eur"), Confirm: stripe.Bool(true),
			PaymentMethod: stripe.String(method), PaymentMethodTypes: stripe.StringSlice([]string{"card"}),
		}
	}
	intent, err := s.V1PaymentIntents.Create(ctx, wish("pm_card_visa"))
	if err != nil {
		t.Fatal(err)
	}
	if intent.Status != stripe.PaymentIntentStatusSucceeded || intent.AmountReceived != 5000 || intent.LatestCharge == nil {
		t.Errorf("%+v", intent)
	}
	if _, err := s.V1Refunds.Create(ctx, &stripe.RefundCreateParams{PaymentIntent: stripe.String(intent.ID)}); err != nil {
		t.Error(err)
	}
	_, err = s.V1PaymentIntents.Create(ctx, wish("pm_card_chargeDeclined"))
	declined := stripeError(t, err)
	if declined.Type != stripe.ErrorTypeCard || declined.PaymentIntent == nil || declined.PaymentIntent.Status != stripe.PaymentIntentStatusRequiresPaymentMethod {
		t.Fatalf("%+v", declined)
	}
	if failure := declined.PaymentIntent.LastPaymentError; failure == nil || failure.Code != stripe.ErrorCodeCardDeclined {
		t.Errorf("%+v", declined.PaymentIntent)
	}
}

// TestStripeGoRetriesALostAnswerIntoTheSameCharge lets the SDK's own retries
// meet a network that loses an answer, and one that loses a request.
func TestStripeGoRetriesALostAnswerIntoTheSameCharge(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	s := newSDK(c, "gopher")
	for i, kind := range []string{"lose-response", "lose-request"} {
		before := s.wire()
		c.post("/stage/faults", control.Fault{
			Boundary: "api", Side: control.Safe, Owner: s.owner, Kind: kind, How: "reset", Attempts: 1,
		}, http.StatusCreated, nil)
		charge, err := s.V1Charges.Create(t.Context(), purchase("")) // the SDK mints the key, once
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		replayed := charge.LastResponse.Header.Get("Idempotent-Replayed") == "true"
		if wantReplay := kind == "lose-response"; replayed != wantReplay {
			t.Errorf("%s: replayed %v", kind, replayed)
		}
		books := c.books(s.owner)
		if books.Charges != i+1 || books.Captures != i+1 || books.Wire.API != before+2 {
			t.Errorf("%s: want one more charge and two requests after %d: %+v", kind, before, books)
		}
		for listed, err := range s.V1Charges.List(t.Context(), nil) { // newest first
			if err != nil || listed.ID != charge.ID {
				t.Errorf("%s: %v, the books have %s, the SDK was told %s", kind, err, listed.ID, charge.ID)
			}
			break
		}
	}
}

func TestStripeGoGivesUpOnAReusedKeyAfterOneAttempt(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	s := newSDK(c, "gopher")
	if _, err := s.V1Charges.Create(t.Context(), purchase("order-1")); err != nil {
		t.Fatal(err)
	}
	before, other := s.wire(), purchase("order-1")
	other.Amount = stripe.Int64(8000)
	_, err := s.V1Charges.Create(t.Context(), other)
	conflict := stripeError(t, err)
	if conflict.Type != stripe.ErrorTypeIdempotency || conflict.Code != "idempotency_key_reused" || conflict.HTTPStatusCode != http.StatusConflict || conflict.Param != "amount" {
		t.Errorf("%+v", conflict)
	}
	if attempts := s.wire() - before; attempts != 1 {
		t.Errorf("a conflict was tried %d times", attempts)
	}
}

func TestStripeGoClientsAtOnceMakeOneCharge(t *testing.T) { // A01
	_, c := startStage(t, t.TempDir())
	s := newSDK(c, "gopher")
	var (
		mu    sync.Mutex // guards ids
		ids   = map[string]int{}
		group sync.WaitGroup
	)
	for range 12 {
		group.Go(func() {
			charge, err := s.V1Charges.Create(t.Context(), purchase("order-1"))
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids[charge.ID]++
		})
	}
	group.Wait()
	if len(ids) != 1 {
		t.Errorf("charges %v", ids)
	}
	c.chargedOnce(s.owner)
}
