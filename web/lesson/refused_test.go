package lesson

import (
	"testing"

	"chargeonce/web/control"
)

func TestADefiniteNoEndsAWishAndWhatMayPassDoesNot(t *testing.T) {
	for _, of := range []struct {
		status  int
		outcome control.Outcome
		refused bool
	}{
		{400, "", true},
		{401, "", true},
		{402, control.Declined, true},
		{402, control.Replay, true},
		{403, "", true},
		{404, "", true},
		{409, control.Conflict, true},
		{409, control.Busy, false},
		{429, "", false},
		{500, "", false},
		{503, "", false},
		{201, "", false},
		{0, control.Silence, false},
	} {
		answer := wish("a", "1", 50)
		answer.Kind, answer.Status, answer.Outcome = control.KindResponse, of.status, of.outcome
		want := int64(50)
		if of.refused {
			want = 0
		}
		if got := fold([]control.Event{wish("a", "1", 50), answer}, nil).Wanted[euro]; got != want {
			t.Errorf("after %d %s the customer wants %d, not %d", of.status, of.outcome, got, want)
		}
		if got := fold([]control.Event{wish("a", "1", 50), answer, wish("a", "1", 50)}, nil).Wanted[euro]; got != 50 {
			t.Errorf("after %d %s and another attempt the customer wants %d", of.status, of.outcome, got)
		}
	}
}
