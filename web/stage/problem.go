package stage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// refuse answers a command with the error document that the payments API uses
// as well: RFC 9457 with an `error` member.
func refuse(w http.ResponseWriter, status int, code, message, param string) {
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "api_error"
	}
	inner := map[string]any{"type": kind, "code": code, "message": message}
	if param != "" {
		inner["param"] = param
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Stripe-Should-Retry", fmt.Sprint(status == http.StatusServiceUnavailable))
	w.WriteHeader(status)
	encode(w, map[string]any{
		"type": "/help/errors#" + code, "title": http.StatusText(status), "status": status,
		"detail": message, "error": inner,
	})
}

// answer sends a value as JSON.
func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	encode(w, value)
}

// encode writes our own types, which always encode; the client may be gone.
func encode(w io.Writer, value any) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
}

// refuseDown answers a command for which a process is missing: one that is down
// at the moment, or the stage's own, which is about to be.
func (s *Stage) refuseDown(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errChildDown):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "unavailable", "The payments API is down; it is being started again.", "")
	case errors.Is(err, errChildGone): // a reset or another mistake closed it while it was waited for
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "unavailable", "The payments API was closed meanwhile; its side is opened anew.", "")
	case errors.Is(err, errStopping):
		refuse(w, http.StatusServiceUnavailable, "unavailable", "The stage is shutting down.", "")
	default:
		s.fail(w, err)
	}
}
