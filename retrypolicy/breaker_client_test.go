package retrypolicy_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

// tripped returns a client whose breaker has just opened, in a bubble.
func tripped(t *testing.T, wire http.RoundTripper, policy retrypolicy.Policy) *retrypolicy.Client {
	t.Helper()
	client := &retrypolicy.Client{Transport: wire, Policy: policy, Breaker: new(retrypolicy.Breaker)}
	for range 10 {
		permit, err := client.Breaker.Allow(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		permit.Done(time.Now(), retrypolicy.Failing)
	}
	return client
}

func wantOpen(t testing.TB, err error) retrypolicy.OpenError {
	t.Helper()
	open, ok := errors.AsType[*retrypolicy.OpenError](err)
	if !ok || !errors.Is(err, retrypolicy.ErrOpen) || errors.Is(err, retrypolicy.ErrExceeded) {
		t.Fatalf("error is %v, want an OpenError alone", err)
	}
	return *open
}

// Case F06: "open" counted as retryable, so callers spun.
func TestAnOpenBreakerIsOneFastErrorAndNoSpinning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := statuses(201)
		client := tripped(t, wire, retrypolicy.Policy{})
		client.Budget = &retrypolicy.Budget{Burst: 1, PerSecond: -1, PerCall: -1}
		watch := new(recorder)
		client.Hooks = watch.hooks()
		began := time.Now()
		_, err := client.Do(keyed(t, ""))
		open := wantOpen(t, err)
		if took := time.Since(began); took != 0 || len(wire.sent)+len(watch.attempts)+len(watch.waits) != 0 {
			t.Errorf("%v, %d sends, %d attempts, %d waits told", took, len(wire.sent), len(watch.attempts), len(watch.waits))
		}
		if open.Attempts != 0 || open.After != 5*sec || open.State != retrypolicy.Open {
			t.Errorf("%+v", open)
		}
		if want := "circuit breaker is open for another 5s, nothing was sent"; err.Error() != want {
			t.Errorf("text %q, want %q", err, want)
		}
		if !client.Budget.Take(time.Now()) {
			t.Error("the budget has paid for it")
		}
	})
}

// The call that opens it ends as well, with what it knows, and at once.
func TestACallThatOpensTheBreakerEndsWithItsLastOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
			if n == 1 {
				return answer(503, "down"), nil
			}
			return nil, syscall.ECONNRESET
		}}
		client := retrypolicy.Client{
			Transport: wire, Policy: always(.5), Breaker: &retrypolicy.Breaker{MinVolume: 2},
			Budget: &retrypolicy.Budget{Burst: 2, PerSecond: -1, PerCall: -1},
		}
		began := time.Now()
		_, err := client.Do(keyed(t, ""))
		open := wantOpen(t, err)
		if took := time.Since(began); took != 100*ms || len(wire.sent) != 2 {
			t.Errorf("%d sends in %v, want 2 with one wait of 100ms", len(wire.sent), took)
		}
		if open.Attempts != 2 || open.Response.Status != 503 || !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%+v", open)
		}
		if !client.Budget.Take(time.Now()) || client.Budget.Take(time.Now()) {
			t.Error("want one of two tokens left: one repeat was made")
		}
	})
}

func TestAWaitThatOutlastsTheCoolDownEndsInAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := retrypolicy.Policy{Jitter: retrypolicy.JitterNone, Base: 6 * sec, Cap: 6 * sec}
		client := retrypolicy.Client{
			Transport: statuses(503, 201), Policy: policy, Breaker: &retrypolicy.Breaker{MinVolume: 1},
		}
		resp, err := client.Do(keyed(t, ""))
		wantStatus(t, resp, err, 201, 2)
		if got := client.Breaker.State(time.Now()); got != retrypolicy.Closed {
			t.Errorf("%v after a healthy probe", got)
		}
	})
}

func TestARepeatThatFindsNoProbeLeftGivesItsTokenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := retrypolicy.Policy{Jitter: retrypolicy.JitterNone, Base: 6 * sec, Cap: 6 * sec}
		client := retrypolicy.Client{
			Transport: statuses(503), Policy: policy, Breaker: &retrypolicy.Breaker{MinVolume: 1},
			Budget: &retrypolicy.Budget{Burst: 1, PerSecond: -1, PerCall: -1},
		}
		client.Hooks.Wait = func(context.Context, retrypolicy.Wait) {
			time.AfterFunc(5500*ms, func() { // somebody else takes the only place
				if _, err := client.Breaker.Allow(time.Now()); err != nil {
					t.Error(err)
				}
			})
		}
		_, err := client.Do(keyed(t, ""))
		if open := wantOpen(t, err); open.State != retrypolicy.HalfOpen || open.Attempts != 1 || open.Response.Status != 503 {
			t.Errorf("%+v", open)
		}
		if !client.Budget.Take(time.Now()) {
			t.Error("the token is lost")
		}
	})
}

// Case F02, through the client: the server sees the probes and no more.
func TestOfTwoHundredCallsAtHalfOpenTheServerSeesTheProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(int, *http.Request) (*http.Response, error) {
			time.Sleep(sec)
			return answer(201, ""), nil
		}}
		client := tripped(t, wire, retrypolicy.Policy{})
		client.Breaker.Probes = 3
		time.Sleep(5 * sec)
		var refused, answered atomic.Int64
		var group sync.WaitGroup
		for range 200 {
			group.Go(func() {
				_, err := client.Do(keyed(t, ""))
				switch {
				case err == nil:
					answered.Add(1)
				case wantOpen(t, err).State == retrypolicy.HalfOpen:
					refused.Add(1)
				}
			})
		}
		group.Wait()
		if len(wire.sent) != 3 || answered.Load() != 3 || refused.Load() != 197 {
			t.Errorf("%d sends, %d answered, %d refused", len(wire.sent), answered.Load(), refused.Load())
		}
		if got := client.Breaker.State(time.Now()); got != retrypolicy.Closed {
			t.Errorf("%v after healthy probes", got)
		}
	})
}

func TestACallerWhoGivesUpAProbeFreesItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(n int, req *http.Request) (*http.Response, error) {
			if n == 1 {
				<-req.Context().Done()
				return nil, req.Context().Err()
			}
			return answer(201, ""), nil
		}}
		client := tripped(t, wire, retrypolicy.Policy{})
		time.Sleep(5 * sec)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*ms, cancel)
		if _, err := client.Do(keyed(t, "").WithContext(ctx)); !errors.Is(err, retrypolicy.ErrCanceled) {
			t.Errorf("error %v", err)
		}
		resp, err := client.Do(keyed(t, ""))
		wantStatus(t, resp, err, 201, 1)
	})
}

// Case F07: callers that gave up opened it.
func TestCallersThatGiveUpDoNotOpenTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := &fake{answer: func(_ int, req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}}
		client := retrypolicy.Client{Transport: hanging, Breaker: new(retrypolicy.Breaker)}
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				if i%2 == 0 { // by a cancel, or by a deadline of its own
					ctx, cancel = context.WithTimeout(t.Context(), 10*ms)
				}
				defer cancel()
				time.AfterFunc(10*ms, cancel)
				if _, err := client.Do(keyed(t, "").WithContext(ctx)); err == nil {
					t.Error("answered by a server that never answers")
				}
			})
		}
		group.Wait()
		if got := client.Breaker.State(time.Now()); got != retrypolicy.Closed || len(hanging.sent) != 50 {
			t.Errorf("%v after %d sends", got, len(hanging.sent))
		}
	})
}

func TestAttemptsThatTimeOutOpenTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := &fake{answer: func(_ int, req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}}
		client := retrypolicy.Client{
			Transport: hanging, Policy: impatient(), Breaker: &retrypolicy.Breaker{MinVolume: 3},
		}
		_, err := client.Do(keyed(t, ""))
		if open := wantOpen(t, err); open.Attempts != 3 || !errors.Is(err, retrypolicy.ErrAttemptTimeout) {
			t.Errorf("%+v", open)
		}
	})
}

// Case F09: what 429 means. It is neutral, and its waits are honoured.
func TestTwentyTimes429LeaveTheBreakerClosedAndAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
			if n <= 20 {
				return answer(429, "", "Retry-After", "1"), nil
			}
			return answer(201, ""), nil
		}}
		policy := impatient()
		policy.MaxAttempts = 25
		client := retrypolicy.Client{Transport: wire, Policy: policy, Breaker: new(retrypolicy.Breaker)}
		began := time.Now()
		resp, err := client.Do(keyed(t, ""))
		wantStatus(t, resp, err, 201, 21)
		if took := time.Since(began); took != 20*sec {
			t.Errorf("20 waits of 1s took %v", took)
		}
		if got := client.Breaker.State(time.Now()); got != retrypolicy.Closed {
			t.Errorf("breaker is %v", got)
		}
	})
}

func TestRefusalsOfTheRequestLeaveTheBreakerClosed(t *testing.T) {
	for _, status := range []int{400, 401, 402, 403, 404, 409, 422} {
		client := retrypolicy.Client{Transport: statuses(status), Breaker: new(retrypolicy.Breaker)}
		for range 50 {
			resp, err := client.Do(keyed(t, ""))
			wantStatus(t, resp, err, status, 1)
		}
	}
}

func TestAPanicUnderAProbeFreesItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(n int, _ *http.Request) (*http.Response, error) {
			if n == 1 {
				panic("in the transport")
			}
			return answer(201, ""), nil
		}}
		client := tripped(t, wire, retrypolicy.Policy{})
		time.Sleep(5 * sec)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_, _ = client.Do(keyed(t, ""))
		}()
		resp, err := client.Do(keyed(t, ""))
		wantStatus(t, resp, err, 201, 1)
	})
}
