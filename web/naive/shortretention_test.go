package naive

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/web/control"
)

// later asks the same thing again when the retention clock has moved on.
func later(t *testing.T, m Mistake, advance time.Duration, status int) (s *system, again answer) {
	t.Helper()
	var offset time.Duration
	s = (&system{t: t, offset: func() time.Duration { return offset }}).start(m)
	s.want(http.StatusCreated, ask{})
	offset = advance
	return s, s.want(status, ask{trace: "late"})
}

func TestALateDuplicateOfAForgottenKeyChargesTwice(t *testing.T) {
	s, again := later(t, shortRetention(), 11*time.Minute, http.StatusCreated)
	if again.header.Get(idem.HeaderReplayed) != "" || s.captures("shop") != 2 {
		t.Errorf("%d captures, want 2; %v", s.captures("shop"), again.header)
	}
}

func TestTheSameLateDuplicateOfARememberedKeyChargesOnce(t *testing.T) {
	s, again := later(t, Mistake{}, 11*time.Minute, http.StatusCreated)
	if again.header.Get(idem.HeaderReplayed) != "true" || s.captures("shop") != 1 {
		t.Errorf("%d captures, want 1; %v", s.captures("shop"), again.header)
	}
	s, _ = later(t, Mistake{}, 25*time.Hour, http.StatusConflict)
	if s.captures("shop") != 1 {
		t.Errorf("past the retention: %d captures, want 1", s.captures("shop"))
	}
}

func TestAKeyThatIsYoungIsRemembered(t *testing.T) {
	s, again := later(t, shortRetention(), 9*time.Minute, http.StatusCreated)
	if again.header.Get(idem.HeaderReplayed) != "true" || s.captures("shop") != 1 {
		t.Errorf("%d captures, want 1; %v", s.captures("shop"), again.header)
	}
	s.want(http.StatusConflict, ask{amount: "8000"})
}

func TestThePanelIsToldThatAKeyIsGone(t *testing.T) {
	s, _ := later(t, shortRetention(), 25*time.Hour, http.StatusCreated)
	eventually(t, "the note", func() bool { return count(s.of("late"), control.KindNote) == 1 })
	for _, e := range s.of("late") {
		if e.Kind == control.KindNote && !strings.Contains(e.Text, "25h old and was kept for 10m only") {
			t.Errorf("told %q", e.Text)
		}
	}
}
