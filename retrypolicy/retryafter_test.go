package retrypolicy_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"chargeonce/retrypolicy"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Cases E04 and E06.
func TestRetryAfterReadsSecondsAndDatesAndIgnoresTheRest(t *testing.T) {
	cases := []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"0", 0, true},
		{"2", 2 * sec, true},
		{" 2 ", 2 * sec, true},
		{"007", 7 * sec, true},
		{"3600", time.Hour, true},
		{"9999999999", math.MaxInt64, true},
		{"99999999999999999999999999", math.MaxInt64, true},
		{"Sun, 01 Mar 2026 12:00:02 GMT", 2 * sec, true},
		{"Sunday, 01-Mar-26 12:00:02 GMT", 2 * sec, true},
		{"Sun Mar  1 12:00:02 2026", 2 * sec, true},
		{"Sun, 01 Mar 2026 11:00:00 GMT", 0, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", math.MaxInt64, true},
		{"", 0, false},
		{"-5", 0, false},
		{"+5", 0, false},
		{"1.5", 0, false},
		{"1e3", 0, false},
		{"2s", 0, false},
		{"٣", 0, false},
		{"soon", 0, false},
		{"Sun, 31 Feb 2026 12:00:00 GMT", 0, false},
	}
	for _, c := range cases {
		got, ok := retrypolicy.RetryAfter(http.Header{"Retry-After": {c.value}}, noon)
		if got != c.want || ok != c.ok {
			t.Errorf("%q: %v, %v; want %v, %v", c.value, got, ok, c.want, c.ok)
		}
	}
}

func TestRetryAfterOfNoHeaderIsNone(t *testing.T) {
	if wait, ok := retrypolicy.RetryAfter(nil, noon); wait != 0 || ok {
		t.Errorf("got %v, %v", wait, ok)
	}
}

func FuzzRetryAfterIsNeverNegative(f *testing.F) {
	for _, seed := range []string{"-5", "9223372036854775807", "Sun, 01 Mar 2026 12:00:02 GMT", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		wait, ok := retrypolicy.RetryAfter(http.Header{"Retry-After": {value}}, noon)
		if wait < 0 || (!ok && wait != 0) {
			t.Errorf("%q: %v, %v", value, wait, ok)
		}
	})
}
