package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Problem is one refusal, as every client gets it: an RFC 9457 document with
// Stripe's error object as its extension member `error`. It is an error, so
// that decoders can return it. Its texts never repeat what the client sent,
// since that may be a card number or a secret; names of parameters are
// repeated only in the shape that [printable] allows.
type Problem struct {
	Code        Code
	Message     string        // one sentence for a person; empty: the code's title
	Param       string        // the parameter at fault, if one is
	DeclineCode string        // of a declined card
	Charge      string        // id of the charge at fault, if there is one
	Intent      *intentObject // the payment intent at fault, as it stands
	Resource    string        // path under which the truth can be read
	RetryAfter  time.Duration // 0: no Retry-After header
	Allow       string        // of a 405: the methods that exist
	As          int           // answers with this status instead of the code's own; 0: does not
}

// rule is the line of the problem's code in the table. A code that is not there
// is another package's, if it says with which status to answer; else it is our
// bug, and says so.
func (p *Problem) rule() rule {
	if _, ours := rules[p.Code]; ours || p.As < http.StatusBadRequest {
		return p.Code.rule()
	}
	kind := kindInvalid
	if p.As >= http.StatusInternalServerError {
		kind = kindAPI
	}
	return rule{p.As, kind, http.StatusText(p.As)}
}

// Error is the sentence that the client gets.
func (p *Problem) Error() string {
	if p.Message == "" {
		return p.rule().title
	}
	return p.Message
}

// Status is the HTTP status of the answer, 400 to 599.
func (p *Problem) Status() int { return cmp.Or(p.As, p.rule().status) }

// ShouldRetry is the word of the Stripe-Should-Retry header: whether the same
// request with the same key may be sent again and may then end differently.
func (p *Problem) ShouldRetry() bool {
	switch p.Status() {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return p.Code == CodeKeyInUse
}

// document is the body on the wire. Both halves say the same: RFC 9457 for
// generic clients, `error` for Stripe's SDKs, which without it take the answer
// for a success.
type document struct {
	Type     string      `json:"type"`
	Title    string      `json:"title"`
	Status   int         `json:"status"`
	Detail   string      `json:"detail"`
	Resource string      `json:"resource,omitempty"`
	Error    stripeError `json:"error"`
}

// stripeError has the fields of Stripe's error object that we fill.
type stripeError struct {
	Type        string        `json:"type"`
	Code        Code          `json:"code"`
	Message     string        `json:"message"`
	Param       string        `json:"param,omitempty"`
	DeclineCode string        `json:"decline_code,omitempty"`
	Charge      string        `json:"charge,omitempty"`
	Intent      *intentObject `json:"payment_intent,omitempty"`
}

// Body is the document in JSON. It is a function of the problem alone: it can
// be stored with a record and replayed byte for byte.
func (p *Problem) Body() []byte {
	rule := p.rule()
	return mustJSON(document{
		Type: "/help/errors#" + string(p.Code), Title: rule.title, Status: p.Status(),
		Detail: p.Error(), Resource: p.Resource,
		Error: p.stripe(),
	})
}

// stripe is the problem as Stripe's SDKs read it.
func (p *Problem) stripe() stripeError {
	return stripeError{
		Type: p.rule().kind, Code: p.Code, Message: p.Error(), Param: p.Param,
		DeclineCode: p.DeclineCode, Charge: p.Charge, Intent: p.Intent,
	}
}

// Write sends the problem, with the headers that belong to it. Those that belong
// to the request (Request-Id, the echoed key) are already set. It is exported for
// the stage, whose own commands are refused in the same words: a Problem with a
// Code of its own and As set.
func (p *Problem) Write(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", typeProblem)
	if p.RetryAfter > 0 {
		header.Set("Retry-After", seconds(p.RetryAfter))
	}
	if p.Allow != "" {
		header.Set("Allow", p.Allow)
	}
	if p.Status() == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", `Bearer realm="chargeonce"`) // RFC 9110, section 11.6.1
	}
	send(w, p.Status(), p.ShouldRetry(), p.Body())
}

// send writes an answer whose headers are set. Every answer from 400 on says
// whether repeating helps; a success never does, since SDKs take the header as
// an order and would send a paid request again.
func send(w http.ResponseWriter, status int, retry bool, body []byte) {
	if status >= http.StatusBadRequest {
		w.Header().Set("Stripe-Should-Retry", strconv.FormatBool(retry))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone learns the answer by its key
}

// seconds is a Retry-After: whole seconds, rounded up and at least 1, because
// clients read 0 as "at once".
func seconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
}

// mustJSON encodes values of our own types, which cannot fail.
func mustJSON(value any) []byte {
	body, err := json.Marshal(value)
	if err != nil {
		panic("api: encode our own answer: " + err.Error())
	}
	return append(body, '\n')
}
