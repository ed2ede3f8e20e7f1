package idem

import (
	"fmt"
	"net/http"
	"strconv"
)

// Names of the headers, in canonical form.
const (
	// HeaderKey carries the caller's key (draft-ietf-httpapi-idempotency-key-header).
	HeaderKey = "Idempotency-Key"
	// HeaderReplayed is "true" on a replay and absent otherwise (as Stripe has it).
	HeaderReplayed = "Idempotent-Replayed"
	// HeaderOriginal names, on a replay, the request that made the answer.
	HeaderOriginal = "Original-Request"
	// HeaderExpires says until when the answer is replayed, as an HTTP date.
	HeaderExpires = "Idempotency-Expires"
)

// replayable are the headers that belong to an answer. The list says what may
// pass, because a list of what may not would one day miss a Set-Cookie.
var replayable = []string{"Content-Type", "Location"}

// KeyFromHeader is [ParseKey] on a request's headers. The owner must come from
// the caller's credential, which is checked before.
func KeyFromHeader(owner string, h http.Header) (Key, error) {
	return ParseKey(owner, h.Values(HeaderKey))
}

// AllowHeader picks what may be stored of an answer's headers: Content-Type
// and Location, the first value of each, nothing else.
func AllowHeader(h http.Header) map[string]string {
	kept := make(map[string]string, len(replayable))
	for _, name := range replayable {
		if value := h.Get(name); value != "" {
			kept[name] = value
		}
	}
	return kept
}

// allowed is [AllowHeader] for headers whose names may be in any case.
func allowed(header map[string]string) map[string]string {
	h := make(http.Header, len(header))
	for name, value := range header {
		h.Set(name, value)
	}
	return AllowHeader(h)
}

// Mark sets the headers that tell what became of a keyed request: on a replay
// [HeaderReplayed] and [HeaderOriginal], and [HeaderExpires] wherever an answer
// is stored.
func (d Decision) Mark(h http.Header, terms Terms) {
	if d.Outcome == Replay {
		h.Set(HeaderReplayed, "true")
		if d.Record.Answer.Request != "" {
			h.Set(HeaderOriginal, d.Record.Answer.Request)
		}
	}
	if expires := d.Record.Expires(terms); !expires.IsZero() {
		h.Set(HeaderExpires, expires.UTC().Format(http.TimeFormat))
	}
}

// Send writes the stored answer: its status, its allowed headers and its body,
// byte for byte. Headers that the caller has set on w stay, except where the
// answer has its own. The error is that of the client's connection; the answer
// is stored whether or not it arrives.
func (a Answer) Send(w http.ResponseWriter) error {
	for name, value := range allowed(a.Header) {
		w.Header().Set(name, value)
	}
	if len(a.Body) > 0 {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	w.WriteHeader(a.Status)
	if len(a.Body) == 0 {
		return nil // a 204 may not even try to write
	}
	if _, err := w.Write(a.Body); err != nil {
		return fmt.Errorf("send stored answer: %w", err)
	}
	return nil
}
