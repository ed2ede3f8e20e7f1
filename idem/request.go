package idem

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
)

// bodyParam is the name under which a body counts that nobody takes apart.
const bodyParam = "(body)"

// keyed reports whether the request is for us: unsafe, and with a key unless
// its method is idempotent.
func keyed(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return false
	case http.MethodPut, http.MethodDelete:
		return len(r.Header.Values(HeaderKey)) > 0
	}
	return true
}

// read makes the claim of a request. What it refuses leaves no record.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (Claim, []byte, *problem) {
	owner, err := h.Owner(r)
	if err != nil || !ValidOwner(owner) {
		return Claim{}, nil, problemOwner
	}
	key, err := KeyFromHeader(owner, r.Header)
	if err != nil {
		return Claim{}, nil, problemKey(err)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return Claim{}, nil, problemQuery
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.maxBody()))
	if err != nil {
		return Claim{}, nil, problemBody(err)
	}
	params, err := h.params(r, body)
	if err != nil {
		return Claim{}, nil, problemParams(err)
	}
	return Claim{
		Key:         key,
		Fingerprint: NewFingerprint(r.Method, r.URL.EscapedPath(), query, params),
		Operation:   r.Method + " " + r.URL.EscapedPath(),
		Resource:    rand.Text(), // unguessable, and never used twice
	}, body, nil
}

func (h *Handler) params(r *http.Request, body []byte) (Params, error) {
	if h.Params != nil {
		return h.Params(r, body)
	}
	return Params{bodyParam: string(body)}, nil
}

func (h *Handler) maxBody() int64 {
	if h.MaxBody > 0 {
		return h.MaxBody
	}
	return DefaultMaxBody
}
