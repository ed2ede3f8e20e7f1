package naive

import (
	"net/http"
	"strings"
	"testing"

	"chargeonce/idem"
	"chargeonce/web/control"
)

func TestAnotherRequestIsAnsweredAsIfItWereTheFirst(t *testing.T) {
	s := (&system{t: t}).start(noFingerprint())
	first, other := s.want(http.StatusCreated, ask{}), s.want(http.StatusCreated, ask{amount: "8000", trace: "other"})
	if first.body != other.body || other.header.Get(idem.HeaderReplayed) != "true" || strings.Contains(other.body, "8000") {
		t.Errorf("not the first one's answer: %v\n%s", other.header, other.body)
	}
	if n := s.captures("shop"); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
	for _, e := range s.of("other") {
		if e.Kind == control.KindDecision && e.Outcome != control.Replay {
			t.Errorf("told as %+v", e)
		}
	}
}

// What a key is for is left alone, and so is what makes two keys two.
func TestWithoutFingerprintsARetryIsStillARetry(t *testing.T) {
	s := (&system{t: t}).start(noFingerprint())
	first, again := s.want(http.StatusCreated, ask{}), s.want(http.StatusCreated, ask{})
	if first.body != again.body {
		t.Errorf("not a replay: %s", again.body)
	}
	if s.want(http.StatusCreated, ask{key: "order-2", amount: "8000"}); s.captures("shop") != 2 {
		t.Error("a key of its own is not charged")
	}
	if s.want(http.StatusCreated, ask{owner: "b"}); s.captures("b") != 1 {
		t.Error("another owner's key is not charged")
	}
}

func TestTheRightStoreSaysWhatDiffers(t *testing.T) {
	s := (&system{t: t}).start(Mistake{})
	s.want(http.StatusCreated, ask{})
	if got := s.want(http.StatusConflict, ask{amount: "8000"}); !strings.Contains(got.body, `"amount"`) {
		t.Errorf("the conflict does not name the amount: %s", got.body)
	}
}
