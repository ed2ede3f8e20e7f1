package naive

import (
	"net/http"
	"strings"
	"testing"

	"chargeonce/web/control"
)

// silenced starts a system whose card provider is not heard the first time.
func silenced(t *testing.T, m Mistake) (*system, *losing) {
	t.Helper()
	wire := &losing{next: fresh(), left: 1}
	return (&system{t: t, cards: wire}).start(m), wire
}

// charges lists the ledger's charges that took money.
func (s *system) charged() (charges int) {
	s.t.Helper()
	for _, e := range s.of("t") {
		if e.Kind == control.KindCommit && e.Status == http.StatusCreated {
			charges++
		}
	}
	return charges
}

func TestASilentProviderUnderAFreshKeyCapturesTwiceAndTheLedgerShowsOne(t *testing.T) {
	s, wire := silenced(t, freshProviderKey())
	s.want(http.StatusCreated, ask{})
	if n := s.captures("shop"); n != 2 {
		t.Errorf("%d captures, want 2", n)
	}
	if n := s.charged(); n != 1 {
		t.Errorf("the ledger booked %d charges, want 1", n)
	}
	if len(wire.keys) != 2 || wire.keys[0] == wire.keys[1] {
		t.Errorf("keys on the provider's wire: %v", wire.keys)
	}
	for _, key := range wire.keys {
		if !strings.HasPrefix(key, "cap_") {
			t.Errorf("the provider's book cannot be read: %q", key)
		}
	}
}

func TestTheSameSilenceUnderADerivedKeyCapturesOnce(t *testing.T) {
	s, wire := silenced(t, Mistake{})
	s.want(http.StatusCreated, ask{})
	if n := s.captures("shop"); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
	if len(wire.keys) != 2 || wire.keys[0] != wire.keys[1] {
		t.Errorf("keys on the provider's wire: %v", wire.keys)
	}
}

// The mistake is on the far side of the API: its own door is well guarded.
func TestClientsKeysAreStillHonoured(t *testing.T) {
	s := (&system{t: t}).start(freshProviderKey())
	first, again := s.want(http.StatusCreated, ask{}), s.want(http.StatusCreated, ask{})
	if first.body != again.body {
		t.Errorf("not a replay: %s", again.body)
	}
	s.want(http.StatusConflict, ask{amount: "8000"})
	if n := s.captures("shop"); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
}

func TestAskingTheProviderByKeyIsLeftAlone(t *testing.T) {
	wire := &losing{next: answering{}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/operations?key=cap_ch_1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := freshPerCall(wire).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.Request != request || wire.keys[0] != "-" {
		t.Errorf("a look-up left as %v with key %q", response.Request.URL, wire.keys[0])
	}
}

func TestThePanelIsToldNoKeyThatTheProviderNeverGot(t *testing.T) {
	s, _ := silenced(t, freshProviderKey())
	s.want(http.StatusCreated, ask{})
	asked := 0
	for _, e := range s.of("t") {
		if e.Kind != control.KindProvider && e.Kind != control.KindWait {
			continue
		}
		asked++
		if e.ProviderKey != "" || strings.Contains(e.Text, "cap_") {
			t.Errorf("told of a key that never crossed the wire: %+v", e)
		}
	}
	if asked < 3 { // the question, the silence, the answer
		t.Errorf("told of %d steps", asked)
	}
	lookup := control.Event{Kind: control.KindProvider, ProviderKey: "cap_ch_1", Text: "What became of key cap_ch_1?"}
	tellFreshCalls(func(e control.Event) {
		if e != lookup {
			t.Errorf("a look-up is told as %+v", e)
		}
	})(lookup)
}
