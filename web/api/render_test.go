package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"chargeonce/ledger"
)

// chargeSchema is Stripe's charge as its OpenAPI document types it: the JSON
// type of each field that we render, a trailing ? where null is allowed, and a
// leading ! where the field is required.
var chargeSchema = map[string]string{
	"id": "!string", "object": "!string", "amount": "!integer", "amount_captured": "!integer", "amount_refunded": "!integer",
	"balance_transaction": "string?", "billing_details": "!object", "captured": "!boolean", "created": "!integer", "currency": "!string",
	"customer": "string?", "description": "string?", "disputed": "!boolean", "failure_code": "string?", "failure_message": "string?",
	"livemode": "!boolean", "metadata": "!object", "outcome": "object?", "paid": "!boolean", "payment_intent": "string?",
	"payment_method": "string?", "payment_method_details": "object?", "receipt_email": "string?", "receipt_number": "string?",
	"receipt_url": "string?", "refunded": "!boolean", "status": "!string",
}

func jsonType(raw json.RawMessage) string {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return "invalid"
	}
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case map[string]any:
		return "object"
	case float64:
		if value == float64(int64(value)) {
			return "integer"
		}
	}
	return fmt.Sprintf("%T", value)
}

// checkSchema compares each field with Stripe's type.
func checkSchema(t *testing.T, text string) {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	for name, want := range chargeSchema {
		raw, there := fields[name]
		if !there {
			t.Errorf("%s is missing", name)
			continue
		}
		required, nullable := want[0] == '!', want[len(want)-1] == '?'
		kind := want
		if required {
			kind = kind[1:]
		}
		if nullable {
			kind = kind[:len(kind)-1]
		}
		if got := jsonType(raw); got != kind && (!nullable || got != "null") {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for name := range fields {
		if chargeSchema[name] == "" {
			t.Errorf("%s is not a field of Stripe's charge that we know the type of", name)
		}
	}
}

func TestAChargeHasStripesFieldsInStripesTypes(t *testing.T) {
	whole := ledger.Charge{
		ID: "ch_1", Owner: "shop", Amount: 5000, Currency: "eur", Card: "tok_visa", Description: "a gift", Metadata: map[string]string{"order": "7"},
		Status: ledger.Succeeded, Capture: "op_1", Created: time.Unix(1700000000, 5e8), Key: "k", Request: "req_1", Transfer: "tr_1",
	}
	declined, bare := whole, ledger.Charge{ID: "ch_2", Amount: 1, Currency: "jpy", Status: ledger.Pending, Created: time.Unix(1, 0)}
	declined.Status, declined.FailureCode, declined.DeclineCode, declined.FailureMessage = ledger.Failed, "card_declined", "lost_card", "No."
	for what, c := range map[string]ledger.Charge{"succeeded": whole, "declined": declined, "pending": bare} {
		t.Run(what, func(t *testing.T) { checkSchema(t, string(mustJSON(chargeOf(c)))) })
	}
	object := chargeOf(whole)
	if object.Created != 1700000000 || object.Livemode || object.Object != "charge" || object.Outcome.Type != "authorized" {
		t.Errorf("%+v", object)
	}
	if got := chargeOf(declined).Outcome; got.Type != "issuer_declined" || *got.Reason != "lost_card" {
		t.Errorf("%+v", got)
	}
	if pending := chargeOf(bare); pending.Paid || pending.Captured || pending.Outcome != nil || pending.Status != "pending" {
		t.Errorf("a pending charge says more than anybody knows: %+v", pending)
	}
	refunded := whole
	refunded.AmountRefunded = 5000
	if !chargeOf(refunded).Refunded || chargeOf(whole).Refunded {
		t.Error("refunded means wholly refunded")
	}
}

func TestTheStoredAnswerIsAPureFunctionOfTheCharge(t *testing.T) {
	for status, want := range map[ledger.Status]int{ledger.Succeeded: http.StatusCreated, ledger.Failed: http.StatusPaymentRequired} {
		c := ledger.Charge{ID: "ch_1", Amount: 5, Currency: "eur", Status: status, Request: "req_1", Metadata: map[string]string{"a": "1", "b": "2", "c": "3"}}
		first, again := RenderCharge(c), RenderCharge(c)
		if first.Status != want || string(first.Body) != string(again.Body) || first.Request != "req_1" {
			t.Errorf("%s: %+v", status, first)
		}
		for name := range first.Header {
			if name != "Content-Type" && name != "Location" {
				t.Errorf("%s: %s would be replayed", status, name)
			}
		}
	}
}
