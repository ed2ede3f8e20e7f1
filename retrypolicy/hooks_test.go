package retrypolicy_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"

	"chargeonce/retrypolicy"
)

func TestHooksTellEachAttemptItsEndAndEachWaitInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		client := retrypolicy.Client{
			Transport: &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
				if n == 1 {
					return nil, syscall.ECONNRESET
				}
				return answer([]int{503, 201}[n-2], "", "Retry-After", "1"), nil
			}},
			Policy: always(.5),
			Hooks: retrypolicy.Hooks{
				Attempt: func(_ context.Context, a retrypolicy.Attempt) {
					told = append(told, fmt.Sprintf("attempt %d of %d, key %s", a.Number, a.Of, a.Key))
				},
				Ended: func(_ context.Context, e retrypolicy.Ended) {
					told = append(told, fmt.Sprintf("ended %d: %d, %v, %v, %v, %s", e.Number, e.Status, e.Err, e.Timeout, e.Verdict, e.Reason))
				},
				Wait: func(_ context.Context, w retrypolicy.Wait) {
					told = append(told, fmt.Sprintf("wait %v for %d of %d, %v, %s", w.Delay, w.Next, w.Of, w.RetryAfter, w.Reason))
				},
			},
		}
		resp, err := client.Do(keyed(t, ""))
		wantStatus(t, resp, err, 201, 3)
		want := []string{
			"attempt 1 of 5, key order-7F3A",
			"ended 1: 0, connection reset by peer, false, retry, connection reset; outcome unknown",
			"wait 100ms for 2 of 5, false, connection reset; outcome unknown",
			"attempt 2 of 5, key order-7F3A",
			"ended 2: 503, <nil>, false, retry, 503: unavailable for the moment",
			"wait 1.1s for 3 of 5, true, 503: unavailable for the moment",
			"attempt 3 of 5, key order-7F3A",
			"ended 3: 201, <nil>, false, stop, 201: answered",
		}
		if !slices.Equal(told, want) {
			t.Errorf("told\n%q, want\n%q", told, want)
		}
	})
}

// Three 409s say three things, and their codes alone tell which.
func TestTheEndOfAnAttemptNamesTheCodeOfAConflict(t *testing.T) {
	for status, want := range map[int]string{http.StatusConflict: "idempotency_result_expired", http.StatusBadRequest: ""} {
		got := "nothing was told"
		client := retrypolicy.Client{
			Transport: &fake{answer: func(int, *http.Request) (*http.Response, error) {
				return answer(status, `{"error":{"code":"idempotency_result_expired"}}`), nil
			}},
			Policy: always(.5),
			Hooks:  retrypolicy.Hooks{Ended: func(_ context.Context, e retrypolicy.Ended) { got = e.Code }},
		}
		resp, err := client.Do(keyed(t, ""))
		wantStatus(t, resp, err, status, 1)
		if got != want {
			t.Errorf("%d: code %q, want %q", status, got, want)
		}
	}
}

type traceID struct{}

func TestHooksAndTransportSeeTheCallersContext(t *testing.T) {
	ctx := context.WithValue(t.Context(), traceID{}, "trace-1")
	see := func(where string, ctx context.Context) {
		if got := ctx.Value(traceID{}); got != "trace-1" {
			t.Errorf("%s sees %v", where, got)
		}
	}
	client := retrypolicy.Client{
		Policy: impatient(),
		Transport: &fake{answer: func(n int, req *http.Request) (*http.Response, error) {
			see("transport", req.Context())
			return answer([]int{503, 201}[n-1], ""), nil
		}},
		Hooks: retrypolicy.Hooks{
			Attempt: func(ctx context.Context, _ retrypolicy.Attempt) { see("Attempt", ctx) },
			Ended: func(ctx context.Context, _ retrypolicy.Ended) {
				see("Ended", ctx)
				if ctx.Err() != nil {
					t.Error("Ended runs on a context that ended with the attempt")
				}
			},
			Wait: func(ctx context.Context, _ retrypolicy.Wait) { see("Wait", ctx) },
		},
	}
	resp, err := client.Do(keyed(t, "").WithContext(ctx))
	wantStatus(t, resp, err, 201, 2)
}

func TestTheTransportCanLabelEachAttempt(t *testing.T) {
	wire := statuses(503, 503, 201)
	policy := impatient()
	policy.MaxAttempts = 4
	resp, err := (&retrypolicy.Client{Transport: wire, Policy: policy}).Do(keyed(t, ""))
	wantStatus(t, resp, err, 201, 3)
	for i, s := range wire.sent {
		if want := (retrypolicy.Attempt{Number: i + 1, Of: 4, Key: theKey}); s.attempt != want {
			t.Errorf("send %d is labelled %+v, want %+v", i+1, s.attempt, want)
		}
	}
}

func TestAContextOutsideOfACallHasNoAttempt(t *testing.T) {
	if a, ok := retrypolicy.AttemptFrom(t.Context()); ok {
		t.Errorf("got %+v", a)
	}
}
