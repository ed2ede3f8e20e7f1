package idem

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
)

// recorder holds an answer back until it is stored. Like the writer of
// net/http it takes the first status, and the headers as they are then.
type recorder struct {
	header  http.Header
	sent    http.Header // copy of header when the status was given
	status  int
	body    bytes.Buffer
	tooBig  bool
	request string // id of the request, if something outside has given it one
}

func newRecorder(w http.ResponseWriter) *recorder {
	return &recorder{header: make(http.Header), request: w.Header().Get(headerRequest)}
}

// headerRequest is where an answer commonly names its request.
const headerRequest = "Request-Id"

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status != 0 || status < 200 { // 1xx only announces an answer
		return
	}
	r.status, r.sent = status, r.header.Clone()
}

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	switch {
	case r.status == http.StatusNoContent || r.status == http.StatusNotModified:
		return 0, http.ErrBodyNotAllowed
	case r.tooBig || r.body.Len()+len(p) > MaxAnswer:
		r.tooBig = true
		r.body.Reset()
		return 0, fmt.Errorf("%w: a body of more than %d bytes", ErrAnswer, MaxAnswer)
	}
	return r.body.Write(p)
}

// close settles what the handler left open, as net/http does: no status is
// 200, and a body without a type gets one by its looks, so that every replay
// names the same.
func (r *recorder) close() {
	r.WriteHeader(http.StatusOK)
	if r.body.Len() > 0 && len(r.sent.Values("Content-Type")) == 0 {
		r.sent.Set("Content-Type", http.DetectContentType(r.body.Bytes()))
	}
}

// definite reports whether the answer may be stored. These three say "not
// now"; stored, they would say so for a day.
func (r *recorder) definite() bool {
	switch r.status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return r.status < 500
}

func (r *recorder) answer() Answer {
	return Answer{
		Status: r.status, Header: AllowHeader(r.sent), Body: r.body.Bytes(),
		Request: cmp.Or(r.sent.Get(headerRequest), r.request),
	}
}

// copyHeader gives the first client all headers, also those that no replay
// will have. The length is left to who sends the body.
func (r *recorder) copyHeader(to http.Header) {
	r.sent.Del("Content-Length")
	maps.Copy(to, r.sent)
}
