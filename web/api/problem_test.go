package api

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// declaredCodes reads the constants of codes.go, so that a code that is added
// there and forgotten in the table fails the test.
func declaredCodes(t *testing.T) (codes []Code) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok {
			for _, value := range spec.Values {
				text, err := strconv.Unquote(value.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, Code(text))
			}
		}
		return true
	})
	return codes
}

func TestEveryCodeHasItsRowInTheTable(t *testing.T) {
	codes := declaredCodes(t)
	if len(codes) < 20 || len(codes) != len(rules) {
		t.Errorf("%d codes, %d rows", len(codes), len(rules))
	}
	kinds := map[string][]int{
		kindInvalid: {400, 404, 405, 408, 413, 415}, kindCredential: {401}, kindCard: {402},
		kindIdempotency: {409}, kindRate: {429}, kindAPI: {500, 503},
	}
	for _, code := range codes {
		row, ok := rules[code]
		if !ok {
			t.Errorf("%s has no row", code)
			continue
		}
		if !strings.Contains(fmt.Sprint(kinds[row.kind]), strconv.Itoa(row.status)) || row.title == "" {
			t.Errorf("%s: a %s of status %d", code, row.kind, row.status)
		}
	}
	if Code("never heard of").rule().status != http.StatusInternalServerError {
		t.Error("an unknown code is our bug and must look like one")
	}
}

func TestRetryingIsAdvisedOnlyWhereItCanHelp(t *testing.T) {
	want := map[Code]bool{
		CodeKeyInUse: true, CodeRateLimited: true, CodeOutcomeUnknown: true, CodeStorageFull: true, CodeUnavailable: true,
		CodeChargePending: true,
	}
	for _, code := range declaredCodes(t) {
		if got := (&Problem{Code: code}).ShouldRetry(); got != want[code] {
			t.Errorf("%s: %v", code, got)
		}
	}
}

func TestAProblemIsOneDocumentForBothKindsOfClients(t *testing.T) {
	w := httptest.NewRecorder()
	(&Problem{Code: CodeKeyReused, Message: "It differs.", Param: "amount", RetryAfter: 0}).Write(w)
	want := `{"type":"/help/errors#idempotency_key_reused","title":"The idempotency key belongs to another request","status":409,"detail":"It differs.",` +
		`"error":{"type":"idempotency_error","code":"idempotency_key_reused","message":"It differs.","param":"amount"}}` + "\n"
	if w.Body.String() != want || w.Code != 409 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/problem+json", "Stripe-Should-Retry": "false", "Retry-After": "", "Content-Length": strconv.Itoa(len(want)),
	} {
		if w.Header().Get(name) != value {
			t.Errorf("%s: %q", name, w.Header().Get(name))
		}
	}
}

func TestRetryAfterIsWholeSecondsRoundedUpAndNeverZero(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1: "1", time.Millisecond: "1", time.Second: "1", time.Second + 1: "2", 90 * time.Second: "90", -time.Second: "1",
	} {
		if got := seconds(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestSuccessNeverCarriesTheRetryHeader(t *testing.T) { // SDKs would send a paid request again
	w := httptest.NewRecorder()
	send(w, http.StatusCreated, true, []byte("{}"))
	if _, there := w.Header()["Stripe-Should-Retry"]; there {
		t.Error("a 201 says something about retrying")
	}
}

func TestErrorsOfTheDomainHaveTheirAnswers(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("commit 2: %w", err) }
	for _, c := range []struct {
		err  error
		code Code
	}{
		{ledger.ErrOutcomeUnknown, CodeOutcomeUnknown},
		{ledger.ErrProviderRefused, CodeProviderRefused},
		{ledger.ErrOverloaded, CodeRateLimited},
		{ledger.ErrClosed, CodeUnavailable},
		{ledger.ErrContention, CodeUnavailable},
		{ledger.ErrDiskFull, CodeStorageFull},
		{ledger.ErrTooBig, CodeBodyTooLarge},
		{ledger.ErrNotFound, CodeResourceMissing},
		{ledger.ErrCorrupt, CodeInternal},
		{errors.New("what?"), CodeInternal},
		{context.Canceled, CodeOutcomeUnknown},
		{&ledger.PanicError{Value: "x"}, CodeOutcomeUnknown},
		{fmt.Errorf("%w: %w", ledger.ErrOutcomeUnknown, ledger.ErrDiskFull), CodeOutcomeUnknown},
		{&ProviderError{Refused: true, Reason: "it answered 400"}, CodeProviderRefused},
		{&ProviderError{Reason: "it answered 503"}, CodeOutcomeUnknown},
	} {
		problem := problemOf(wrap(c.err))
		if problem.Code != c.code || problem.ShouldRetry() != (problem.RetryAfter > 0) {
			t.Errorf("%v: %s, Retry-After %v", c.err, problem.Code, problem.RetryAfter)
		}
	}
	invalid := problemOf(wrap(&ledger.InvalidError{Param: "amount", Reason: "too much"}))
	if invalid.Code != CodeParamInvalid || invalid.Param != "amount" || !strings.Contains(invalid.Message, "too much") {
		t.Errorf("%+v", invalid)
	}
}

func TestAnotherOperationIsNamedInAConflict(t *testing.T) {
	print := func(method, path string, params idem.Params) idem.Fingerprint {
		return idem.NewFingerprint(method, path, nil, params)
	}
	refund := idem.Record{Operation: "POST /v1/refunds", Fingerprint: print("POST", "/v1/refunds", idem.Params{"charge": "ch_1"})}
	param, message := conflictMessage(refund, "POST /v1/charges", print("POST", "/v1/charges", idem.Params{"amount": "1"}))
	if param != "" || !strings.Contains(message, "POST /v1/refunds") {
		t.Errorf("%q %q", param, message)
	}
	many := idem.Params{}
	for i := range 100 {
		many["p"+strconv.Itoa(100+i)] = "1"
	}
	first := print("POST", "/v1/charges", many)
	many["p199"] = "2"
	param, message = conflictMessage(idem.Record{Fingerprint: first}, "POST /v1/charges", print("POST", "/v1/charges", many))
	if param != "" || !strings.Contains(message, "other parameters") {
		t.Errorf("%q %q", param, message)
	}
}
