package api

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/control"
)

// waitBehind sends a request that is held at the provider, and two more behind
// it that wait. release lets the first go on.
func (b *bench) waitBehind(m move) (first <-chan answer, waiters [2]<-chan answer, release func()) {
	b.t.Helper()
	m.hold, m.arrived = make(chan struct{}), make(chan struct{})
	b.bank.mu.Lock()
	b.bank.holds = append(b.bank.holds, m.hold)
	b.bank.mu.Unlock()
	b.bank.next(m)
	first = b.later(ask{})
	receive(b.t, m.arrived)
	for i := range waiters {
		waiters[i] = b.later(ask{header: map[string]string{"Prefer": "wait=15"}})
	}
	eventually(b.t, "two wait", func() bool { return b.saw(control.Busy) == len(waiters) })
	return first, waiters, func() { b.bank.let(m.hold) }
}

func TestWaitersBehindADeclineGetTheSameDecline(t *testing.T) { // A18
	b := newBench(t, benchOptions{})
	first, waiters, release := b.waitBehind(move{decline: "lost_card"})
	release()
	declined := receive(t, first)
	if declined.status != http.StatusPaymentRequired {
		t.Fatalf("%d %s", declined.status, declined.body)
	}
	for _, waiter := range waiters {
		if got := receive(t, waiter); got.status != http.StatusPaymentRequired || got.body != declined.body || got.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if calls := len(b.bank.calls("POST")); calls != 1 {
		t.Errorf("the card was tried %d times", calls)
	}
}

// TestAWaiterBehindAnUnknownOutcomeBecomesTheNextOwner: no waiter may be told of
// a success that its leader did not have, nor give up with nothing.
func TestAWaiterBehindAnUnknownOutcomeBecomesTheNextOwner(t *testing.T) { // A18
	b := newBench(t, benchOptions{})
	first, waiters, release := b.waitBehind(move{status: http.StatusServiceUnavailable})
	release()
	if lost := receive(t, first); lost.status != http.StatusServiceUnavailable || lost.doc(t).Error.Code != CodeOutcomeUnknown {
		t.Fatalf("the leader: %d %s", lost.status, lost.body)
	}
	bodies, replays := map[string]int{}, 0
	for _, waiter := range waiters {
		got := receive(t, waiter)
		if got.status != http.StatusCreated || got.charge(t).Amount != 5000 {
			t.Errorf("%d %s", got.status, got.body)
		}
		bodies[got.body]++
		if got.header.Get("Idempotent-Replayed") == "true" {
			replays++
		}
	}
	if len(bodies) != 1 || replays != 1 || b.saw(control.Resumed) != 1 || b.bank.taken("shop", "eur") != 5000 {
		t.Errorf("%d bodies, %d replays, %d resumed, %d taken", len(bodies), replays, b.saw(control.Resumed), b.bank.taken("shop", "eur"))
	}
}

// TestAPanicHoldsUpNoOtherKeyWhileItHappens lets one key panic while eight others
// are at work beside it.
func TestAPanicHoldsUpNoOtherKeyWhileItHappens(t *testing.T) { // A15, A05
	var panicked atomic.Bool
	b := newBench(t, benchOptions{render: func(c ledger.Charge) idem.Answer {
		if c.Key == "poison" && panicked.CompareAndSwap(false, true) {
			panic("poison")
		}
		return RenderCharge(c)
	}})
	poison := b.later(ask{key: "poison"})
	var others []<-chan answer
	for i := range 8 {
		others = append(others, b.later(ask{key: "other-" + string(rune('a'+i))}))
	}
	for _, other := range others {
		if got := receive(t, other); got.status != http.StatusCreated {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if got := receive(t, poison); got.status != http.StatusServiceUnavailable {
		t.Errorf("the panic: %d %s", got.status, got.body)
	}
	paid := b.want(http.StatusCreated, ask{key: "poison"}).charge(t)
	for charge, keys := range b.providerKeys() {
		if len(keys) != 1 || charge == paid.ID && !keys["cap_"+paid.ID] {
			t.Errorf("%s went out under %v", charge, keys)
		}
	}
}

func TestAnEmptyAnswerOfTheProviderLeavesNoKeyStuck(t *testing.T) { // A14
	b := newBench(t, benchOptions{})
	for what, m := range map[string]move{"empty": {body: " "}, "cut-off": {silent: true}, "error": {status: 500}} {
		b.bank.next(m)
		b.refused(http.StatusServiceUnavailable, CodeOutcomeUnknown, ask{key: what})
		if key := b.lookUp("shop", what); key.State != "provider_called" {
			t.Errorf("%s: the key is at %s", what, key.State)
		}
		if got := b.want(http.StatusCreated, ask{key: what, header: map[string]string{"Prefer": "wait=0"}}); got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: replayed", what)
		}
	}
}

func TestNestedParametersInAnotherOrderAreTheSameRequest(t *testing.T) { // C02, C01
	b := newBench(t, benchOptions{})
	first := b.want(http.StatusCreated, ask{json: `{"amount":5000,"currency":"eur","source":"tok_visa","metadata":{"a":"1","b":"2","c":"3"}}`})
	for _, metadata := range []string{`{"c":"3","b":"2","a":"1"}`, `{"b":"2","x":null,"a":"1","c":"3"}`, `{"b":"2","a":"1","c":"3","y":""}`} {
		got := b.want(http.StatusCreated, ask{json: `{"metadata":` + metadata + `,"source":"tok_visa","amount":5000,"currency":"eur"}`})
		if got.body != first.body {
			t.Errorf("%s: %s", metadata, got.body)
		}
	}
	b.refused(http.StatusConflict, CodeKeyReused, ask{json: `{"amount":5000,"currency":"eur","source":"tok_visa","metadata":{"a":"2","b":"1","c":"3"}}`})
	if calls := len(b.bank.calls("POST")); calls != 1 {
		t.Errorf("charged %d times", calls)
	}
}

func TestLengthsThatLieClaimNothing(t *testing.T) { // C07
	b := newBench(t, benchOptions{})
	for _, length := range []string{"-5", "-1", "5, 6", "x", "99999999999999999999"} {
		got := b.raw("POST /v1/charges HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test_shop\r\nIdempotency-Key: key-1\r\n" +
			"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + length + "\r\nConnection: close\r\n\r\n" + goodForm().Encode())
		if got.status != http.StatusBadRequest && got.status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %s", length, got.status, got.body)
		}
	}
	if got := b.want(http.StatusCreated, ask{}); got.header.Get("Idempotent-Replayed") != "" {
		t.Error("the key was claimed")
	}
}

func TestTwoKeysThatAreEqualInTheirFirst255CharactersAreBothRefused(t *testing.T) { // B07
	b := newBench(t, benchOptions{})
	long := strings.Repeat("k", 255)
	b.want(http.StatusCreated, ask{key: long})
	for _, key := range []string{long + strings.Repeat("a", 45), long + strings.Repeat("b", 45)} {
		b.refused(http.StatusBadRequest, CodeKeyInvalid, ask{key: key}) // cut off, each would replay
	}
	if taken := b.bank.taken("shop", "eur"); taken != 5000 {
		t.Errorf("charged %d", taken)
	}
}
