package network

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestAFaultIsAcceptedWithinItsLimits(t *testing.T) {
	for _, f := range []Fault{
		{Kind: LoseRequest, Attempts: 1},
		{Kind: LoseRequest, How: Silent, Attempts: MaxAttempts},
		{Kind: LoseResponse, How: Reset, Attempts: 1, Owner: "run_1_b", Key: "k"},
		{Kind: LoseResponse, How: Raw, Attempts: 1, Owner: strings.Repeat("o", 64), Key: strings.Repeat("k", 255)},
		{Kind: Delay, Delay: time.Millisecond, Attempts: 1},
		{Kind: Delay, Delay: MaxDelay, Attempts: 1},
		{Kind: Duplicate, Attempts: 1},
		{Kind: Truncate, Attempts: 1},
		{Kind: Status, Status: 429, RetryAfter: MaxRetryAfter, Attempts: 1},
		{Kind: Status, Status: 502, Attempts: 1},
		{Kind: Status, Status: 503, Attempts: 1},
		{Kind: Status, Status: 504, Attempts: 1},
	} {
		if err := f.Validate(); err != nil {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

func TestARefusedFaultNamesItsFieldAndItsLimit(t *testing.T) {
	for _, c := range []struct {
		fault       Fault
		field, want string
	}{
		{Fault{Attempts: 1}, "kind", "lose-request"},
		{Fault{Kind: "LOSE-REQUEST", Attempts: 1}, "kind", "truncate"},
		{Fault{Kind: LoseRequest}, "attempts", "1 to 10000"},
		{Fault{Kind: LoseRequest, Attempts: MaxAttempts + 1}, "attempts", "1 to 10000"},
		{Fault{Kind: LoseRequest, Attempts: -1}, "attempts", "1 to 10000"},
		{Fault{Kind: LoseRequest, How: "loud", Attempts: 1}, "how", "silent, reset or raw"},
		{Fault{Kind: Delay, Delay: 1, How: Reset, Attempts: 1}, "how", "absent"},
		{Fault{Kind: Delay, Attempts: 1}, "ms", "1 to 120000"},
		{Fault{Kind: Delay, Delay: MaxDelay + 1, Attempts: 1}, "ms", "1 to 120000"},
		{Fault{Kind: Delay, Delay: -time.Second, Attempts: 1}, "ms", "1 to 120000"},
		{Fault{Kind: Truncate, Delay: time.Second, Attempts: 1}, "ms", "absent"},
		{Fault{Kind: Status, Attempts: 1}, "status", "[429 502 503 504]"},
		{Fault{Kind: Status, Status: 500, Attempts: 1}, "status", "[429 502 503 504]"},
		{Fault{Kind: Duplicate, Status: 503, Attempts: 1}, "status", "absent"},
		{Fault{Kind: Status, Status: 503, RetryAfter: -1, Attempts: 1}, "retry-after", "0 to 86400 seconds"},
		{Fault{Kind: Status, Status: 503, RetryAfter: MaxRetryAfter + 1, Attempts: 1}, "retry-after", "0 to 86400 seconds"},
		{Fault{Kind: LoseRequest, RetryAfter: 1, Attempts: 1}, "retry-after", "absent"},
		{Fault{Kind: LoseRequest, Owner: "a b", Attempts: 1}, "owner", "1 to 64"},
		{Fault{Kind: LoseRequest, Owner: strings.Repeat("o", 65), Attempts: 1}, "owner", "1 to 64"},
		{Fault{Kind: LoseRequest, Key: "a b", Attempts: 1}, "key", "1 to 255"},
		{Fault{Kind: LoseRequest, Key: strings.Repeat("k", 256), Attempts: 1}, "key", "1 to 255"},
		{Fault{Kind: LoseRequest, ID: strings.Repeat("i", 65), Attempts: 1}, "id", "at most 64"},
	} {
		err := c.fault.Validate()
		detail, ok := errors.AsType[*FaultError](err)
		if !ok || !errors.Is(err, ErrFault) {
			t.Errorf("%+v: got %v, want a FaultError", c.fault, err)
			continue
		}
		if detail.Field != c.field || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s and %q", c.fault, err, c.field, c.want)
		}
	}
}

func TestAnErrorRepeatsLittleOfItsInput(t *testing.T) {
	err := Fault{Kind: Kind(strings.Repeat("x", 9000)), Attempts: 1}.Validate()
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("got %v", err)
	}
}
