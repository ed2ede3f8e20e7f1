package network

import (
	"errors"
	"testing"
)

func TestOnlyAWireThatPosesAnswersForTheFarSide(t *testing.T) {
	for status, valid := range map[int]bool{399: false, 400: true, 404: true, 500: true, 599: true, 600: false, 0: false} {
		posing := Fault{Kind: Status, Attempts: 1, Status: status, Posing: true}
		if err := posing.Validate(); (err == nil) != valid || err != nil && !errors.Is(err, ErrFault) {
			t.Errorf("posing with %d: %v", status, err)
		}
		posing.Posing = false
		if err := posing.Validate(); err == nil {
			t.Errorf("%d passes for a proxy's own", status)
		}
	}
	if err := (Fault{Kind: LoseRequest, Attempts: 1, Posing: true}).Validate(); err == nil {
		t.Error("a lost request poses")
	}
}
