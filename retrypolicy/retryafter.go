package retrypolicy

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter reads the Retry-After header (RFC 9110, section 10.2.3): whole
// seconds ("120") or an HTTP-date, taken relative to now. It reports false
// when the header is absent or says nothing usable (negative, fractional,
// malformed), so that the client falls back on its own backoff. A date in the
// past is a wait of 0. More seconds than a duration holds are the longest
// duration, never a negative one; the ceiling is the policy's business.
func RetryAfter(header http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if isDigits(value) {
		return wholeSeconds(value), true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	// Sub saturates, so a date in the year 9999 cannot wrap around.
	return max(0, date.Sub(now)), true
}

func wholeSeconds(digits string) time.Duration {
	seconds, err := strconv.ParseInt(digits, 10, 64)
	// Only the range can be wrong with a string of digits.
	if err != nil || seconds > int64(math.MaxInt64/time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds) * time.Second
}

// isDigits is stricter than strconv, which would let "+5" through.
func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
