package retrypolicy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// RoundTrip makes a Client the transport of an [http.Client], and so of any
// SDK that lets its http.Client be set. It does what [Client.Do] does, with
// the differences that its place below an http.Client asks for:
//
//   - If the last attempt was answered, that answer is returned, even where Do
//     would say that limits are used up: a 503 with its body tells an SDK more
//     than an error does. Where no answer came, the error is Do's.
//   - Redirects that keep method, body and key are returned, for the
//     http.Client to follow; each hop is then a call with attempts of its own.
//     A 301, 302 or 303 to anything but GET and HEAD is still an error, since
//     an http.Client would turn a keyed POST into a GET without a word.
//
// Answers are read whole, up to MaxAnswerBody: it is no transport for streams,
// large downloads and protocol upgrades. It may be used concurrently.
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) {
	run := c.start(req.Context())
	run.handOver = true
	resp, err := run.do(req)
	if err != nil {
		if resp = lastAnswer(err); resp == nil {
			return nil, err
		}
	}
	answer := *resp.raw
	answer.Body, answer.Request = io.NopCloser(bytes.NewReader(resp.Body)), req
	return &answer, nil
}

// CloseIdleConnections closes those of the transport below, if it has any. It
// is what [http.Client.CloseIdleConnections] calls.
func (c *Client) CloseIdleConnections() {
	below, ok := c.transport().(interface{ CloseIdleConnections() })
	if ok {
		below.CloseIdleConnections()
	}
}

// lastAnswer finds the answer of the last attempt in a call's error. It is nil
// if that attempt got none, however many were answered before it.
func lastAnswer(err error) *Response {
	if exceeded, ok := errors.AsType[*ExceededError](err); ok && exceeded.Err == nil {
		return exceeded.Response
	}
	if open, ok := errors.AsType[*OpenError](err); ok && open.Err == nil {
		return open.Response
	}
	if long, ok := errors.AsType[*WaitTooLongError](err); ok {
		return long.Response
	}
	return nil
}
