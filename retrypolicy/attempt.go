package retrypolicy

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// MaxAnswerBody bounds the body of an answer in bytes, after decompression. An
// answer is read whole before it counts, so it must fit into memory.
const MaxAnswerBody = 1 << 20

// outcome is an attempt that is over.
type outcome struct {
	Ended
	body     []byte
	raw      *http.Response
	canceled bool // by the caller, or its deadline
}

func (o outcome) response() *Response {
	return &Response{Status: o.Status, Header: o.Header, Body: o.body, Attempts: o.Number, raw: o.raw}
}

// attempt makes one attempt and judges it. The caller's giving up is told
// apart from the attempt's own timeout here, where both contexts are known.
func (c *call) attempt(number int, permit *Permit) (last outcome) {
	health := Neutral
	// Deferred, so that not even a panic in a hook or RoundTripper takes a
	// probe's place with it.
	defer func() { c.done(permit, health) }()
	now := Attempt{Number: number, Of: c.policy.MaxAttempts, Key: c.out.key}
	c.hooks.attempt(c.ctx, now)
	began := c.clock.Now()
	timeout := max(0, min(c.policy.AttemptTimeout, c.end.Sub(began)))
	ctx, cancel := withTimeout(withAttempt(c.ctx, now), c.clock, timeout)
	defer cancel()

	track := new(wire)
	answer, body, err := c.exchange(track.watch(ctx), track)
	last = outcome{Ended: Ended{Attempt: now, Elapsed: c.clock.Now().Sub(began), Err: err}, body: body}
	if answer != nil {
		last.Status, last.Header, last.raw = answer.StatusCode, answer.Header, answer
	}
	if err != nil && ctx.Err() != nil {
		// The transport may have put it in words of its own.
		last.Err = context.Cause(ctx)
		last.canceled = c.ctx.Err() != nil
	}
	last.Timeout = last.Err != nil && (isTimeout(last.Err) || c.ctx.Err() == context.DeadlineExceeded)
	last.Unsent = track.unsent(last.Err)
	result := c.result(last)
	health = Assess(result)
	last.Verdict, last.Reason = c.policy.Classify(result, c.policy)
	last.Code = result.Code
	c.hooks.ended(c.ctx, last.Ended)
	return last
}

func (c *call) done(permit *Permit, health Health) {
	if permit != nil {
		permit.Done(c.clock.Now(), health)
	}
}

func (c *call) result(last outcome) Result {
	result := Result{
		Method: c.out.template.Method, Attempt: last.Number, Keyed: c.out.key != "",
		Status: last.Status, Header: last.Header,
		Err: last.Err, Unsent: last.Unsent, Canceled: last.canceled,
	}
	if last.Status == http.StatusConflict {
		result.Code = errorCode(last.body)
	}
	return result
}

// exchange sends one request, follows its redirects and reads the answer. On
// an error the answer is there as far as it came.
func (c *call) exchange(ctx context.Context, track *wire) (*http.Response, []byte, error) {
	req := c.out.request(ctx, c.out.template.URL)
	for hops := 0; ; hops++ {
		answer, err := c.transport.RoundTrip(req)
		if err != nil {
			return nil, nil, err
		}
		if answer == nil {
			return nil, nil, ErrNoAnswer
		}
		// For a RoundTripper that reports nothing to the trace.
		track.sent.Store(true)
		body, err := readAnswer(answer)
		if err != nil {
			return answer, nil, err
		}
		next, err := c.redirected(req, answer, hops)
		if next == nil || err != nil {
			return answer, body, err
		}
		req = next
	}
}

// readAnswer reads the body to its end, which also gives the connection back
// for reuse. A body that is too large is not drained: closing the connection
// is cheaper than reading what nobody bounds.
func readAnswer(answer *http.Response) ([]byte, error) {
	if answer.Body == nil {
		return []byte{}, nil
	}
	// The bytes, or the error, are in hand: failing to close changes nothing.
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, MaxAnswerBody+1))
	if err != nil {
		return nil, err
	}
	if len(body) > MaxAnswerBody {
		return nil, ErrAnswerTooLarge
	}
	return body, nil
}

// errorCode finds the "error.code" of a JSON document, as Stripe's answers and
// ours have it. Anything else has no code.
func errorCode(body []byte) string {
	var document struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &document) != nil {
		return ""
	}
	return document.Error.Code
}

// wire watches how far a request came. net/http calls the trace from several
// goroutines.
type wire struct {
	wanted atomic.Bool // a connection was asked for
	sent   atomic.Bool // one was given, so bytes may have left
}

func (w *wire) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.wanted.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { w.sent.Store(true) },
	})
}

// unsent is true only if it is certain that no byte left. Where a RoundTripper
// reports nothing to the trace, only a failed dial is certain enough.
func (w *wire) unsent(err error) bool {
	if err == nil || w.sent.Load() {
		return false
	}
	return w.wanted.Load() || isDial(err)
}
