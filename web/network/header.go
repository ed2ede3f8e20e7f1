package network

import (
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers by which a sender and the network talk.
const (
	HeaderFault   = "Chargeonce-Fault"   // scripts a fault for this very request; never forwarded
	HeaderTrace   = "Chargeonce-Trace"   // names one request on every box it crosses; minted here where absent
	HeaderAttempt = "Chargeonce-Attempt" // "N/M": attempt N of M, from a client that counts
)

// maxHeader bounds a fault header, in bytes: all parameters at their longest
// need about 90.
const maxHeader = 256

// maxTrace bounds a sender's own trace name, which is repeated in events.
const maxTrace = 64

// ParseHeader reads the value of Chargeonce-Fault,
//
//	KIND[;how=HOW][;attempts=N][;ms=N][;status=N][;retry-after=N]
//
// with blanks allowed around the semicolons. Attempts defaults to 1; Owner and
// Key stay empty, for the request itself says whose it is. An error is a
// *FaultError.
func ParseHeader(value string) (Fault, error) {
	if len(value) > maxHeader {
		return Fault{}, wrong("header", "at most "+strconv.Itoa(maxHeader)+" bytes", value)
	}
	parts := strings.Split(value, ";")
	f := Fault{Kind: Kind(strings.TrimSpace(parts[0])), Attempts: 1}
	given := make(map[string]bool, len(parts))
	for _, part := range parts[1:] {
		name, setting, _ := strings.Cut(strings.TrimSpace(part), "=")
		// The second of two would win silently; its author cannot mean both.
		if given[name] {
			return Fault{}, wrong(name, "at most once", setting)
		}
		given[name] = true
		if err := f.set(name, setting); err != nil {
			return Fault{}, err
		}
	}
	return f, f.Validate()
}

// set applies one parameter. An unknown name is an error and not ignored: a
// mistyped fault that does nothing would look like a network that works.
func (f *Fault) set(name, setting string) error {
	if name == "how" {
		// An empty How is the default in a Fault, but a mistake in a header.
		if setting == "" {
			return wrong(name, "silent, reset or raw", setting)
		}
		f.How = How(setting)
		return nil
	}
	number, err := strconv.Atoi(setting)
	if err != nil || number < 0 || strings.HasPrefix(setting, "+") {
		number = -1 // out of every parameter's range; what was sent is reported below
	}
	switch name {
	case "attempts":
		f.Attempts = number
	case "ms":
		// Compared before it is multiplied, so that no sum wraps.
		if number > int(MaxDelay.Milliseconds()) {
			number = -1
		}
		f.Delay = time.Duration(number) * time.Millisecond
	case "status":
		f.Status = number
	case "retry-after":
		f.RetryAfter = number
	default:
		return wrong("header", "only how, attempts, ms, status, retry-after after the kind", name)
	}
	if number < 0 {
		return wrong(name, numberRanges[name], setting)
	}
	return nil
}

// numberRanges words the limits of Fault for a setting that is no number.
var numberRanges = map[string]string{
	"attempts":    "a number from 1 to " + strconv.Itoa(MaxAttempts),
	"ms":          "a number from 1 to " + strconv.Itoa(int(MaxDelay.Milliseconds())),
	"status":      "429, 502, 503 or 504",
	"retry-after": "a number of seconds from 0 to " + strconv.Itoa(MaxRetryAfter),
}

// headerFault gives the fault that a request asks for itself, nil if none. Two
// header lines are refused: one request meets one fault.
func headerFault(header http.Header) (*Fault, error) {
	lines := header.Values(HeaderFault)
	switch len(lines) {
	case 0:
		return nil, nil
	case 1:
		f, err := ParseHeader(lines[0])
		if err != nil {
			return nil, err
		}
		return &f, nil
	}
	return nil, wrong("header", "one line", len(lines))
}

// traceOf takes over the sender's name for this request, or mints one where it
// sent none that is fit to be repeated.
func traceOf(header http.Header) string {
	given := header.Get(HeaderTrace)
	if len(given) <= maxTrace && keyForm.MatchString(given) {
		return given
	}
	return "tr_" + rand.Text()
}

// attemptOf reads "N/M"; anything else is 0, 0: not known.
func attemptOf(header http.Header) (attempt, of int) {
	left, right, _ := strings.Cut(header.Get(HeaderAttempt), "/")
	attempt, err1 := strconv.Atoi(left)
	of, err2 := strconv.Atoi(right)
	if err1 != nil || err2 != nil || attempt < 1 || attempt > of || of > MaxAttempts {
		return 0, 0
	}
	return attempt, of
}
