package network

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestTheHeaderSpellsEveryFault(t *testing.T) {
	for text, want := range map[string]Fault{
		"lose-request":                         {Kind: LoseRequest, Attempts: 1},
		"lose-response;how=silent":             {Kind: LoseResponse, How: Silent, Attempts: 1},
		"lose-response;how=reset;attempts=3":   {Kind: LoseResponse, How: Reset, Attempts: 3},
		" lose-response ; attempts=3; how=raw": {Kind: LoseResponse, How: Raw, Attempts: 3},
		"delay;ms=250":                         {Kind: Delay, Delay: 250 * time.Millisecond, Attempts: 1},
		"delay;ms=120000":                      {Kind: Delay, Delay: MaxDelay, Attempts: 1},
		"duplicate":                            {Kind: Duplicate, Attempts: 1},
		"truncate;attempts=10000":              {Kind: Truncate, Attempts: MaxAttempts},
		"status;status=503;retry-after=2":      {Kind: Status, Status: 503, RetryAfter: 2, Attempts: 1},
		"status;status=429;retry-after=0":      {Kind: Status, Status: 429, Attempts: 1},
	} {
		if got, err := ParseHeader(text); got != want || err != nil {
			t.Errorf("%q: got %+v %v, want %+v", text, got, err, want)
		}
	}
}

func TestAMalformedHeaderNamesWhatIsWrong(t *testing.T) {
	for text, field := range map[string]string{
		"":                                    "kind",
		";":                                   "header",
		"lose":                                "kind",
		"Lose-Request":                        "kind",
		"lose-request;":                       "header",
		"lose-request;what=1":                 "header",
		"lose-request;how":                    "how",
		"lose-request;how=":                   "how",
		"lose-request;how=loud":               "how",
		"lose-request;how=raw;how=raw":        "how",
		"lose-request;attempts":               "attempts",
		"lose-request;attempts=":              "attempts",
		"lose-request;attempts=0":             "attempts",
		"lose-request;attempts=+1":            "attempts",
		"lose-request;attempts=1.5":           "attempts",
		"lose-request;attempts=10001":         "attempts",
		"lose-request;attempts=1;attempts=1":  "attempts",
		"lose-request;ATTEMPTS=1":             "header",
		"delay":                               "ms",
		"delay;ms=0":                          "ms",
		"delay;ms=-1":                         "ms",
		"delay;ms=120001":                     "ms",
		"delay;ms=9223372036854775807":        "ms",
		"delay;ms=99999999999999999999":       "ms",
		"lose-request;ms=5":                   "ms",
		"status":                              "status",
		"status;status=500":                   "status",
		"status;status=-503":                  "status",
		"status;status=503;retry-after=86401": "retry-after",
		"status;status=503;retry-after=soon":  "retry-after",
		"duplicate;retry-after=1":             "retry-after",
		"lose-request" + strings.Repeat(" ", maxHeader): "header",
	} {
		_, err := ParseHeader(text)
		detail, ok := errors.AsType[*FaultError](err)
		if !ok || detail.Field != field {
			t.Errorf("%q: got %v, want an error about %s", text, err, field)
		}
	}
}

func FuzzAParsedHeaderIsAFaultThatCanBeArmed(f *testing.F) {
	f.Add("lose-response;how=reset;attempts=3")
	f.Add("delay;ms=9223372036854775807")
	f.Add("status;status=503;retry-after=2;;")
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := ParseHeader(text)
		if err == nil && fault.Validate() != nil {
			t.Errorf("%q gave %+v, which is invalid", text, fault)
		}
		if err != nil && !errors.Is(err, ErrFault) {
			t.Errorf("%q: error of another kind: %v", text, err)
		}
	})
}

func TestTheAttemptIsReadOrUnknown(t *testing.T) {
	for text, want := range map[string][2]int{
		"2/10": {2, 10}, "1/1": {1, 1}, "10000/10000": {10000, 10000},
		"": {}, "2": {}, "2/": {}, "/2": {}, "0/2": {}, "3/2": {}, "-1/2": {}, "1/10001": {}, "1/2/3": {}, "a/b": {},
	} {
		attempt, of := attemptOf(http.Header{HeaderAttempt: {text}})
		if got := [2]int{attempt, of}; got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestATraceIsKeptOrMinted(t *testing.T) {
	if got := traceOf(http.Header{HeaderTrace: {"tr_mine"}}); got != "tr_mine" {
		t.Errorf("got %q", got)
	}
	seen := map[string]bool{}
	for _, unfit := range []string{"", "a b", strings.Repeat("x", maxTrace+1), "é"} {
		got := traceOf(http.Header{HeaderTrace: {unfit}})
		if got == unfit || !strings.HasPrefix(got, "tr_") || seen[got] {
			t.Errorf("%q gave %q", unfit, got)
		}
		seen[got] = true
	}
}
