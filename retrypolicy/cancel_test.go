package retrypolicy_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

var errShopClosed = errors.New("shop closed")

// Case E08: a cancel was ignored while sleeping.
func TestACancelEndsAWaitAtOnceWithItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		wire := &fake{answer: func(int, *http.Request) (*http.Response, error) {
			return nil, syscall.ECONNRESET
		}}
		policy := retrypolicy.Policy{Base: 30 * sec, Cap: 30 * sec, MaxElapsed: time.Hour, Random: func() float64 { return .99 }}
		time.AfterFunc(50*ms, func() { cancel(errShopClosed) })
		began := time.Now()
		_, err := (&retrypolicy.Client{Transport: wire, Policy: policy}).Do(keyed(t, "").WithContext(ctx))
		if took := time.Since(began); took != 50*ms {
			t.Errorf("came back after %v", took)
		}
		if !errors.Is(err, errShopClosed) || !errors.Is(err, retrypolicy.ErrCanceled) {
			t.Errorf("error %v, want the cause", err)
		}
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("error %v has lost the last attempt's", err)
		}
		time.Sleep(time.Minute)
		if len(wire.sent) != 1 {
			t.Errorf("%d sends, want none after the cancel", len(wire.sent))
		}
	})
}

func TestACancelEndsAnAttemptAtOnceWithItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		wire := &fake{answer: func(_ int, req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, errors.New("in the transport's words")
		}}
		watch := new(recorder)
		time.AfterFunc(50*ms, func() { cancel(errShopClosed) })
		began := time.Now()
		client := retrypolicy.Client{Transport: wire, Hooks: watch.hooks()}
		_, err := client.Do(keyed(t, "").WithContext(ctx))
		if took := time.Since(began); took != 50*ms || !errors.Is(err, errShopClosed) {
			t.Errorf("%v after %v", err, took)
		}
		end := watch.ended[0]
		if end.Verdict != retrypolicy.Stop || end.Timeout || !errors.Is(end.Err, errShopClosed) {
			t.Errorf("told %+v", end)
		}
	})
}

func TestACancelWithoutACauseIsContextCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wire := statuses(201)
	_, err := (&retrypolicy.Client{Transport: wire}).Do(keyed(t, "").WithContext(ctx))
	canceled, ok := errors.AsType[*retrypolicy.CanceledError](err)
	if !ok || !errors.Is(err, context.Canceled) || canceled.Attempts != 0 || len(wire.sent) != 0 {
		t.Errorf("error %v after %d sends", err, len(wire.sent))
	}
}

func TestNoAttemptFollowsACancelFromAHook(t *testing.T) {
	// Without a delay the timer and the cancel are ready together, and select
	// would go on in about half of the rounds.
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		wire := statuses(503)
		client := retrypolicy.Client{Transport: wire, Policy: impatient()}
		client.Hooks.Wait = func(context.Context, retrypolicy.Wait) { cancel() }
		_, err := client.Do(keyed(t, "").WithContext(ctx))
		if !errors.Is(err, retrypolicy.ErrCanceled) || len(wire.sent) != 1 {
			t.Fatalf("error %v after %d sends", err, len(wire.sent))
		}
	}
}

func TestADeadlineWithinAnAttemptIsALimitThatKeepsWhatWasKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), sec, errShopClosed)
		defer cancel()
		wire := &fake{answer: func(n int, req *http.Request) (*http.Response, error) {
			switch n {
			case 1:
				return answer(503, "down"), nil
			case 2:
				return nil, syscall.ECONNRESET
			}
			<-req.Context().Done()
			return nil, req.Context().Err()
		}}
		watch := new(recorder)
		client := retrypolicy.Client{Transport: wire, Policy: impatient(), Hooks: watch.hooks()}
		_, err := client.Do(keyed(t, "").WithContext(ctx))
		exceeded := wantExceeded(t, err)
		if exceeded.Attempts != 3 || exceeded.Response.Status != 503 {
			t.Errorf("%+v", exceeded)
		}
		if !errors.Is(err, errShopClosed) || !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("error %v, want the deadline's cause and the error before it", err)
		}
		if last := watch.ended[2]; !last.Timeout || last.Verdict != retrypolicy.Stop {
			t.Errorf("told %+v", last)
		}
	})
}

func TestAnAnswerInHandIsWorthMoreThanACancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	wire := &fake{answer: func(int, *http.Request) (*http.Response, error) {
		cancel()
		return answer(201, "charged"), nil
	}}
	resp, err := (&retrypolicy.Client{Transport: wire}).Do(keyed(t, "").WithContext(ctx))
	wantStatus(t, resp, err, 201, 1)
}

func TestACancelFreesARequestBodyThatHangs(t *testing.T) {
	deadline := func(t *testing.T) (context.Context, error) {
		ctx, cancel := context.WithTimeout(t.Context(), sec)
		t.Cleanup(cancel)
		return ctx, retrypolicy.ErrExceeded
	}
	canceled := func(t *testing.T) (context.Context, error) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(sec, func() { cancel(errShopClosed) })
		return ctx, errShopClosed
	}
	for name, end := range map[string]func(*testing.T) (context.Context, error){"deadline": deadline, "cancel": canceled} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				never, _ := io.Pipe()
				ctx, want := end(t)
				wire := statuses(201)
				req := keyed(t, "")
				req.Body, req.ContentLength = never, -1
				_, err := (&retrypolicy.Client{Transport: wire}).Do(req.WithContext(ctx))
				if !errors.Is(err, want) || len(wire.sent) != 0 {
					t.Errorf("error %v after %d sends", err, len(wire.sent))
				}
			})
		})
	}
}

func TestErrorsOfACancelNameCauseAndLastError(t *testing.T) {
	err := &retrypolicy.CanceledError{Attempts: 2, Cause: errShopClosed, Err: syscall.ECONNRESET}
	if text := err.Error(); !strings.Contains(text, "2 attempts: shop closed: connection reset") {
		t.Errorf("text %q", text)
	}
}
