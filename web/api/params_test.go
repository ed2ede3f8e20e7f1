package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"chargeonce/ledger"
)

// decodeCharge reads a charge as the handler does.
func decodeCharge(form, text string) (ledger.ChargeRequest, *Problem) {
	c := &call{r: newRequestF()}
	if text != "" {
		tree, problem := decodeJSON([]byte(text))
		if problem != nil {
			return ledger.ChargeRequest{}, problem
		}
		return chargeRequest(c, body{tree: tree, typed: true})
	}
	tree, problem := decodeForm(form)
	if problem != nil {
		return ledger.ChargeRequest{}, problem
	}
	return chargeRequest(c, body{tree: tree})
}

func TestABadAmountIsRefusedByName(t *testing.T) {
	for _, amount := range []string{
		"50.0", "1e2", "-1", "0", "+1", "05", "100000000", "99999999999999999999999", " 1", "1 ", "0x10", "1_000", "٣", "NaN", "-0", "1.",
	} {
		_, problem := decodeCharge("amount="+url.QueryEscape(amount)+"&currency=eur&source=tok_visa", "")
		checkAmount(t, "form "+amount, problem)
	}
	for _, amount := range []string{`50.0`, `1e2`, `"50.00"`, `"5000"`, `-1`, `0`, `true`, `[5000]`, `{"a":1}`, `100000000`, `5000.0`, `1E1`} {
		_, problem := decodeCharge("", `{"amount":`+amount+`,"currency":"eur","source":"tok_visa"}`)
		checkAmount(t, "JSON "+amount, problem)
	}
	for _, amount := range []string{"1", "99999999"} {
		if _, problem := decodeCharge("amount="+amount+"&currency=eur&source=tok_visa", ""); problem != nil {
			t.Errorf("%s: %v", amount, problem)
		}
	}
}

func checkAmount(t *testing.T, what string, problem *Problem) {
	t.Helper()
	if problem == nil || problem.Code != CodeAmountInvalid || problem.Param != "amount" {
		t.Errorf("%s: %+v", what, problem)
	}
}

func TestTheCurrencyHasOneSpelling(t *testing.T) { // G11
	for currency, hint := range map[string]string{
		"USD": `"usd"`, "Eur": `"eur"`, "usd ": `"usd"`, " JPY": `"jpy"`, "doge": "ISO 4217", "U$D": "ISO 4217", "us": "ISO 4217", "xau": "ISO 4217", "ｕｓｄ": "ISO 4217",
	} {
		_, problem := decodeCharge("amount=1&source=tok_visa&currency="+url.QueryEscape(currency), "")
		if problem == nil || problem.Code != CodeCurrencyInvalid || problem.Param != "currency" || !strings.Contains(problem.Message, hint) {
			t.Errorf("%q: %+v", currency, problem)
		}
	}
	if _, problem := decodeCharge("amount=1&source=tok_visa&currency=", ""); problem == nil || problem.Code != CodeParamInvalid || problem.Param != "currency" {
		t.Errorf("empty: %+v", problem)
	}
	b := newBench(t, benchOptions{})
	b.refused(http.StatusBadRequest, CodeCurrencyInvalid, ask{form: with("currency", "USD")})
	b.want(http.StatusCreated, ask{form: with("currency", "usd")}) // the refused spelling left no record behind
}

func TestARefusalNamesItsParameter(t *testing.T) {
	good := "amount=1&currency=eur&source=tok_visa"
	for _, c := range []struct {
		form, json, param string
		code              Code
	}{
		{form: "currency=eur&source=tok_visa", param: "amount", code: CodeParamMissing},
		{form: "amount=1&source=tok_visa", param: "currency", code: CodeParamMissing},
		{form: "amount=1&currency=eur", param: "source", code: CodeParamMissing},
		{form: good + "&payment_method=pm_card_visa", param: "payment_method", code: CodeParamInvalid},
		{form: good + "&ammount=1", param: "ammount", code: CodeParamUnknown},
		{form: "ammount=1&currency=eur&source=tok_visa", param: "ammount", code: CodeParamUnknown},
		{form: good + "&customer=cus_1", param: "customer", code: CodeParamUnknown},
		{form: good + "&capture=false", param: "capture", code: CodeParamInvalid},
		{form: good + "&capture=maybe", param: "capture", code: CodeParamInvalid},
		{form: good + "&description[a]=x", param: "description", code: CodeParamInvalid},
		{form: good + "&description=" + strings.Repeat("x", 1001), param: "description", code: CodeParamInvalid},
		{form: good + "&metadata=x", param: "metadata", code: CodeParamInvalid},
		{form: good + "&metadata[a][b]=x", param: "metadata", code: CodeParamInvalid},
		{form: good + "&metadata[" + strings.Repeat("n", 41) + "]=x", param: "metadata", code: CodeParamInvalid},
		{form: good + "&metadata[a]=" + strings.Repeat("x", 501), param: "metadata", code: CodeParamInvalid},
		{form: "amount=1&currency=eur&source=tok_nope", param: "source", code: CodeTokenInvalid},
		{form: "amount=1&currency=eur&source=visa", param: "source", code: CodeTokenInvalid},
		{form: "amount=1&currency=eur&payment_method=pm_visa", param: "payment_method", code: CodeTokenInvalid},
		{json: `{"amount":1,"currency":1,"source":"tok_visa"}`, param: "currency", code: CodeParamInvalid},
		{json: `{"amount":1,"currency":"eur","source":7}`, param: "source", code: CodeCardNumber},
		{json: `{"amount":1,"currency":"eur","source":"tok_visa","metadata":{"a":7}}`, param: "metadata", code: CodeParamInvalid},
		{json: `{"amount":1,"currency":"eur","source":"tok_visa","metadata":["a"]}`, param: "metadata", code: CodeParamInvalid},
		{json: `{"amount":1,"currency":"eur","source":"tok_visa","description":7}`, param: "description", code: CodeParamInvalid},
		{json: `{"amount":1,"currency":"eur","source":"tok_visa","capture":"true"}`, param: "capture", code: CodeParamInvalid},
	} {
		if _, problem := decodeCharge(c.form, c.json); problem == nil || problem.Code != c.code || problem.Param != c.param {
			t.Errorf("%s%s: %+v, want %s %s", c.form, c.json, problem, c.code, c.param)
		}
	}
	for _, name := range []string{"4242424242424242", "a b", strings.Repeat("n", 41), "<script>", "sk test", "é"} {
		_, problem := decodeCharge(good+"&"+url.QueryEscape(name)+"=1", "")
		if problem == nil || problem.Code != CodeParamUnknown || problem.Param != "" || strings.Contains(problem.Message, name) {
			t.Errorf("%q is repeated: %+v", name, problem)
		}
	}
}

func TestMetadataHasStripesBounds(t *testing.T) {
	form := goodForm()
	for i := range maxMetadata {
		form.Set(fmt.Sprintf("metadata[%s%02d]", strings.Repeat("ü", 38), i), strings.Repeat("ü", 20))
	}
	form.Set("metadata["+strings.Repeat("ü", 38)+"00]", strings.Repeat("€", 500))
	request, problem := decodeCharge(form.Encode(), "")
	if problem != nil || len(request.Metadata) != maxMetadata {
		t.Errorf("%d entries: %v", len(request.Metadata), problem)
	}
	form.Set("metadata[one_more]", "x")
	if _, problem := decodeCharge(form.Encode(), ""); problem == nil || problem.Param != "metadata" {
		t.Errorf("51 entries: %v", problem)
	}
	unset, problem := decodeCharge(goodForm().Encode()+"&metadata[a]=&metadata[b]=1", "")
	if problem != nil || len(unset.Metadata) != 1 || unset.Metadata["b"] != "1" {
		t.Errorf("an empty value is not unset: %v (%v)", unset.Metadata, problem)
	}
	numbered, problem := decodeCharge(goodForm().Encode()+"&metadata[0]=a&metadata[1]=b", "")
	if problem != nil || numbered.Metadata["0"] != "a" || numbered.Metadata["1"] != "b" {
		t.Errorf("numbered names are lost: %v (%v)", numbered.Metadata, problem)
	}
}

func TestBooleansOfAFormAreReadInAnyCase(t *testing.T) {
	for _, text := range []string{"true", "True", "TRUE", "tRuE"} {
		if _, problem := decodeCharge(goodForm().Encode()+"&capture="+text, ""); problem != nil {
			t.Errorf("%s: %v", text, problem)
		}
	}
	upper, _ := decodeCharge(goodForm().Encode()+"&capture=True", "")
	typed, _ := decodeCharge("", `{"amount":5000,"currency":"eur","source":"tok_visa","capture":true}`)
	if !upper.Fingerprint.Equal(typed.Fingerprint) {
		t.Error("True and true are two requests")
	}
}
