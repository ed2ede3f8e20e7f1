package provider

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// timed calls the handler and tells how much virtual time the call took.
func timed(p *Provider, path, key, body string) (reply, time.Duration) {
	began := time.Now()
	answer := post(p, path, key, body)
	return answer, time.Since(began)
}

func TestLatencyPassesBeforeEveryAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, Options{Latency: 200 * time.Millisecond})
		for _, what := range []string{"capture", "replay"} {
			if got, took := timed(p, "/captures", "k", order50("tok_visa")); got.status != 201 || took != 200*time.Millisecond {
				t.Errorf("%s: %d after %v, want 201 after 200ms", what, got.status, took)
			}
		}
		began := time.Now()
		if got := get(p, "k"); got.status != 200 || time.Since(began) != 200*time.Millisecond {
			t.Errorf("look-up: %d after %v, want 200 after 200ms", got.status, time.Since(began))
		}
	})
}

func TestAClientThatHangsUpDoesNotCancelTheCapture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, Options{Latency: time.Second})
		ctx, hangUp := context.WithCancel(context.Background())
		go serve(p, request("/captures", "k", order50("tok_visa")).WithContext(ctx))
		synctest.Wait() // the request was received, its latency runs
		hangUp()
		synctest.Wait()
		if lines := book(t, p, ""); len(lines) != 0 {
			t.Fatalf("decided before its latency was over: %+v", lines)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if lines := book(t, p, "shop"); len(lines) != 1 || lines[0].Status != StatusCaptured {
			t.Errorf("book %+v, want the capture that nobody waits for", lines)
		}
	})
}

func TestSlowCardCapturesAtOnceAndAnswersLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, Options{})
		var answer reply
		var client sync.WaitGroup
		client.Go(func() { answer, _ = timed(p, "/captures", "k", order50("tok_chargeonceSlow")) })
		synctest.Wait()
		if lines := book(t, p, "shop"); len(lines) != 1 {
			t.Errorf("book %+v before the answer, want the capture", lines)
		}
		if got := get(p, "k"); got.status != 200 {
			t.Errorf("look-up while the answer is on its way: %d, want 200", got.status)
		}
		client.Wait()
		again, took := timed(p, "/captures", "k", order50("tok_chargeonceSlow"))
		if answer.status != 201 || again.body != answer.body || took != SlowAnswer {
			t.Errorf("%d %s, then %s after %v", answer.status, answer.body, again.body, took)
		}
	})
}

func TestFailingCardCapturesNothingUntilItIsSentAgain(t *testing.T) {
	p := start(t, Options{})
	outage := post(p, "/captures", "k", order50("tok_chargeonceFails"))
	if outage.status != 503 || outage.header.Get("Retry-After") == "" {
		t.Errorf("first: %d %v, want 503 with Retry-After", outage.status, outage.header)
	}
	if got := get(p, "k"); got.status != 404 || len(book(t, p, "")) != 0 {
		t.Errorf("after the outage: look-up %d, book %v; want 404 and nothing", got.status, book(t, p, ""))
	}
	if other := post(p, "/captures", "k", orderOf(1, "eur", "tok_chargeonceFails", "shop/ch_1")); other.status != 409 {
		t.Errorf("another amount after the outage: %d, want 409", other.status)
	}
	made := post(p, "/captures", "k", order50("tok_chargeonceFails"))
	if made.status != 201 || made.replayed() {
		t.Errorf("second: %d %s, want a fresh 201", made.status, made.body)
	}
	again := post(p, "/captures", "k", order50("tok_chargeonceFails"))
	if again.body != made.body || !again.replayed() {
		t.Errorf("third: %d %s, want the replay of %s", again.status, again.body, made.body)
	}
	if lines := book(t, p, "shop"); len(lines) != 1 || lines[0].Seen != 4 {
		t.Errorf("book %+v, want one line that was seen 4 times", lines)
	}
	if next := post(p, "/captures", "k2", orderOf(1, "eur", "tok_chargeonceFails", "shop/ch_2")); next.status != 503 {
		t.Errorf("the first request of the next key: %d, want 503", next.status)
	}
}

func TestSilentCardCapturesAndAnswersOnlyTheSecondRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, Options{})
		silence, took := timed(p, "/captures", "k", order50("tok_chargeonceSilent"))
		if !silence.aborted || took != MaxSilence {
			t.Errorf("first: %+v after %v, want no answer for %v", silence, took, MaxSilence)
		}
		if lines := book(t, p, "shop"); len(lines) != 1 || lines[0].Status != StatusCaptured {
			t.Errorf("book %+v, want the capture", lines)
		}
		again, took := timed(p, "/captures", "k", order50("tok_chargeonceSilent"))
		if again.status != 201 || !again.replayed() || took != 0 {
			t.Errorf("second: %d after %v, want a replay at once", again.status, took)
		}
	})
}

func TestSilenceEndsWhenTheClientHangsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, Options{})
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		began := time.Now()
		got := serve(p, request("/captures", "k", order50("tok_chargeonceSilent")).WithContext(ctx))
		if !got.aborted || time.Since(began) != 500*time.Millisecond {
			t.Errorf("%+v after %v, want the end of the wait after 500ms", got, time.Since(began))
		}
	})
}

func TestMoreThanTheAllowedRequestsAtOnceAreTurnedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, Options{Latency: time.Second})
		var all sync.WaitGroup
		for range MaxInFlight {
			all.Go(func() { post(p, "/captures", "k", order50("tok_visa")) })
		}
		synctest.Wait()
		if got := post(p, "/captures", "late", order50("tok_visa")); got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("one too many: %d %v, want 429 with Retry-After", got.status, got.header)
		}
		all.Wait()
		if got := post(p, "/captures", "late", order50("tok_visa")); got.status != 201 || got.replayed() {
			t.Errorf("afterwards: %d %s, want a fresh 201", got.status, got.body)
		}
	})
}

func TestCloseEndsAllWaitingAndDecidesNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, Options{Latency: time.Second})
		var waiting, silent reply
		var clients sync.WaitGroup
		clients.Go(func() { silent = post(p, "/captures", "silent", order50("tok_chargeonceSilent")) })
		time.Sleep(time.Second)
		synctest.Wait()
		clients.Go(func() { waiting = post(p, "/captures", "waiting", order50("tok_visa")) })
		synctest.Wait()
		began := time.Now()
		if err := p.Close(); err != nil || time.Since(began) != 0 {
			t.Errorf("closed after %v: %v", time.Since(began), err)
		}
		clients.Wait()
		after := post(p, "/captures", "after", order50("tok_visa"))
		if waiting.status != 503 || !silent.aborted || after.status != 503 || get(p, "silent").status != 503 {
			t.Errorf("waiting %d, silent %+v, after %d; want 503, no answer, 503", waiting.status, silent, after.status)
		}
		if lines := book(t, p, ""); len(lines) != 1 || lines[0].Key != "silent" {
			t.Errorf("book %+v, want the silent capture alone", lines)
		}
	})
}
