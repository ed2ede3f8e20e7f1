package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"chargeonce/idem"
)

const (
	// MaxBody bounds a request's body in bytes, whatever its Content-Length
	// says. The largest lawful charge (50 metadata entries of 540 characters,
	// all percent-encoded) stays below it for ASCII text.
	MaxBody = 64 << 10
	// maxDepth bounds the nesting of parameters; our deepest is 2.
	maxDepth = 8
	// bodyTimeout bounds the arrival of a body, so that a client that sends a
	// byte a minute holds no request open.
	bodyTimeout = 10 * time.Second
)

const (
	typeJSON    = "application/json"
	typeForm    = "application/x-www-form-urlencoded"
	typeProblem = "application/problem+json"
)

// body is a decoded body. Typed says that its leaves carry JSON types; in a
// form every leaf is text.
type body struct {
	tree  idem.Params
	typed bool
}

// decodeBody reads and decodes the body of r. It never reads more than
// [MaxBody] bytes and one, so a chunked body of any length costs no memory.
func decodeBody(w http.ResponseWriter, r *http.Request) (body, *Problem) {
	if r.ContentLength > MaxBody {
		return body{}, &Problem{Code: CodeBodyTooLarge}
	}
	raw, problem := readBody(w, r)
	if problem != nil {
		return body{}, problem
	}
	kind, problem := mediaType(r.Header, len(raw) == 0)
	if problem != nil {
		return body{}, problem
	}
	if kind == typeJSON {
		tree, problem := decodeJSON(raw)
		return body{tree: tree, typed: true}, problem
	}
	tree, problem := decodeForm(string(raw))
	return body{tree: tree}, problem
}

// readBody sets the deadline for the body alone: the connection's own would
// run on and cancel a request that waits for another attempt.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *Problem) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout)) // a recorder in a test has none
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		_ = control.SetReadDeadline(time.Time{})
		return raw, nil
	case errors.As(err, &tooLarge):
		return nil, &Problem{Code: CodeBodyTooLarge}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &Problem{Code: CodeBodyTimeout}
	}
	return nil, badBody("The body broke off before its end.")
}

// mediaType picks the decoder. A request without a body needs no type.
func mediaType(header http.Header, empty bool) (string, *Problem) {
	refused := &Problem{
		Code:    CodeMediaType,
		Message: "Send the parameters as " + typeForm + " or " + typeJSON + ", in UTF-8 and not compressed.",
	}
	if header.Get("Content-Encoding") != "" {
		return "", refused
	}
	lines := header.Values("Content-Type")
	if len(lines) == 0 && empty {
		return typeForm, nil
	}
	if len(lines) != 1 {
		return "", refused
	}
	kind, params, err := mime.ParseMediaType(lines[0])
	if err != nil || kind != typeJSON && kind != typeForm {
		return "", refused
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return "", refused
	}
	return kind, nil
}

func badBody(message string) *Problem {
	return &Problem{Code: CodeBodyInvalid, Message: message}
}
