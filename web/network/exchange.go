package network

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// MaxShown bounds how much of a body an Exchange carries, in bytes. A charge
// and its answer are well below one kilobyte.
const MaxShown = 8 << 10

// Exchange is one request with what has become of it by now, as it stood on
// this wire: what the sender put there, and what the far side gave back,
// whether or not that arrived. Its Event is the latest one. It belongs to the
// receiver.
type Exchange struct {
	Event
	ID       string // the same for each word about one request; a trace may name several
	Began    time.Time
	Query    string // as forwarded, with its "?", cut at 255 bytes; empty: none
	Request  Message
	Response *Message      // what the far side, or a proxy on the way, answered; nil: nothing (yet)
	Held     time.Duration // how long the network held it back; 0: it did not
	Copied   int           // status that the copy of a duplicated request was answered with; 0: none
}

// Message is one direction of an exchange. Its header has no credential: what
// would be one reads "Bearer …".
type Message struct {
	Header http.Header // end to end
	Body   []byte      // its beginning, at most MaxShown bytes
	Size   int64       // bytes of the whole body, as far as it went or was announced
}

// secrets are headers whose values open doors (RFC 9110 section 11, RFC 6265).
var secrets = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key"}

// shown copies a header without its credentials. The scheme stays, since it
// says how the sender showed who it is.
func shown(header http.Header) http.Header {
	kept := endToEnd(header)
	for _, name := range secrets {
		for i, value := range kept.Values(name) {
			scheme, _, found := strings.Cut(value, " ")
			if !found || !strings.HasSuffix(name, "Authorization") {
				scheme = ""
			}
			kept[name][i] = strings.TrimSpace(scheme + " …")
		}
	}
	return kept
}

// record hands the exchange as it stands to the hook.
func (c *crossing) record(e Event) {
	hook := c.n.options.Record
	if hook == nil {
		return
	}
	switch e.What {
	case Duplicated:
		c.copied = e.Status
	case Delayed:
		c.held = e.Wait
	}
	x := Exchange{
		Event: e, ID: c.id, Began: c.start, Query: clip(c.to.query), Held: c.held, Copied: c.copied,
		Request: c.sent.message(c.r.Header),
	}
	if c.upload == nil || x.Request.Size == 0 { // all of it is here, or nothing was taken on
		x.Request.Body = bytes.Clone(c.body[:min(len(c.body), MaxShown)])
		x.Request.Size = max(int64(len(c.body)), c.r.ContentLength)
	}
	if c.answer != nil {
		answer := c.got.message(c.answer)
		x.Response = &answer
	}
	hook(x)
}

// watch sees an answer's body pass.
func (c *crossing) watch(answer *http.Response) {
	if c.n.options.Record == nil {
		return
	}
	c.answer = answer.Header
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(answer.Body, &c.got), answer.Body}
}

// glimpse keeps the beginning of what passes through it and counts the rest.
// The zero value is empty. It is safe for concurrent use: the transport may
// still read a body after it has returned an answer.
type glimpse struct {
	mu   sync.Mutex
	head []byte
	size int64
}

// Write never fails.
func (g *glimpse) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.head = append(g.head, p[:min(len(p), MaxShown-len(g.head))]...)
	g.size += int64(len(p))
	return len(p), nil
}

// message is what has passed by now, under its header.
func (g *glimpse) message(header http.Header) Message {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Message{Header: shown(header), Body: bytes.Clone(g.head), Size: g.size}
}
