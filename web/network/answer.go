package network

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// pass brings the answer back. A short one is read whole before its first byte
// goes out, so that a target that dies in the middle of it can still be shown
// as a clean reset.
func (c *crossing) pass(answer *http.Response) {
	if answer.ContentLength < 0 || answer.ContentLength > MaxBuffered {
		c.stream(answer)
		return
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		c.died()
		return
	}
	if c.senderLeft() {
		c.tell(c.answered(Gone, answer))
		return
	}
	// Told first: the sender acts on the answer, and its own events follow.
	c.tell(c.answered(Answered, answer))
	c.head(answer, answer.Header.Get("Content-Length"))
	_, _ = c.w.Write(body) // a sender that leaves now is like one that left a moment later
}

// stream brings back a long answer, or one that says no length, piece by piece
// as the target writes it.
func (c *crossing) stream(answer *http.Response) {
	c.head(answer, answer.Header.Get("Content-Length"))
	buffer := make([]byte, 32<<10)
	n, err := 0, error(nil)
	// The empty first piece sends the head, which may have to wait long for a
	// body.
	for c.push(buffer[:n]) == nil {
		if err == io.EOF {
			c.tell(c.answered(Answered, answer))
			return
		}
		if err != nil {
			c.died()
			return
		}
		n, err = answer.Body.Read(buffer)
	}
	_ = drain(answer) // the sender left, the target finishes
	c.tell(c.answered(Gone, answer))
}

// push sends a piece of an answer at once; an error says that the sender left.
func (c *crossing) push(piece []byte) error {
	if _, err := c.w.Write(piece); err != nil {
		return err
	}
	if err := c.rc.Flush(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return c.r.Context().Err()
}

// truncate sends half of the body under the length of all of it, and ends the
// connection. Of a body without a stated length at most MaxBuffered bytes are
// taken for all. An answer without a body has no half: it is reset.
func (c *crossing) truncate(answer *http.Response) {
	body, err := io.ReadAll(io.LimitReader(answer.Body, MaxBuffered))
	if err != nil {
		c.died()
		return
	}
	e := c.answered(Truncated, answer)
	if len(body) == 0 {
		e.How = Reset
		c.tell(e)
		c.lose(Reset)
		return
	}
	c.tell(e)
	total := max(answer.ContentLength, int64(len(body)))
	c.head(answer, strconv.FormatInt(total, 10))
	half := min(total/2, int64(len(body)))
	_, _ = c.w.Write(body[:half]) // nothing depends on whether it arrives
	_, _ = io.CopyN(c.w, answer.Body, total/2-half)
	_ = c.rc.Flush()
	c.lose(Raw)
}

// head sends the answer's status and headers, with the trace's name added.
func (c *crossing) head(answer *http.Response, length string) {
	header := c.w.Header()
	maps.Copy(header, endToEnd(answer.Header))
	if to := header.Get("Location"); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") {
		header.Set("Location", c.n.options.StripPrefix+to) // a path of the target's, which does not know what was cut off
	}
	header.Set(HeaderTrace, c.trace)
	header.Del("Content-Length")
	if length != "" {
		header.Set("Content-Length", length)
	}
	if _, typed := header["Content-Type"]; !typed {
		header["Content-Type"] = nil // keeps the server from guessing one
	}
	c.begun = true
	c.w.WriteHeader(answer.StatusCode)
}

// refuse answers as a proxy does that is overloaded or finds nobody behind it:
// plain text, and nothing about idempotency, of which it knows nothing.
func (c *crossing) refuse() {
	header := c.w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	if c.fault.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(c.fault.RetryAfter))
	}
	e := c.event(Refused)
	e.Status, e.Header = c.fault.Status, header.Clone()
	c.answer = e.Header
	body := fmt.Appendf(nil, "%d %s\n", c.fault.Status, http.StatusText(c.fault.Status))
	_, _ = c.got.Write(body)
	c.tell(e)
	c.begun = true
	c.w.WriteHeader(c.fault.Status)
	_, _ = c.w.Write(body)
}

// senderLeft reports whether the sender hung up, as far as can be known: the
// server notices once the request's body has been read.
func (c *crossing) senderLeft() bool { return c.r.Context().Err() != nil }
