package api

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/control"
)

// later sends a request on its own; the answer comes over the channel.
func (b *bench) later(a ask) <-chan answer {
	got := make(chan answer, 1)
	go func() {
		one, err := b.try(a)
		if err != nil {
			one.body = err.Error()
		}
		got <- one
	}()
	return got
}

func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	panic("unreachable")
}

func TestABusyKeyAnswersAtOnceWhereNobodyWantsToWait(t *testing.T) {
	b := newBench(t, benchOptions{})
	arrived, release := b.bank.hold()
	first := b.later(ask{})
	receive(t, arrived)
	got := b.want(http.StatusConflict, ask{header: map[string]string{"Prefer": "respond-async, wait=0"}})
	checkDocument(t, got)
	if doc := got.doc(t); doc.Error.Code != CodeKeyInUse || doc.Error.Type != "idempotency_error" {
		t.Errorf("not busy: %s", got.body)
	}
	if pause, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || pause < 1 {
		t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
	}
	// A wrong body is a conflict even now: waiting never mends it.
	b.refused(http.StatusConflict, CodeKeyReused, ask{form: with("amount", "1")})
	release()
	if paid := receive(t, first); paid.status != http.StatusCreated {
		t.Errorf("the first: %d %s", paid.status, paid.body)
	}
}

func TestABusyRequestWaitsAndGetsTheReplay(t *testing.T) {
	b := newBench(t, benchOptions{})
	arrived, release := b.bank.hold()
	first := b.later(ask{})
	receive(t, arrived)
	second := b.later(ask{header: map[string]string{"Prefer": "wait=15"}})
	eventually(t, "the second request is told busy while it waits", func() bool { return b.saw(control.Busy) == 1 })
	release()
	paid, replayed := receive(t, first), receive(t, second)
	if paid.status != http.StatusCreated || replayed.body != paid.body || replayed.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("first %d, second %d %s", paid.status, replayed.status, replayed.body)
	}
}

func TestSixtyFourRequestsWithOneKeyMakeOneCharge(t *testing.T) { // A01, I1
	b := newBench(t, benchOptions{})
	var wg sync.WaitGroup
	start := make(chan struct{})
	answers := make(chan answer, 64)
	for range 64 {
		wg.Go(func() {
			<-start
			got, err := b.try(ask{})
			if err != nil {
				t.Error(err)
			}
			answers <- got
		})
	}
	close(start)
	wg.Wait()
	close(answers)
	bodies := map[string]int{}
	for got := range answers {
		if got.status != http.StatusCreated {
			t.Errorf("%d %s", got.status, got.body)
		}
		bodies[got.body]++
	}
	if len(bodies) != 1 || len(b.bank.calls("POST")) != 1 || b.bank.taken("shop", "eur") != 5000 {
		t.Errorf("%d charges, %d calls of the provider", len(bodies), len(b.bank.calls("POST")))
	}
}

func TestAnUnknownOutcomeIsNeverStoredAndTheSameKeySettlesIt(t *testing.T) { // D06, frozen-failure
	b := newBench(t, benchOptions{})
	for what, m := range map[string]move{
		"503 before": {status: 503}, "503 after": {status: 503, after: true}, "429": {status: 429}, "500": {status: 500},
		"silence after the capture": {silent: true}, "half an answer": {body: `{"id":"x","status":"captured","amount":5`},
		"another amount": {body: `{"id":"x","status":"captured","amount":1,"currency":"eur"}`}, "in progress": {status: 409, body: `{"code":"idempotency_key_in_use"}`},
	} {
		key := strings.ReplaceAll(what, " ", "-")
		b.bank.next(m)
		got := b.want(http.StatusServiceUnavailable, ask{key: key})
		checkDocument(t, got)
		doc := got.doc(t)
		if doc.Error.Code != CodeOutcomeUnknown || got.header.Get("Retry-After") == "" || strings.Contains(strings.ToLower(doc.Detail), "fail") {
			t.Errorf("%s: %s", what, got.body)
		}
		paid := b.want(http.StatusCreated, ask{key: key})
		if doc.Error.Charge != paid.charge(t).ID || doc.Resource != paid.header.Get("Location") {
			t.Errorf("%s: the unknown outcome does not say where the truth will be: %s", what, got.body)
		}
		if paid.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: the settled charge came as a replay", what)
		}
		if again := b.want(http.StatusCreated, ask{key: key}); again.body != paid.body {
			t.Errorf("%s: does not replay", what)
		}
	}
	if taken, want := b.bank.taken("shop", "eur"), int64(8*5000); taken != want {
		t.Errorf("the cards were charged %d, want %d", taken, want)
	}
	for _, keys := range b.providerKeys() {
		if len(keys) != 1 {
			t.Errorf("one charge went out under %d keys", len(keys))
		}
	}
}

// providerKeys gives, by charge, the distinct keys that the provider saw.
func (b *bench) providerKeys() map[string]map[string]bool {
	keys := map[string]map[string]bool{}
	for _, event := range b.told() {
		if event.ProviderKey != "" && event.Charge != "" {
			if keys[event.Charge] == nil {
				keys[event.Charge] = map[string]bool{}
			}
			keys[event.Charge][event.ProviderKey] = true
		}
	}
	return keys
}

func TestAProviderThatCallsOurRequestWrongIsOurBug(t *testing.T) {
	b := newBench(t, benchOptions{})
	for what, m := range map[string]move{"400": {status: 400}, "422": {status: 422}, "key-mismatch": {status: 409, body: `{"code":"idempotency_key_reused"}`}} {
		b.bank.next(m)
		got := b.want(http.StatusInternalServerError, ask{key: what})
		checkDocument(t, got)
		if doc := got.doc(t); doc.Error.Code != CodeProviderRefused || doc.Error.Type != "api_error" {
			t.Errorf("%s: %s", what, got.body)
		}
		b.want(http.StatusCreated, ask{key: what}) // the record stayed open
	}
}

func TestAClientThatHangsUpLeavesTheKeyUsable(t *testing.T) { // A14
	b := newBench(t, benchOptions{})
	arrived, release := b.bank.hold()
	ctx, hangUp := context.WithCancel(context.Background())
	gone := b.later(ask{ctx: ctx})
	receive(t, arrived)
	hangUp()
	receive(t, gone)
	eventually(t, "the API notices", func() bool {
		for _, event := range b.told() {
			if strings.HasPrefix(event.Text, "The client has hung up") && event.Status == 0 && event.Outcome == "" {
				return true
			}
		}
		return false
	})
	release()
	got := b.want(http.StatusCreated, ask{})
	if got.header.Get("Idempotent-Replayed") != "true" || b.bank.taken("shop", "eur") != 5000 {
		t.Errorf("the work did not go on: %v", got.header)
	}
}

func TestAPanicCostsNoOtherKeyAndNotItsOwn(t *testing.T) { // A05, A14, A15
	var rounds atomic.Int32
	b := newBench(t, benchOptions{render: func(c ledger.Charge) idem.Answer {
		if rounds.Add(1) == 1 {
			panic("sk_test_secret 4242424242424242")
		}
		return RenderCharge(c)
	}})
	b.refused(http.StatusServiceUnavailable, CodeOutcomeUnknown, ask{})
	b.want(http.StatusCreated, ask{key: "other"})
	b.want(http.StatusCreated, ask{})
	if calls := len(b.bank.calls("POST")); calls != 2 {
		t.Errorf("%d captures were asked for, want 2: the resumed charge looks up by key", calls)
	}
	if logs := b.logs.String(); strings.Contains(logs, "4242") || !strings.Contains(logs, "stack") {
		t.Errorf("the panic's value is logged, or its stack is not:\n%s", logs)
	}
}

func TestAHandlerThatPanicsAnswers500(t *testing.T) {
	s := &server{Options: Options{Log: discard()}, slots: make(chan struct{}, 1)}
	c := &call{r: newRequest(t, "GET", "/", nil)}
	got := s.guarded(t.Context(), c, func(context.Context, *call) reply { panic(io.EOF) })
	if got.code() != http.StatusInternalServerError || got.problem.Code != CodeInternal || len(s.slots) != 0 {
		t.Errorf("got %+v, %d slots taken", got, len(s.slots))
	}
}

func TestAnExpiredResultIsNeitherReplayedNorRunAgain(t *testing.T) { // expired-key
	b := newBench(t, benchOptions{})
	first := b.want(http.StatusCreated, ask{})
	charge := first.charge(t)
	expires, err := http.ParseTime(first.header.Get("Idempotency-Expires"))
	if left := time.Until(expires); err != nil || left < 23*time.Hour || left > 25*time.Hour {
		t.Errorf("Idempotency-Expires %q", first.header.Get("Idempotency-Expires"))
	}
	b.advance(25 * time.Hour)
	got := b.want(http.StatusConflict, ask{})
	checkDocument(t, got)
	doc := got.doc(t)
	if doc.Error.Code != CodeResultExpired || doc.Resource != "/v1/charges/"+charge.ID || got.header.Get("Stripe-Should-Retry") != "false" {
		t.Errorf("not an expired result: %s", got.body)
	}
	if was, err := http.ParseTime(got.header.Get("Idempotency-Expires")); err != nil || was.After(time.Now()) {
		t.Errorf("the answer is said to be kept until %v", was)
	}
	b.want(http.StatusOK, ask{method: "GET", path: doc.Resource})
	if b.bank.taken("shop", "eur") != 5000 {
		t.Error("it ran again")
	}
	b.advance(31 * 24 * time.Hour)
	if again := b.want(http.StatusCreated, ask{}); again.charge(t).ID == charge.ID {
		t.Error("past the tombstone the key is new")
	}
}
