package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/lestrrat-go/jsval"
	"github.com/stripe/stripe-mock/embedded"
	"github.com/stripe/stripe-mock/spec"
)

// openAPI is Stripe's own description of its API, read once: it has 8 MB.
var openAPI = sync.OnceValues(func() (read struct {
	spec.Spec
	components *spec.ComponentsForValidation
}, err error,
) {
	if err := json.Unmarshal(embedded.OpenAPISpec, &read.Spec); err != nil {
		return read, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	for _, schema := range read.Components.Schemas {
		nullable(schema)
	}
	read.components = spec.GetComponentsForValidation(&read.Components)
	return read, nil
})

// nullable spells "one of these, or null" so that the validator understands it:
// as the library translates it, such a field may hold anything.
func nullable(schema *spec.Schema) {
	if schema == nil {
		return
	}
	if schema.Nullable && len(schema.AnyOf) > 0 {
		schema.Nullable = false
		schema.AnyOf = append(schema.AnyOf, &spec.Schema{Type: "null", AdditionalPropertiesAllowed: true})
	}
	for _, property := range schema.Properties {
		nullable(property)
	}
	for _, alternative := range schema.AnyOf {
		nullable(alternative)
	}
	nullable(schema.Items)
	nullable(schema.AdditionalProperties)
}

// answers is the schema of what an operation answers with, or of its error.
func answers(t *testing.T, method, path string, failed bool) *jsval.JSVal {
	t.Helper()
	document, err := openAPI()
	if err != nil {
		t.Fatal(err)
	}
	operation := document.Paths[spec.Path(path)][spec.HTTPVerb(strings.ToLower(method))]
	if operation == nil {
		t.Fatalf("Stripe has no %s %s", method, path)
	}
	code := spec.StatusCode("200")
	if failed {
		code = "default"
	}
	validator, err := spec.GetValidatorForOpenAPI3Schema(operation.Responses[code].Content["application/json"].Schema, document.components)
	if err != nil {
		t.Fatal(err)
	}
	return validator
}

// conforming asks the API for something and holds its answer against what
// Stripe says of the operation. It returns the answer, decoded.
func (c *stageClient) conforming(method, path, template, key string, form url.Values, status int) map[string]any {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer sk_test_spec")
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status {
		c.t.Fatalf("%s %s: %d, want %d: %v %s", method, path, response.StatusCode, status, err, body)
	}
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		c.t.Fatal(err)
	}
	if err := answers(c.t, method, template, status >= 400).Validate(answer); err != nil {
		c.t.Errorf("%s %s does not conform: %v\n%s", method, path, err, body)
	}
	return answer
}

func TestAnswersConformToStripesOpenAPIDocument(t *testing.T) {
	p := start(t, "api", "--listen", "127.0.0.1:0", "--data", t.TempDir())
	c := newStageClient(t, p.URL)
	pay := func(more ...string) url.Values {
		form := url.Values{"amount": {"5000"}, "currency": {"eur"}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return form
	}
	charge := c.conforming("POST", "/v1/charges", "/v1/charges", "c1", pay("source", "tok_visa", "metadata[a]", "b"), 201)["id"].(string)
	c.conforming("POST", "/v1/charges", "/v1/charges", "c2", pay("source", "tok_chargeDeclined"), 402)
	c.conforming("POST", "/v1/charges", "/v1/charges", "c1", pay("source", "tok_amex"), 409)
	c.conforming("POST", "/v1/charges", "/v1/charges", "c3", pay("source", "tok_visa", "colour", "red"), 400)
	c.conforming("POST", "/v1/charges", "/v1/charges", "c4", pay("source", "tok_visa", "description", "socks", "currency", "kwd"), 201)
	refund := c.conforming("POST", "/v1/refunds", "/v1/refunds", "r1", url.Values{"charge": {charge}, "amount": {"100"}, "reason": {"duplicate"}}, 201)["id"].(string)
	c.conforming("POST", "/v1/refunds", "/v1/refunds", "r2", url.Values{"charge": {charge}, "amount": {"5000"}}, 400)
	intent := c.conforming("POST", "/v1/payment_intents", "/v1/payment_intents", "p1", pay("payment_method", "pm_card_visa", "confirm", "true"), 201)["id"].(string)
	c.conforming("POST", "/v1/payment_intents", "/v1/payment_intents", "p2", pay("payment_method", "pm_card_chargeDeclined", "confirm", "true"), 402)
	c.conforming("POST", "/v1/payment_intents", "/v1/payment_intents", "p3", pay(), 201)

	const confirm = "/v1/payment_intents/{intent}/confirm"
	waiting := c.conforming("POST", "/v1/payment_intents", "/v1/payment_intents", "p4", pay("payment_method", "pm_card_visa"), 201)["id"].(string)
	c.conforming("POST", "/v1/payment_intents/"+waiting+"/confirm", confirm, "p5", url.Values{}, 201)
	c.conforming("POST", "/v1/payment_intents/"+waiting+"/confirm", confirm, "p6", url.Values{}, 400)

	hook := url.Values{"url": {"http://127.0.0.1:9/"}, "enabled_events[]": {"*"}}
	endpoint := c.conforming("POST", "/v1/webhook_endpoints", "/v1/webhook_endpoints", "w1", hook, 201)["id"].(string)
	c.conforming("POST", "/v1/webhook_endpoints/"+endpoint, "/v1/webhook_endpoints/{webhook_endpoint}", "w3", url.Values{"disabled": {"false"}}, 200)
	c.conforming("POST", "/v1/webhook_endpoints", "/v1/webhook_endpoints", "w2", url.Values{}, 400)

	for template, id := range map[string]string{
		"/v1/webhook_endpoints/{webhook_endpoint}": endpoint,
		"/v1/charges/{charge}":                     charge, "/v1/refunds/{refund}": refund, "/v1/payment_intents/{intent}": intent,
	} {
		at := strings.Index(template, "{")
		c.conforming("GET", template[:at]+id, template, "", nil, 200)
		c.conforming("GET", template[:at]+"nonsense", template, "", nil, 404)
	}
	for _, list := range []string{"/v1/charges", "/v1/refunds", "/v1/payment_intents", "/v1/events", "/v1/webhook_endpoints"} {
		data := c.conforming("GET", list, list, "", nil, 200)["data"].([]any)
		if len(data) == 0 {
			t.Errorf("%s is empty: nothing was checked", list)
		}
	}
	event := c.conforming("GET", "/v1/events?limit=1", "/v1/events", "", nil, 200)["data"].([]any)[0].(map[string]any)["id"].(string)
	c.conforming("GET", "/v1/events/"+event, "/v1/events/{id}", "", nil, 200)
	c.conforming("DELETE", "/v1/webhook_endpoints/"+endpoint, "/v1/webhook_endpoints/{webhook_endpoint}", "", nil, 200)
	for kind, want := range map[string]int{"charge.failed": 2, "refund.created": 1} {
		data := c.conforming("GET", "/v1/events?type="+kind, "/v1/events", "", nil, 200)["data"].([]any)
		if len(data) != want {
			t.Errorf("%d events of type %s, want %d", len(data), kind, want)
		}
	}
	c.conforming("GET", "/v1/balance", "/v1/balance", "", nil, 200)
}

// TestTheValidatorSeesAWrongType breaks a right answer in the ways that make
// SDKs fail a call whose money has moved: a validator that lets these pass
// proves nothing.
func TestTheValidatorSeesAWrongType(t *testing.T) {
	p := start(t, "api", "--listen", "127.0.0.1:0", "--data", t.TempDir())
	c := newStageClient(t, p.URL)
	form := url.Values{"amount": {"5000"}, "currency": {"eur"}, "source": {"tok_visa"}}
	right := c.conforming("POST", "/v1/charges", "/v1/charges", "c", form, 201)
	validator := answers(t, "POST", "/v1/charges", false)
	for name, wrong := range map[string]any{"amount": "5000", "paid": "true", "metadata": nil, "status": "paid", "outcome": "approved", "description": 7.5} {
		kept := right[name]
		right[name] = wrong
		if err := validator.Validate(right); err == nil {
			t.Errorf("%s=%v passes", name, wrong)
		}
		right[name] = kept
	}
	delete(right, "amount_refunded")
	if err := validator.Validate(right); err == nil {
		t.Error("a missing field passes")
	}
}
