package api

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"chargeonce/ledger"
)

const (
	refundedBody = `{"id":"op_2","status":"refunded","amount":4000,"currency":"eur","reference":"shop/ch_1","capture":"op_1"}`
	noRefundBody = `{"id":"op_2","status":"declined","amount":4000,"currency":"eur","reference":"shop/ch_1","capture":"op_1","decline_code":"refund_exceeds_capture"}`
)

func TestOnlyRefundedAndDeclinedAreFinal(t *testing.T) {
	refunded := ledger.Refunded{ID: "op_2"}
	declined := ledger.Refunded{Declined: true, DeclineCode: "refund_exceeds_capture"}
	for _, c := range []struct {
		what   string
		status int
		body   string
		want   ledger.Refunded
		is     error
	}{
		{"refunded", 201, refundedBody, refunded, nil},
		{"declined", 402, noRefundBody, declined, nil},
		{"a capture", 201, capturedBody, ledger.Refunded{}, ledger.ErrOutcomeUnknown},
		{"a 200", 200, refundedBody, ledger.Refunded{}, ledger.ErrOutcomeUnknown},
		{"a 201 that says declined", 201, noRefundBody, ledger.Refunded{}, ledger.ErrOutcomeUnknown},
		{"a 402 that says refunded", 402, refundedBody, ledger.Refunded{}, ledger.ErrOutcomeUnknown},
		{"no id", 201, strings.Replace(refundedBody, "op_2", "", 1), ledger.Refunded{}, ledger.ErrOutcomeUnknown},
		{"another amount", 201, strings.Replace(refundedBody, "4000", "40", 1), ledger.Refunded{}, ledger.ErrOutcomeUnknown},
		{"another capture", 201, strings.Replace(refundedBody, "op_1", "op_3", 1), ledger.Refunded{}, ledger.ErrOutcomeUnknown},
		{"no JSON", 201, "<html>", ledger.Refunded{}, ledger.ErrOutcomeUnknown},
		{"409 in progress", 409, `{"code":"idempotency_key_in_use"}`, ledger.Refunded{}, ledger.ErrOutcomeUnknown},
		{"409 key mismatch", 409, `{"code":"idempotency_key_reused"}`, ledger.Refunded{}, ledger.ErrProviderRefused},
		{"404 no such capture", 404, `{"code":"capture_unknown"}`, ledger.Refunded{}, ledger.ErrProviderRefused},
		{"429", 429, "", ledger.Refunded{}, ledger.ErrOutcomeUnknown},
		{"503", 503, "", ledger.Refunded{}, ledger.ErrOutcomeUnknown},
	} {
		got, err := teller(t, ProviderOptions{}, says(c.status, c.body)).Refund(t.Context(), "ref_re_1", "op_1", 4000)
		if got != c.want || c.is == nil && err != nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %+v, %v", c.what, got, err)
		}
	}
}

func TestACaptureIsNotAnsweredByARefund(t *testing.T) {
	body := `{"id":"op_1","status":"refunded","amount":5000,"currency":"eur","reference":"shop/ch_1"}`
	got, err := teller(t, ProviderOptions{}, says(201, body)).Capture(t.Context(), "cap_ch_1", order)
	if got != (ledger.Captured{}) || !errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestALookUpFindsARefund(t *testing.T) {
	got, found, err := teller(t, ProviderOptions{}, says(200, refundedBody)).Lookup(t.Context(), "ref_re_1")
	if err != nil || !found || got != (ledger.Refunded{ID: "op_2"}) {
		t.Errorf("%+v, %v, %v", got, found, err)
	}
}

func TestARefundSendsItsCaptureUnderOneKey(t *testing.T) {
	var calls []seenCall
	cards := teller(t, ProviderOptions{Attempts: 2}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls = append(calls, seenCall{r.Method + " " + r.URL.Path, r.Header.Get("Idempotency-Key"), nil, string(body)})
		if len(calls) == 1 {
			http.Error(w, "", http.StatusServiceUnavailable)
			return
		}
		says(http.StatusCreated, refundedBody)(w, r)
	})
	if _, err := cards.Refund(t.Context(), "ref_re_1", "op_1", 4000); err != nil {
		t.Fatal(err)
	}
	if len(calls) != 2 || calls[0].key != "ref_re_1" || calls[1].key != calls[0].key || calls[1].body != calls[0].body {
		t.Fatalf("calls %+v", calls)
	}
	var sent map[string]any
	if err := json.Unmarshal([]byte(calls[0].body), &sent); err != nil || calls[0].method != "POST /refunds" ||
		sent["capture"] != "op_1" || sent["amount"] != 4000.0 || len(sent) != 2 {
		t.Errorf("sent %s %s", calls[0].method, calls[0].body)
	}
}
