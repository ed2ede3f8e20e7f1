package network

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// crossing is one request on its way over the wire. It belongs to the
// goroutine of its ServeHTTP.
type crossing struct {
	n  *Network
	w  http.ResponseWriter
	rc *http.ResponseController
	r  *http.Request

	start time.Time
	id    string
	trace string
	to    destination

	body   []byte  // all of it, or its beginning
	upload *upload // the rest, nil if body is all
	owner  string
	key    string
	fault  Fault // zero: none
	begun  bool  // a part of the answer was written

	sent   glimpse     // of the request, where its body was streamed
	answer http.Header // nil: none came (yet)
	got    glimpse     // of the answer
	copied int         // status of the answer to the copy
	held   time.Duration

	mu    sync.Mutex
	taken bool // the connection is no longer the server's
}

// ServeHTTP takes one request over the wire. See the package comment for what
// may become of it. A malformed Chargeonce-Fault and an unreadable body are
// answered 400, a path under `/-/` 404, none of them forwarded or counted.
func (n *Network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &crossing{
		n: n, w: w, rc: http.NewResponseController(w), r: r,
		start: time.Now(), id: rand.Text(), trace: traceOf(r.Header),
	}
	if !n.enter() {
		c.lose(Reset)
		return
	}
	defer n.active.Done()
	defer context.AfterFunc(n.life, c.expire)()
	w.Header().Set(HeaderTrace, c.trace)
	if refused := c.board(); refused != nil {
		refused.write(w, r)
		return
	}
	c.tell(c.event(Passed))
	c.travel()
}

// board reads the request, finds out whose it is and which fault it meets.
func (c *crossing) board() *problem {
	to, err := c.n.destination(c.r)
	if err != nil {
		p := refusal(http.StatusNotFound, "path_not_found", "Not found", "There is no such path on this wire.", "")
		return &p
	}
	c.to = to
	scripted, err := c.scripted()
	if err != nil {
		detail := HeaderFault + " " + strings.TrimPrefix(err.Error(), "network: ")
		p := refusal(http.StatusBadRequest, "fault_invalid", "Malformed fault", detail, HeaderFault)
		return &p
	}
	if err := c.read(); err != nil {
		p := refusal(http.StatusBadRequest, "body_unreadable", "Unreadable body", "The request's body could not be read to its end.", "")
		return &p
	}
	c.owner, c.key = c.n.identify(c.r, c.body[:min(len(c.body), MaxBuffered)])
	c.n.wire.add(c.owner)
	c.fault = c.n.pick(scripted, c.owner, c.key)
	return nil
}

func (c *crossing) scripted() (*Fault, error) {
	if !c.n.options.HeaderFaults {
		return nil, nil
	}
	return headerFault(c.r.Header)
}

// read buffers the body if it is short. A sender that waits for a 100 Continue
// has not sent it yet, and to read would be to answer: there the target
// decides, and a fault is chosen by the headers alone.
func (c *crossing) read() error {
	if waitsForContinue(c.r) {
		c.upload = &upload{from: c.r.Body}
		return nil
	}
	var err error
	c.body, err = io.ReadAll(io.LimitReader(c.r.Body, MaxBuffered+1))
	if len(c.body) > MaxBuffered {
		c.upload = &upload{from: c.r.Body}
	}
	return err
}

func waitsForContinue(r *http.Request) bool {
	return r.ContentLength != 0 && strings.EqualFold(r.Header.Get("Expect"), "100-continue")
}

// identify asks the owner of this wire; without one, the key is as sent.
func (n *Network) identify(r *http.Request, body []byte) (owner, key string) {
	if n.options.Identify == nil {
		return "", r.Header.Get("Idempotency-Key")
	}
	return n.options.Identify(r, body)
}

// pick chooses the one fault of a request. Its own comes first, being the more
// precise; armed faults are then left for others.
func (n *Network) pick(scripted *Fault, owner, key string) Fault {
	if scripted != nil && n.seen.take(*scripted, owner, key) {
		return *scripted
	}
	return n.armed.take(owner, key)
}

// travel lets the fault happen to the request, or delivers it.
func (c *crossing) travel() {
	switch c.fault.Kind {
	case LoseRequest:
		e := c.event(LostRequest)
		e.How = c.how()
		c.tell(e)
		c.lose(e.How)
	case Status:
		c.refuse()
	case Delay:
		c.holdBack()
		c.deliver()
	default:
		c.deliver()
	}
}

// how is the fault's way of losing.
func (c *crossing) how() How {
	if c.fault.How == "" {
		return Silent
	}
	return c.fault.How
}

// holdBack waits before the delivery. It does not look at the sender: what is
// on the wire arrives, late, even when nobody waits for it any more.
func (c *crossing) holdBack() {
	e := c.event(Delayed)
	e.Wait = c.fault.Delay
	c.tell(e)
	timer := time.NewTimer(c.fault.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.n.life.Done():
	}
}

// expire frees this request from reads and writes that block, for Close.
func (c *crossing) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A connection that was taken over has deadlines of its own.
	if !c.taken {
		_ = c.rc.SetReadDeadline(past)
		_ = c.rc.SetWriteDeadline(past)
	}
}
