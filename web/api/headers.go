package api

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"chargeonce/idem"
)

// Names of the headers that are not net/http's own.
const (
	headerKey       = "Idempotency-Key"
	headerReplayed  = "Idempotent-Replayed" // as Stripe: only on a replay
	headerOriginal  = "Original-Request"    // as Stripe: id of the request whose answer this is
	headerExpires   = "Idempotency-Expires" // until when the key's answer is kept, an HTTP date
	headerRequestID = "Request-Id"
	headerTrace     = "Chargeonce-Trace"   // one request's name on every box that it crosses
	headerAttempt   = "Chargeonce-Attempt" // "2/10": the client's attempt 2 of 10
	headerVersion   = "Stripe-Version"     // "2025-08-27.basil": what the client's SDK was made for
)

const (
	// maxPrefer caps `Prefer: wait=N`: below the usual timeouts of clients and
	// proxies, so that a busy answer still reaches whoever asked to wait.
	maxPrefer = 20 * time.Second
	// maxTrace bounds a name that somebody else chose and events repeat.
	maxTrace = 64
	// maxAttempts bounds what a client may claim about its own loop.
	maxAttempts = 1000
)

// keyOf reads the idempotency key of a request that must have one.
func keyOf(owner string, header http.Header) (idem.Key, *Problem) {
	lines := header.Values(headerKey)
	if len(lines) == 0 {
		return idem.Key{}, &Problem{
			Code: CodeKeyMissing,
			Message: "Send an Idempotency-Key header: one key per purchase, stored before the first attempt " +
				"and sent again, unchanged, with every further attempt.",
		}
	}
	key, err := idem.ParseKey(owner, lines)
	if err == nil && isCardNumberAlone(key.Value) {
		return idem.Key{}, &Problem{
			Code:    CodeCardNumber,
			Message: "The Idempotency-Key looks like a card number. It was not stored: mint a random key, such as a UUID.",
		}
	}
	if err != nil {
		return idem.Key{}, &Problem{
			Code: CodeKeyInvalid,
			Message: "The Idempotency-Key header must be sent once and be 1 to " + strconv.Itoa(idem.MaxKeyLength) +
				" visible ASCII characters, without blanks.",
		}
	}
	return key, nil
}

// echoable is the key's header line if it may go out again as it came in.
func echoable(header http.Header) (string, bool) {
	lines := header.Values(headerKey)
	if key, err := idem.ParseKey("anybody", lines); err != nil || isCardNumberAlone(key.Value) {
		return "", false
	}
	return lines[0], true
}

// preferredWait reads `Prefer: wait=N` (RFC 7240, section 4.3), N in seconds:
// how long a busy request may wait for the attempt at work. Zero asks for an
// answer at once and comes back negative, as the ledger wants it; no
// preference, or one that makes no sense, comes back as 0, the default.
func preferredWait(header http.Header) time.Duration {
	for _, line := range header.Values("Prefer") {
		for preference := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(preference, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			value, _, _ = strings.Cut(value, ";") // parameters of a preference mean nothing here
			seconds, err := strconv.ParseUint(strings.Trim(value, ` "`), 10, 31)
			if err != nil {
				return 0
			}
			if seconds == 0 {
				return -1
			}
			return min(maxPrefer, time.Duration(seconds)*time.Second)
		}
	}
	return 0
}

// traceOf is the request's name on the panel, if it is fit to be repeated.
func traceOf(header http.Header) string {
	trace := header.Get(headerTrace)
	if len(trace) > maxTrace || !visible(trace) || holdsCardNumber(trace) {
		return ""
	}
	return trace
}

func visible(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c < '!' || c > '~' }) < 0
}

var versionForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(\.[a-z]{1,32})?$`)

// versionOf is the API version that the client speaks. Nothing here depends on
// it; but an event names the one of the request that caused it, because SDKs'
// webhook helpers refuse events of a version that they were not made for.
func versionOf(header http.Header) string {
	version := header.Get(headerVersion)
	if !versionForm.MatchString(version) {
		return ""
	}
	return version
}

// attemptOf reads what the client says of its loop; 0, 0: it does not say.
func attemptOf(header http.Header) (attempt, of int) {
	left, right, _ := strings.Cut(header.Get(headerAttempt), "/")
	attempt, errAttempt := strconv.Atoi(left)
	of, errOf := strconv.Atoi(right)
	if errAttempt != nil || errOf != nil || attempt < 1 || attempt > of || of > maxAttempts {
		return 0, 0
	}
	return attempt, of
}
