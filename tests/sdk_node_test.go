package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"chargeonce/web/control"
)

// nodeModules names the variable with the folder in which npm has put stripe.
const nodeModules = "CHARGEONCE_NODE_MODULES"

// needsStripeNode gives the node program, or skips the test.
func needsStripeNode(t *testing.T) (node string) {
	t.Helper()
	node, err := exec.LookPath("node")
	needs(t, "node", err)
	folder := os.Getenv(nodeModules)
	if folder == "" {
		err = errors.New(nodeModules + " is not set")
	} else {
		_, err = os.Stat(filepath.Join(folder, "stripe", "package.json"))
	}
	needs(t, "the npm package stripe", err)
	return node
}

// runNode runs one scenario of the script, whose owner is "node".
func runNode(t *testing.T, base, scenario string, stdin []byte, into any) {
	t.Helper()
	node := needsStripeNode(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, filepath.Join("testdata", "node", "client.cjs"), scenario)
	cmd.Env = append(os.Environ(), "CHARGEONCE_URL="+base)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", scenario, err, stderr.String())
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%s: %v: %s", scenario, err, out)
	}
}

// nodeError is what stripe-node throws.
type nodeError struct {
	Name, Type, Code, Decline, Param, Charge, Intent string
	Status                                           int
	Passed                                           any // set where nothing was thrown
}

func TestStripeNodeChargesRefundsListsAndConfirms(t *testing.T) {
	needsStripeNode(t)
	_, c := startStage(t, t.TempDir())
	var got struct {
		Charge struct {
			ID, Status string
			Paid       bool
			Metadata   map[string]string
		}
		Refund struct {
			Amount         int
			Charge, Status string
		}
		Declined, Refused nodeError
		Intent            struct{ Status string }
		Listed            []string
		Available         []struct {
			Amount   int
			Currency string
		}
	}
	runNode(t, c.base, "shop", nil, &got)
	if !got.Charge.Paid || got.Charge.Metadata["order"] != "7" || got.Refund.Charge != got.Charge.ID || got.Refund.Status != "succeeded" {
		t.Errorf("charge and refund: %+v %+v", got.Charge, got.Refund)
	}
	if d := got.Declined; d.Name != "StripeCardError" || d.Type != "card_error" || d.Code != "card_declined" || d.Decline != "generic_decline" || d.Charge == "" {
		t.Errorf("declined: %+v", d)
	}
	if got.Intent.Status != "succeeded" || got.Refused.Name != "StripeCardError" || got.Refused.Intent != "requires_payment_method" {
		t.Errorf("intents: %+v %+v", got.Intent, got.Refused)
	}
	if want := "[failed succeeded failed succeeded]"; fmt.Sprint(got.Listed) != want {
		t.Errorf("listed %v, want %s", got.Listed, want)
	}
	if len(got.Available) != 1 || got.Available[0].Amount != 8000 || got.Available[0].Currency != "eur" {
		t.Errorf("balance %+v", got.Available)
	}
}

func TestStripeNodeRetriesALostAnswerIntoTheSameCharge(t *testing.T) {
	needsStripeNode(t)
	_, c := startStage(t, t.TempDir())
	c.post("/stage/faults", control.Fault{
		Boundary: "api", Side: control.Safe, Owner: "node", Kind: "lose-response", How: "reset", Attempts: 1,
	}, http.StatusCreated, nil)
	var got struct{ ID, Replayed string }
	runNode(t, c.base, "lost", nil, &got)
	if got.Replayed != "true" {
		t.Errorf("the second answer is no replay: %+v", got)
	}
	c.chargedOnce("node")
	if captured := c.captures("node")[0]; captured.Reference != "node/"+got.ID {
		t.Errorf("the provider captured %q, the SDK was told of %s", captured.Reference, got.ID)
	}
	if wire := c.books("node").Wire.API; wire != 2 {
		t.Errorf("%d requests crossed the wire, want 2", wire)
	}
}

// TestStripeNodeGivesUpOnAReusedKeyAfterOneAttempt has two halves, because
// stripe-node picks the class of an error by its status: under our 409 the
// error's type says what it is, under Stripe's 400 its class does as well.
func TestStripeNodeGivesUpOnAReusedKeyAfterOneAttempt(t *testing.T) {
	needsStripeNode(t)
	_, c := startStage(t, t.TempDir())
	var got nodeError
	runNode(t, c.base, "reused", nil, &got)
	if got.Type != "idempotency_error" || got.Code != "idempotency_key_reused" || got.Param != "amount" || got.Status != http.StatusConflict {
		t.Errorf("%+v", got)
	}
	if wire := c.books("node").Wire.API; wire != 2 { // the charge and the conflict
		t.Errorf("%d requests crossed the wire, want 2", wire)
	}
	dialect := start(t, "api", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--conflict-status", "400")
	runNode(t, dialect.URL, "reused", nil, &got)
	if got.Name != "StripeIdempotencyError" || got.Code != "idempotency_key_reused" || got.Status != http.StatusBadRequest {
		t.Errorf("%+v", got)
	}
}

func TestStripeNodeClientsAtOnceMakeOneCharge(t *testing.T) { // A01
	needsStripeNode(t)
	_, c := startStage(t, t.TempDir())
	var ids []string
	runNode(t, c.base, "crowd", nil, &ids)
	if len(ids) != 1 {
		t.Errorf("charges %v", ids)
	}
	c.chargedOnce("node")
}

func TestStripeNodeVerifiesADelivery(t *testing.T) { // Q10
	needsStripeNode(t)
	c := newConsumer(t)
	api := start(t, c.flags(t.TempDir())...)
	if _, _, err := postCharge(api.URL, "node", "order-1", 5000); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the event arrives", func() (bool, any) { return len(c.got()) == 1, len(c.got()) })
	delivery, err := json.Marshal(map[string]string{
		"body": string(c.got()[0].body), "signature": c.got()[0].header.Get("Stripe-Signature"), "secret": hookSecret,
	})
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Type, Charge, Forged string }
	runNode(t, api.URL, "webhook", delivery, &got)
	if got.Type != "charge.succeeded" || got.Charge == "" || got.Forged != "StripeSignatureVerificationError" {
		t.Errorf("%+v", got)
	}
}
