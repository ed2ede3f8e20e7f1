package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// typedParams are all parameters that cannot be empty, by the request that has
// them: with a value each would be lawful, as it is in what stands before it.
var typedParams = []struct{ method, path, rest, name string }{
	{http.MethodPost, "/v1/charges", "currency=eur&source=tok_visa", "amount"},
	{http.MethodPost, "/v1/charges", "amount=1&source=tok_visa", "currency"},
	{http.MethodPost, "/v1/charges", "amount=1&currency=eur", "source"},
	{http.MethodPost, "/v1/charges", "amount=1&currency=eur&source=tok_visa", "payment_method"},
	{http.MethodPost, "/v1/charges", "amount=1&currency=eur&source=tok_visa", "capture"},
	{http.MethodPost, "/v1/payment_intents", "amount=1&currency=eur", "confirm"},
	{http.MethodPost, "/v1/payment_intents", "amount=1&currency=eur", "payment_method_types"},
	{http.MethodPost, "/v1/payment_intents/pi_1/confirm", "", "payment_method"},
	{http.MethodPost, "/v1/refunds", "charge=CHARGE", "amount"},
	{http.MethodPost, "/v1/refunds", "charge=CHARGE", "payment_intent"},
	{http.MethodPost, "/v1/refunds", "charge=CHARGE", "reason"},
	{http.MethodPost, "/v1/webhook_endpoints", "enabled_events[]=*", "url"},
	{http.MethodPost, "/v1/webhook_endpoints", "url=http://localhost/", "enabled_events"},
	{http.MethodPost, "/v1/webhook_endpoints/we_1", "", "url"},
	{http.MethodPost, "/v1/webhook_endpoints/we_1", "", "disabled"},
	{http.MethodPost, "/v1/webhook_endpoints/we_1", "", "enabled_events"},
	{http.MethodPut, "/v1/carts/a/items/b", "", "quantity"},
	{http.MethodPost, "/v1/carts/a/items/b/increment", "", "by"},
}

// jsonWithEmpty is a form as JSON, with one parameter more, which is empty.
func jsonWithEmpty(t *testing.T, form, name string) string {
	t.Helper()
	tree, problem := decodeForm(form)
	if problem != nil {
		t.Fatal(problem)
	}
	if amount, there := tree["amount"]; there {
		tree["amount"] = json.Number(amount.(string))
	}
	tree[name] = ""
	return string(mustJSON(tree))
}

// TestAnEmptyTypedParameterIsRefusedByName: an SDK's way of writing nil must
// not make of a refund in part one of everything.
func TestAnEmptyTypedParameterIsRefusedByName(t *testing.T) {
	b := newBench(t, benchOptions{})
	made := b.want(http.StatusCreated, ask{key: "made"}).charge(t)
	for i, one := range typedParams {
		rest := strings.ReplaceAll(one.rest, "CHARGE", made.ID)
		for j, body := range []string{rest + "&" + one.name + "=", one.name + "&" + rest, ""} {
			a := ask{method: one.method, path: one.path, key: fmt.Sprintf("k-%d-%d", i, j), body: strings.NewReader(body)}
			if body == "" {
				a.body, a.json = nil, jsonWithEmpty(t, rest, one.name)
			}
			got := b.send(a)
			if got.status != http.StatusBadRequest || got.doc(t).Error.Param != one.name {
				t.Errorf("%s %s without a value for %s: %d %s", one.method, one.path, one.name, got.status, got.body)
			}
		}
	}
	if now := b.readCharge(made.ID); now.AmountRefunded != 0 {
		t.Errorf("%d went back", now.AmountRefunded)
	}
}

func TestAnEmptyParameterOfAQueryIsRefusedByName(t *testing.T) {
	b := newBench(t, benchOptions{})
	for _, name := range []string{"limit", "starting_after", "ending_before"} {
		for _, path := range []string{pathCharges, pathRefunds, pathIntents, pathEvents, pathEndpoints} {
			if doc := b.refused(http.StatusBadRequest, CodeParamInvalid, ask{method: "GET", path: path + "?" + name + "="}); doc.Error.Param != name {
				t.Errorf("%s?%s=: %+v", path, name, doc)
			}
		}
	}
	for name, path := range map[string]string{"type": pathEvents, "charge": pathRefunds, "key": pathKeys} {
		if doc := b.refused(http.StatusBadRequest, CodeParamInvalid, ask{method: "GET", path: path + "?" + name + "="}); doc.Error.Param != name {
			t.Errorf("%s?%s=: %+v", path, name, doc)
		}
	}
}

// TestNullIsAnAbsentParameter: JSON has two ways of saying nothing, a form one.
func TestNullIsAnAbsentParameter(t *testing.T) {
	b := newBench(t, benchOptions{})
	const absent = `{"amount":5000,"currency":"eur","source":"tok_visa"}`
	const null = `{"amount":5000,"currency":"eur","source":"tok_visa","payment_method":null,"capture":null,"description":null,"metadata":null}`
	made := b.want(http.StatusCreated, ask{json: absent})
	if again := b.want(http.StatusCreated, ask{json: null}); again.body != made.body {
		t.Errorf("another request: %s", again.body)
	}
	if again := b.want(http.StatusCreated, ask{json: `{"amount":5000,"currency":"eur","source":"tok_visa","description":"","metadata":""}`}); again.body != made.body {
		t.Errorf("an empty text says something: %s", again.body)
	}
}

func TestAnEmptyDescriptionClearsIt(t *testing.T) {
	b := newBench(t, benchOptions{})
	form := hook("k", "*")
	form.form.Set("description", "ours")
	made := b.want(http.StatusCreated, form).endpoint(t)
	if kept := b.want(http.StatusOK, b.change(made.ID, "c", url.Values{"disabled": {"false"}})).endpoint(t); *kept.Description != "ours" {
		t.Errorf("%+v", kept)
	}
	if now := b.want(http.StatusOK, b.change(made.ID, "d", url.Values{"description": {""}})).endpoint(t); now.Description != nil {
		t.Errorf("%q is left", *now.Description)
	}
	b.refused(http.StatusConflict, CodeKeyReused, b.change(made.ID, "d", url.Values{"disabled": {"false"}}))
}
