package network

import (
	"bytes"
	"io"
	"net/http"
)

// maxDrained bounds how much of an answer that nobody receives is read, in
// bytes. The answers of a payments API are a few kilobytes.
const maxDrained = 1 << 20

// deliver sends the request to the target and brings the answer back, as far
// as the fault lets it.
func (c *crossing) deliver() {
	if c.upload != nil {
		defer c.upload.stop()
	}
	answer, err := c.send()
	if err != nil {
		c.died()
		return
	}
	defer closeBody(answer)
	c.watch(answer)
	switch c.fault.Kind {
	case LoseResponse:
		c.loseAnswer(answer)
	case Truncate:
		c.truncate(answer)
	case Duplicate:
		c.sendCopy()
		c.pass(answer)
	default:
		c.pass(answer)
	}
}

// send delivers the request once. It lives as long as the network and not as
// long as its sender, who may hang up meanwhile.
func (c *crossing) send() (*http.Response, error) {
	out, err := c.outgoing()
	if err != nil {
		return nil, err
	}
	return c.n.transport.RoundTrip(out)
}

// outgoing builds the request as the target receives it: as sent, without what
// belongs to the sender's connection and without the fault's script.
func (c *crossing) outgoing() (*http.Request, error) {
	base := ""
	if c.n.options.Target != nil {
		base = c.n.options.Target()
	}
	if base == "" {
		return nil, errNoTarget
	}
	to, err := c.to.on(base)
	if err != nil {
		return nil, err
	}
	header := endToEnd(c.r.Header)
	header.Del(HeaderFault)
	header.Set(HeaderTrace, c.trace)
	if _, named := header["User-Agent"]; !named {
		header["User-Agent"] = []string{""} // keeps the transport from naming itself
	}
	out := &http.Request{
		Method: c.r.Method, URL: to, Host: c.r.Host, Header: header,
		Body: c.payload(), ContentLength: c.r.ContentLength,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	return out.WithContext(c.n.life), nil
}

// payload is the body from its start. Closing it does nothing: the sender's
// connection belongs to the server, which may still have to read it empty.
func (c *crossing) payload() io.ReadCloser {
	switch {
	case c.upload != nil:
		return io.NopCloser(io.TeeReader(io.MultiReader(bytes.NewReader(c.body), c.upload), &c.sent))
	case c.r.ContentLength == 0:
		return nil
	}
	return io.NopCloser(bytes.NewReader(c.body))
}

// sendCopy delivers the request a second time, when the first was answered and
// before its sender hears of it: so a script's figures are complete once the
// sender has its answer, and the first delivery is always the first. A body
// that was not buffered cannot be sent twice; such a request goes through
// once, and its fault is used up.
func (c *crossing) sendCopy() {
	if c.upload != nil {
		return
	}
	answer, err := c.send()
	if err != nil {
		c.tell(c.event(Duplicated))
		return
	}
	defer closeBody(answer)
	_ = drain(answer) // its delivery counts, whatever became of the answer
	c.tell(c.answered(Duplicated, answer))
}

// loseAnswer reads the whole answer, so that the work is done to its end, and
// then loses it. A target that dies meanwhile is dead all the same.
func (c *crossing) loseAnswer(answer *http.Response) {
	if drain(answer) != nil {
		c.died()
		return
	}
	e := c.answered(LostResponse, answer)
	e.How = c.how()
	c.tell(e)
	c.lose(e.How)
}

// died ends a request whose target was not there, or went away before its
// answer was whole: a reset, since there is no gateway on a wire that could
// say 502. A sender that broke off its own body ends the same way.
func (c *crossing) died() {
	e := c.event(Dead)
	if c.upload != nil && c.upload.broken.Load() {
		e.What = Gone
	}
	e.How = Reset
	c.tell(e)
	c.lose(Reset)
}

func drain(answer *http.Response) error {
	_, err := io.Copy(io.Discard, io.LimitReader(answer.Body, maxDrained))
	return err
}

// closeBody gives the target's connection back, which ends it. Nothing can be
// done about an error here, and nothing depends on it.
func closeBody(answer *http.Response) { _ = answer.Body.Close() }
