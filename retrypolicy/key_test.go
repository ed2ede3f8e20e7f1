package retrypolicy_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"chargeonce/retrypolicy"
)

// The digits are fixed: another formula would pay every old order again.
func TestAnOrderAlwaysHasTheSameKey(t *testing.T) {
	const want = "dc659f6339cf01d087fb5a12389dd5518306577624dadcd6b344305a8fda907b"
	if got := retrypolicy.KeyFor("shop/charge", "7F3A"); got != want {
		t.Errorf("got %s", got)
	}
}

func TestKeysOfDifferentOrdersAndPurposesDiffer(t *testing.T) {
	seen := map[string][2]string{}
	for _, of := range [][2]string{
		{"shop/charge", "7F3A"},
		{"shop/refund", "7F3A"},
		{"shop/charge", "7F3B"},
		{"a", "bc"},
		{"ab", "c"},
		{"", "abc"},
		{"abc", "\x00"},
	} {
		key := retrypolicy.KeyFor(of[0], of[1])
		if other, taken := seen[key]; taken || len(key) != 64 {
			t.Errorf("%q and %q have the key %s", of, other, key)
		}
		seen[key] = of
	}
}

func TestAnOrderWithoutAnIDHasNoKeyAndIsNotSent(t *testing.T) {
	wire := statuses(201)
	req := keyless(t, "body")
	req.Header.Set("Idempotency-Key", retrypolicy.KeyFor("shop/charge", ""))
	_, err := (&retrypolicy.Client{Transport: wire}).Do(req)
	if !errors.Is(err, retrypolicy.ErrBadKey) || len(wire.sent) != 0 {
		t.Errorf("error %v after %d sends", err, len(wire.sent))
	}
}

func TestNewKeysAreVisibleASCIIAndNeverTheSame(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		key := retrypolicy.NewKey()
		if seen[key] || len(key) < 26 || len(key) > 255 {
			t.Fatalf("key %q", key)
		}
		for _, c := range []byte(key) {
			if c <= ' ' || c > '~' {
				t.Fatalf("key %q", key)
			}
		}
		seen[key] = true
	}
}

// memory is a KeyStore that lasts as long as the test.
type memory struct {
	mu   sync.Mutex
	keys map[string]string
	err  error
}

func (m *memory) KeepKey(_ context.Context, intent, fresh string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return "", m.err
	}
	if kept, ok := m.keys[intent]; ok {
		return kept, nil
	}
	if m.keys == nil {
		m.keys = map[string]string{}
	}
	m.keys[intent] = fresh
	return fresh, nil
}

// Case E16: over five attempts and a restart there is one key.
func TestAFixedKeyOutlivesTheProcess(t *testing.T) {
	store, wire := new(memory), statuses(503)
	for range 2 { // the second round is the process that was started again
		req := keyless(t, "body")
		if err := retrypolicy.FixKey(req, store, "pay 7F3A"); err != nil {
			t.Fatal(err)
		}
		_, err := (&retrypolicy.Client{Transport: wire, Policy: impatient()}).Do(req)
		wantExceeded(t, err)
	}
	if len(wire.sent) != 10 {
		t.Fatalf("%d sends, want 2 × 5", len(wire.sent))
	}
	for i, s := range wire.sent {
		if s.key != store.keys["pay 7F3A"] || s.key == "" {
			t.Errorf("send %d carries %q, stored is %q", i+1, s.key, store.keys["pay 7F3A"])
		}
	}
}

func TestTheKeyIsStoredBeforeTheFirstAttempt(t *testing.T) {
	store := new(memory)
	wire := &fake{answer: func(_ int, req *http.Request) (*http.Response, error) {
		if stored := store.keys["pay 7F3A"]; stored == "" || stored != req.Header.Get("Idempotency-Key") {
			t.Errorf("sent under %q while %q is stored", req.Header.Get("Idempotency-Key"), stored)
		}
		return answer(201, ""), nil
	}}
	req := keyless(t, "body")
	req.Header = nil
	if err := retrypolicy.FixKey(req, store, "pay 7F3A"); err != nil {
		t.Fatal(err)
	}
	resp, err := (&retrypolicy.Client{Transport: wire}).Do(req)
	wantStatus(t, resp, err, 201, 1)
}

func TestAKeyThatCannotBeStoredIsNotUsed(t *testing.T) {
	full := errors.New("disk full")
	req := keyless(t, "body")
	if err := retrypolicy.FixKey(req, &memory{err: full}, "pay 7F3A"); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if req.Header.Get("Idempotency-Key") != "" {
		t.Error("the request has a key that nobody remembers")
	}
}

func TestAKeyIsNeverReplaced(t *testing.T) {
	req, store := keyed(t, "body"), new(memory)
	if err := retrypolicy.FixKey(req, store, "pay 7F3A"); !errors.Is(err, retrypolicy.ErrKeyFixed) {
		t.Errorf("error %v", err)
	}
	if req.Header.Get("Idempotency-Key") != theKey || len(store.keys) != 0 {
		t.Errorf("key %q, stored %v", req.Header.Get("Idempotency-Key"), store.keys)
	}
}
