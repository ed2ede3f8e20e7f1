package network

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
)

// problem is the error document of the payments API: RFC 9457 with the `error`
// object that payment SDKs look for. Without it some of them take a refusal
// for a successful charge.
type problem struct {
	Type   string       `json:"type"`
	Title  string       `json:"title"`
	Status int          `json:"status"`
	Detail string       `json:"detail"`
	Error  problemError `json:"error"`
}

type problemError struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Param   string `json:"param,omitempty"`
}

// refusal builds the document for a request that never came onto the wire.
func refusal(status int, code, title, detail, param string) problem {
	return problem{
		Type: "/help/errors#" + code, Title: title, Status: status, Detail: detail,
		Error: problemError{Type: "invalid_request_error", Code: code, Message: detail, Param: param},
	}
}

// write answers with the document. Should-retry is always false: the same
// request would be refused again. Only a key that could be one is echoed.
func (p problem) write(w http.ResponseWriter, r *http.Request) {
	body, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and one number always encode
	}
	header := w.Header()
	header.Set("Content-Type", "application/problem+json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Stripe-Should-Retry", "false")
	header.Set("Request-Id", "req_"+rand.Text())
	if key := r.Header.Get("Idempotency-Key"); keyForm.MatchString(key) {
		header.Set("Idempotency-Key", key)
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // a sender that left needs no answer
}
