package retrypolicy_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

func TestUsedUpAttemptsKeepTheLastAnswerAndError(t *testing.T) {
	wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
		if n == 2 {
			return nil, syscall.ECONNRESET
		}
		return answer(503, "down", "X-Number", string(rune('0'+n))), nil
	}}
	policy := impatient()
	policy.MaxAttempts = 3
	_, err := (&retrypolicy.Client{Transport: wire, Policy: policy}).Do(keyed(t, ""))
	exceeded := wantExceeded(t, err)
	if exceeded.Attempts != 3 || exceeded.Err != nil || exceeded.Response.Header.Get("X-Number") != "3" {
		t.Errorf("%+v", exceeded)
	}
	policy.MaxAttempts = 2
	wire.sent = nil
	_, err = (&retrypolicy.Client{Transport: wire, Policy: policy}).Do(keyed(t, ""))
	exceeded = wantExceeded(t, err)
	if !errors.Is(err, syscall.ECONNRESET) || exceeded.Response.Header.Get("X-Number") != "1" {
		t.Errorf("%+v, want the second attempt's error and the first one's answer", exceeded)
	}
}

func TestOneAttemptMeansThatNothingIsRepeated(t *testing.T) {
	wire := statuses(503)
	_, err := (&retrypolicy.Client{Transport: wire, Policy: retrypolicy.Policy{MaxAttempts: 1}}).Do(keyed(t, ""))
	if exceeded := wantExceeded(t, err); exceeded.Attempts != 1 || len(wire.sent) != 1 {
		t.Errorf("%d attempts, %d sends", exceeded.Attempts, len(wire.sent))
	}
}

// Case E04, within a call.
func TestRetryAfterIsAFloorUnderTheBackoff(t *testing.T) {
	cases := []struct {
		value  string
		random float64
		want   time.Duration
		wished bool
	}{
		{"2", 0, 2 * sec, true},
		{"2", .5, 2*sec + 100*ms, true}, // spread over one base, so that not all come back at once
		{"-5", .5, 100 * ms, false},
		{"soon", .5, 100 * ms, false},
		{"0", .5, 100 * ms, false},
		{"date", 0, 2 * sec, true},
	}
	for _, c := range cases {
		synctest.Test(t, func(t *testing.T) {
			value := c.value
			if value == "date" { // bubbles start on a whole second
				value = time.Now().Add(2 * sec).UTC().Format(http.TimeFormat)
			}
			wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
				if n > 1 {
					return answer(201, ""), nil
				}
				return answer(503, "", "Retry-After", value), nil
			}}
			watch := new(recorder)
			client := retrypolicy.Client{Transport: wire, Policy: always(c.random), Hooks: watch.hooks()}
			resp, err := client.Do(keyed(t, ""))
			wantStatus(t, resp, err, 201, 2)
			wait := watch.waits[0]
			if got := wire.sent[1].at.Sub(wire.sent[0].at); got != c.want || wait.Delay != c.want || wait.RetryAfter != c.wished {
				t.Errorf("%q: waited %v, told %+v; want %v, %v", c.value, got, wait, c.want, c.wished)
			}
		})
	}
}

func TestALongerBackoffWinsOverAShortRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
			return answer(503, "", "Retry-After", "1"), nil
		}}
		policy := retrypolicy.Policy{
			MaxAttempts: 4, Base: sec, Cap: 10 * sec, MaxElapsed: time.Hour,
			Random: func() float64 { return .75 },
		}
		watch := new(recorder)
		_, err := (&retrypolicy.Client{Transport: wire, Policy: policy, Hooks: watch.hooks()}).Do(keyed(t, ""))
		wantExceeded(t, err)
		for i, want := range []time.Duration{
			1750 * ms, // 1 s and .75 of one base, against .75 of 1 s
			1750 * ms, // against .75 of 2 s
			3 * sec,   // .75 of 4 s
		} {
			got := watch.waits[i]
			if got.Delay != want || got.RetryAfter != (want < 3*sec) {
				t.Errorf("wait %d: %+v, want %v", i+1, got, want)
			}
		}
	})
}

func TestWithoutJitterAWishIsWaitedForExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
			return answer([]int{503, 201}[n-1], "", "Retry-After", "1"), nil
		}}
		policy := always(.5)
		policy.Jitter = retrypolicy.JitterNone
		began := time.Now()
		resp, err := (&retrypolicy.Client{Transport: wire, Policy: policy}).Do(keyed(t, ""))
		wantStatus(t, resp, err, 201, 2)
		if took := time.Since(began); took != sec {
			t.Errorf("waited %v", took)
		}
	})
}

// Case E06: one user's client slept for 484 289 hours.
func TestAWaitAboveTheCeilingIsAnErrorThatNamesIt(t *testing.T) {
	for value, want := range map[string]time.Duration{"61": 61 * sec, "3600": time.Hour, "9999999999": math.MaxInt64} {
		synctest.Test(t, func(t *testing.T) {
			wire := &fake{answer: func(int, *http.Request) (*http.Response, error) {
				return answer(429, "slow down", "Retry-After", value), nil
			}}
			began := time.Now()
			_, err := (&retrypolicy.Client{Transport: wire}).Do(keyed(t, ""))
			long, ok := errors.AsType[*retrypolicy.WaitTooLongError](err)
			if !ok || !errors.Is(err, retrypolicy.ErrWaitTooLong) {
				t.Fatalf("%s: %v", value, err)
			}
			if long.Wait != want || long.Attempts != 1 || string(long.Response.Body) != "slow down" ||
				!strings.Contains(err.Error(), want.String()) {
				t.Errorf("%s: %+v: %v", value, long, err)
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("%s: slept for %v", value, took)
			}
		})
	}
}

func TestAnUnlimitedCeilingDoesNotOverflowIntoAShortWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(int, *http.Request) (*http.Response, error) {
			return answer(503, "", "Retry-After", "9999999999"), nil
		}}
		policy := always(.99)
		policy.MaxRetryAfter = math.MaxInt64
		_, err := (&retrypolicy.Client{Transport: wire, Policy: policy}).Do(keyed(t, ""))
		if wantExceeded(t, err); len(wire.sent) != 1 {
			t.Errorf("%d sends, want 1", len(wire.sent))
		}
	})
}

func TestNobodySleepsTowardsAPassedDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 500*ms)
		defer cancel()
		wire := failing(syscall.ECONNRESET, syscall.ECONNRESET, syscall.ECONNRESET)
		watch := new(recorder)
		client := retrypolicy.Client{Transport: wire, Policy: always(.9), Hooks: watch.hooks()}
		began := time.Now()
		_, err := client.Do(keyed(t, "").WithContext(ctx))
		exceeded := wantExceeded(t, err)
		// Waits 180 ms, then would wait 360 ms of the 320 ms that are left.
		if took := time.Since(began); took != 180*ms || exceeded.Attempts != 2 {
			t.Errorf("came back after %v and %d attempts", took, exceeded.Attempts)
		}
		if !errors.Is(err, syscall.ECONNRESET) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the last attempt's own", err)
		}
		if len(watch.waits) != 1 || !strings.Contains(exceeded.Reason, "deadline") {
			t.Errorf("%d waits told, reason %q", len(watch.waits), exceeded.Reason)
		}
	})
}

func TestNobodySleepsTowardsThePassedTimeInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := always(.9)
		policy.MaxElapsed = 500 * ms
		began := time.Now()
		_, err := (&retrypolicy.Client{Transport: statuses(503), Policy: policy}).Do(keyed(t, ""))
		exceeded := wantExceeded(t, err)
		if took := time.Since(began); took != 180*ms || exceeded.Response.Status != 503 {
			t.Errorf("came back after %v with %+v", took, exceeded)
		}
		if !strings.Contains(exceeded.Reason, "500ms in all") {
			t.Errorf("reason %q", exceeded.Reason)
		}
	})
}

func TestASlowHookCannotStretchTheTimeInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := statuses(503)
		client := retrypolicy.Client{Transport: wire, Policy: retrypolicy.Policy{MaxElapsed: sec}}
		client.Hooks.Wait = func(context.Context, retrypolicy.Wait) { time.Sleep(sec) }
		_, err := client.Do(keyed(t, ""))
		if wantExceeded(t, err); len(wire.sent) != 1 {
			t.Errorf("%d sends, want 1", len(wire.sent))
		}
	})
}

func TestAnAttemptsTimeoutIsAnUnknownOutcomeAndIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(n int, req *http.Request) (*http.Response, error) {
			if n == 1 {
				<-req.Context().Done()
				return nil, errors.New("the transport's own words")
			}
			return answer(201, ""), nil
		}}
		watch := new(recorder)
		client := retrypolicy.Client{Transport: wire, Policy: impatient(), Hooks: watch.hooks()}
		resp, err := client.Do(keyed(t, ""))
		wantStatus(t, resp, err, 201, 2)
		first := watch.ended[0]
		if !first.Timeout || !errors.Is(first.Err, retrypolicy.ErrAttemptTimeout) || first.Elapsed != 2*sec {
			t.Errorf("%+v", first)
		}
		if errors.Is(first.Err, context.DeadlineExceeded) {
			t.Error("an attempt's timeout must not look like the caller's deadline")
		}
	})
}

func TestReadingTheAnswerCountsIntoTheAttemptsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(_ int, req *http.Request) (*http.Response, error) {
			resp := answer(201, "")
			resp.Body = io.NopCloser(stuck{req.Context()})
			return resp, nil
		}}
		began := time.Now()
		_, err := (&retrypolicy.Client{Transport: wire}).Do(keyless(t, ""))
		wantStopped(t, err)
		if took := time.Since(began); took != 2*sec || !errors.Is(err, retrypolicy.ErrAttemptTimeout) {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// stuck is a body that never comes.
type stuck struct{ ctx context.Context }

func (s stuck) Read([]byte) (int, error) { <-s.ctx.Done(); return 0, s.ctx.Err() }

func TestAnAttemptGetsOnlyTheTimeThatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(_ int, req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}}
		policy := impatient()
		policy.MaxElapsed = 5 * sec
		watch := new(recorder)
		began := time.Now()
		_, err := (&retrypolicy.Client{Transport: wire, Policy: policy, Hooks: watch.hooks()}).Do(keyed(t, ""))
		wantExceeded(t, err)
		if took := time.Since(began); took != 5*sec || len(watch.ended) != 3 || watch.ended[2].Elapsed != sec {
			t.Errorf("took %v in %d attempts", took, len(watch.ended))
		}
	})
}
