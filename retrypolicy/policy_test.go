package retrypolicy_test

import (
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

func TestZeroPolicyMeansTheDocumentedDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := &fake{answer: func(_ int, req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}}
		watch := new(recorder)
		client := retrypolicy.Client{Transport: hanging, Hooks: watch.hooks()}
		_, err := client.Do(keyed(t, "body"))
		exceeded := wantExceeded(t, err)
		if exceeded.Attempts != 5 {
			t.Errorf("%d attempts, want 5", exceeded.Attempts)
		}
		for i, end := range watch.ended {
			if end.Elapsed != 2*sec {
				t.Errorf("attempt %d had %v, want 2s", i+1, end.Elapsed)
			}
		}
		for i, longest := range []time.Duration{200 * ms, 400 * ms, 800 * ms, 1600 * ms} {
			if got := watch.waits[i].Delay; got < 0 || got > longest {
				t.Errorf("wait %d is %v, want within [0, %v]", i+1, got, longest)
			}
		}
	})
}

func TestNegativeLimitsMeanTheDefaults(t *testing.T) {
	negative := retrypolicy.Policy{
		MaxAttempts: -1, AttemptTimeout: -1, Base: -1, Cap: -1, MaxElapsed: -1, MaxRetryAfter: -1,
	}
	if got, want := negative.Span(), (retrypolicy.Policy{}).Span(); got != want || got != 30*sec {
		t.Errorf("span %v, want that of the zero policy (%v), 30s", got, want)
	}
}

func TestSpanBoundsAttemptsAndWaits(t *testing.T) {
	cases := map[string]struct {
		policy retrypolicy.Policy
		want   time.Duration
	}{
		"one attempt is its timeout": {retrypolicy.Policy{MaxAttempts: 1, AttemptTimeout: 3 * sec}, 3 * sec},
		"the example of the doc": {
			retrypolicy.Policy{MaxAttempts: 2, AttemptTimeout: 500 * ms, Base: 100 * ms, MaxRetryAfter: sec}, 2100 * ms,
		},
		"backoff above what a server may ask": {
			retrypolicy.Policy{MaxAttempts: 2, AttemptTimeout: sec, Base: 3 * sec, Cap: 3 * sec, MaxRetryAfter: 1}, 5*sec + 1,
		},
		"the longest backoff of those that are waited": {
			retrypolicy.Policy{MaxAttempts: 3, AttemptTimeout: sec, Base: sec, Cap: 10 * sec, MaxRetryAfter: 1}, 7 * sec,
		},
		"decorrelated waits grow by three": {
			retrypolicy.Policy{
				MaxAttempts: 3, AttemptTimeout: sec, Base: sec, Cap: 10 * sec, MaxRetryAfter: 1,
				Jitter: retrypolicy.JitterDecorrelated,
			}, 21 * sec, // both waits counted as the longest, min(10 s, 9 s)
		},
		"MaxElapsed wins":        {retrypolicy.Policy{MaxAttempts: 2, MaxElapsed: sec}, sec},
		"MaxElapsed wins at all": {retrypolicy.Policy{MaxAttempts: math.MaxInt, AttemptTimeout: 1, MaxElapsed: sec}, sec},
		"no overflow": {
			retrypolicy.Policy{
				MaxAttempts: math.MaxInt, AttemptTimeout: math.MaxInt64, Base: math.MaxInt64, Cap: math.MaxInt64,
				MaxElapsed: math.MaxInt64, MaxRetryAfter: math.MaxInt64,
			}, math.MaxInt64,
		},
	}
	for name, c := range cases {
		if got := c.policy.Span(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// The worst server: it lets every attempt run into its timeout, or asks for
// the longest wait.
func TestNoCallTakesLongerThanItsSpan(t *testing.T) {
	policy := retrypolicy.Policy{
		MaxAttempts: 3, AttemptTimeout: 500 * ms, Base: 300 * ms, Cap: 400 * ms, MaxRetryAfter: sec,
		Random: func() float64 { return math.Nextafter(1, 0) },
	}
	for _, limit := range []time.Duration{700 * ms, 1500 * ms, 30 * sec} {
		policy.MaxElapsed = limit
		synctest.Test(t, func(t *testing.T) {
			slow := &fake{answer: func(_ int, req *http.Request) (*http.Response, error) {
				select {
				case <-req.Context().Done():
					return nil, req.Context().Err()
				case <-time.After(499 * ms):
					return answer(503, "", "Retry-After", "1"), nil
				}
			}}
			began := time.Now()
			_, err := (&retrypolicy.Client{Transport: slow, Policy: policy}).Do(keyed(t, ""))
			wantExceeded(t, err)
			if took := time.Since(began); took > policy.Span() {
				t.Errorf("limit %v: took %v, span is %v", limit, took, policy.Span())
			}
		})
	}
}
