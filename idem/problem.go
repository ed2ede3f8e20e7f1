package idem

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// problem is an error document of [Handler] (RFC 9457). It has no type of its
// own, so its title is the status in words; code is for programs.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`

	retryAfter int // seconds; 0: coming again would not help
}

func newProblem(status int, code, detail string, retryAfter int) *problem {
	return &problem{http.StatusText(status), status, detail, code, retryAfter}
}

// soon is how long a client is asked to wait, in seconds: the smallest that
// Retry-After can say.
const soon = 1

// What is refused before the claim. Nothing has run.
var (
	problemOwner = newProblem(http.StatusUnauthorized, "credential_invalid",
		"The credential is missing or not accepted.", 0)
	problemQuery = newProblem(http.StatusBadRequest, "query_invalid",
		"The query cannot be read.", 0)
	problemUnavailable = newProblem(http.StatusServiceUnavailable, "store_unavailable",
		"The key could not be claimed. Try again with the same key.", soon)
)

// What ends an attempt without an answer.
var (
	problemInUse = newProblem(http.StatusConflict, "idempotency_key_in_use",
		"Another attempt took this key over. Ask again with the same key.", soon)
	problemUnknown = newProblem(http.StatusServiceUnavailable, "outcome_unknown",
		"The outcome is not known. Ask again with the same key; a new key might do the work twice.", soon)
)

func problemKey(err error) *problem {
	code := "idempotency_key_invalid"
	if errors.Is(err, ErrKeyMissing) {
		code = "idempotency_key_missing"
	}
	return newProblem(http.StatusBadRequest, code,
		strings.TrimPrefix(err.Error(), "idem: ")+". Send one key for each action, and the same one each time you retry it.", 0)
}

func problemBody(err error) *problem {
	var tooBig *http.MaxBytesError
	if errors.As(err, &tooBig) {
		return newProblem(http.StatusRequestEntityTooLarge, "body_too_large",
			"The body is larger than "+strconv.FormatInt(tooBig.Limit, 10)+" bytes.", 0)
	}
	return newProblem(http.StatusBadRequest, "body_invalid", "The body ended early or cannot be read.", 0)
}

func problemParams(err error) *problem {
	return newProblem(http.StatusBadRequest, "body_invalid", err.Error(), 0)
}

// problem is the document for a request that may not run.
func (d Decision) problem() *problem {
	switch d.Outcome {
	case Busy:
		return newProblem(http.StatusConflict, "idempotency_key_in_use", d.Reason, soon)
	case ResultExpired:
		return newProblem(http.StatusConflict, "idempotency_result_expired", d.Reason, 0)
	default:
		return newProblem(http.StatusConflict, "idempotency_key_reused", d.Reason, 0)
	}
}

// tell answers a request that may not run.
func (d Decision) tell(w http.ResponseWriter, terms Terms) {
	d.Mark(w.Header(), terms)
	if d.Outcome == Replay {
		_ = d.Record.Answer.Send(w) // a client that is gone comes back for it
		return
	}
	d.problem().send(w)
}

func (p *problem) send(w http.ResponseWriter) {
	body, _ := json.Marshal(p) // texts and a number: it cannot fail
	w.Header().Set("Content-Type", "application/problem+json")
	if p.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // whether the client is still there changes nothing
}
