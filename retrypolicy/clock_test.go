package retrypolicy_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/retrypolicy"
)

// handClock stands still until it is moved by hand.
type handClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[*handTimer]bool // those that have not fired and not been stopped
}

type handTimer struct {
	at time.Time
	f  func()
}

func newHandClock() *handClock {
	return &handClock{now: noon, timers: map[*handTimer]bool{}}
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := &handTimer{at: c.now.Add(d), f: f}
	c.timers[timer] = true
	c.fire()
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		pending := c.timers[timer]
		delete(c.timers, timer)
		return pending
	}
}

func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.fire()
}

// fire needs the lock. It runs what is due on goroutines of their own.
func (c *handClock) fire() {
	for timer := range c.timers {
		if !timer.at.After(c.now) {
			delete(c.timers, timer)
			go timer.f()
		}
	}
}

func (c *handClock) pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// onHandClock starts a call in a bubble whose transport hangs on its first
// attempt and answers the others with the statuses.
func onHandClock(t *testing.T, policy retrypolicy.Policy, test func(*testing.T, *handClock, *fake, *recorder, <-chan error), codes ...int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		wire := &fake{answer: func(n int, req *http.Request) (*http.Response, error) {
			if n == 1 {
				<-req.Context().Done()
				return nil, req.Context().Err()
			}
			return answer(codes[min(n-2, len(codes)-1)], ""), nil
		}}
		clock, watch, done := newHandClock(), new(recorder), make(chan error, 1)
		client := retrypolicy.Client{Transport: wire, Policy: policy, Hooks: watch.hooks(), Clock: clock}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, errShopClosed)
		defer cancel()
		req := keyed(t, "").WithContext(ctx)
		go func() {
			_, err := client.Do(req)
			done <- err
		}()
		test(t, clock, wire, watch, done)
		synctest.Wait()
		if n := clock.pending(); n != 0 {
			t.Errorf("%d timers are left on the clock", n)
		}
	})
}

func TestAStoppedClockStopsTheAttemptsTimeout(t *testing.T) {
	onHandClock(t, always(.5), func(t *testing.T, clock *handClock, wire *fake, watch *recorder, done <-chan error) {
		time.Sleep(10 * time.Minute) // of the wall clock, for which nobody cares
		synctest.Wait()
		if len(wire.sent) != 1 || len(watch.ended) != 0 {
			t.Fatalf("%d sends and %d ended attempts while the clock stood still", len(wire.sent), len(watch.ended))
		}
		clock.advance(2*sec - 1)
		synctest.Wait()
		if len(watch.ended) != 0 {
			t.Fatal("the attempt ended before its timeout")
		}
		clock.advance(1)
		synctest.Wait()
		if end := watch.ended[0]; !end.Timeout || end.Elapsed != 2*sec || !errors.Is(end.Err, retrypolicy.ErrAttemptTimeout) {
			t.Errorf("told %+v", end)
		}
		clock.advance(100 * ms)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}, 201)
}

func TestAStoppedClockStopsTheWaitBetweenAttempts(t *testing.T) {
	onHandClock(t, always(.5), func(t *testing.T, clock *handClock, wire *fake, _ *recorder, done <-chan error) {
		synctest.Wait()
		clock.advance(2 * sec)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if len(wire.sent) != 1 {
			t.Fatal("the next attempt was made while the clock stood still")
		}
		clock.advance(100 * ms)
		if err := <-done; err != nil || len(wire.sent) != 2 {
			t.Errorf("error %v after %d sends", err, len(wire.sent))
		}
	}, 201)
}

func TestACancelledWaitLeavesNothingOnTheClock(t *testing.T) {
	clock := newHandClock()
	ctx, cancel := context.WithCancel(t.Context())
	client := retrypolicy.Client{Transport: statuses(503), Policy: always(.5), Clock: clock}
	client.Hooks.Wait = func(context.Context, retrypolicy.Wait) { cancel() }
	_, err := client.Do(keyed(t, "").WithContext(ctx))
	if n := clock.pending(); n != 0 || !errors.Is(err, retrypolicy.ErrCanceled) {
		t.Errorf("%d timers are left after %v", n, err)
	}
}

func TestTheTimeInAllIsTakenFromTheClock(t *testing.T) {
	policy := always(.5)
	policy.AttemptTimeout, policy.MaxElapsed = 4*sec, 5*sec
	onHandClock(t, policy, func(t *testing.T, clock *handClock, _ *fake, watch *recorder, done <-chan error) {
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		clock.advance(4900 * ms) // the first wait of 100 ms would reach the limit
		exceeded := wantExceeded(t, <-done)
		if exceeded.Attempts != 1 || watch.ended[0].Elapsed != 4900*ms {
			t.Errorf("%+v, told %+v", exceeded, watch.ended[0])
		}
	}, 201)
}

func TestTheCallersDeadlineStaysOnTheWallClock(t *testing.T) {
	onHandClock(t, retrypolicy.Policy{}, func(t *testing.T, _ *handClock, wire *fake, _ *recorder, done <-chan error) {
		time.Sleep(time.Hour)
		synctest.Wait()
		err := <-done
		if wantExceeded(t, err); !errors.Is(err, errShopClosed) || len(wire.sent) != 1 {
			t.Errorf("error %v after %d sends", err, len(wire.sent))
		}
	}, 201)
}

func TestNothingIsSentWhenAHookHasUsedUpTheTime(t *testing.T) {
	clock := newHandClock()
	wire := statuses(201)
	sent := 0
	transport := roundTripper(func(req *http.Request) (*http.Response, error) {
		if err := req.Context().Err(); err != nil {
			return nil, err // as net/http does before it dials
		}
		sent++
		return wire.RoundTrip(req)
	})
	client := retrypolicy.Client{Transport: transport, Clock: clock}
	client.Hooks.Attempt = func(context.Context, retrypolicy.Attempt) { clock.advance(time.Minute) }
	_, err := client.Do(keyed(t, ""))
	if wantExceeded(t, err); sent != 0 || !errors.Is(err, retrypolicy.ErrAttemptTimeout) {
		t.Errorf("error %v after %d sends", err, sent)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
