package network

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// past is a deadline that is over: it frees whoever is blocked.
var past = time.Unix(1, 0)

// interim is what makes a reset visible. HTTP libraries send a request again
// by themselves only when a reused connection ends before the first byte of an
// answer; an interim answer is such a byte, and promises nothing (RFC 9110
// section 15.2.1).
const interim = "HTTP/1.1 100 Continue\r\n\r\n"

// lose ends the exchange without an answer.
//
//	silent  the sender hears nothing until its own timeout fires
//	reset   the sender gets an error at once, and knows nothing either
//	raw     like reset, but on a reused connection its HTTP library may take
//	        the silence for an idle connection that had been closed, and send
//	        the request again without telling anybody
//
// A silence that nobody ends is itself ended by a reset.
func (c *crossing) lose(how How) {
	conn := c.take()
	if conn == nil {
		c.abandon(how)
		return
	}
	if how == Raw || how == Silent && c.outwaited(conn) {
		_ = conn.Close()
		return
	}
	if !c.begun && c.r.ProtoAtLeast(1, 1) {
		// Bounded, for a sender that reads nothing.
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = io.WriteString(conn, interim)
	}
	linger(conn)
	_ = conn.Close()
}

// take makes the connection ours, nil if it cannot be had (HTTP/2, a wrapped
// writer). A part of the body that is still on its way is given up first: two
// readers on one connection would be a race.
func (c *crossing) take() net.Conn {
	if c.upload != nil {
		c.upload.stop()
		if c.rc.SetReadDeadline(past) == nil {
			c.upload.wait()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	conn, _, err := c.rc.Hijack()
	if err != nil {
		return nil
	}
	c.taken = true
	return conn
}

// outwaited keeps the connection open without a byte and reports whether the
// sender was the one to end it. Whatever it still sends is thrown away.
func (c *crossing) outwaited(conn net.Conn) bool {
	if !c.n.hush() {
		return false
	}
	defer c.n.unhush()
	_ = conn.SetReadDeadline(time.Now().Add(c.n.options.MaxSilence))
	stop := context.AfterFunc(c.n.life, func() { _ = conn.SetReadDeadline(past) })
	defer stop()
	_, err := io.Copy(io.Discard, conn)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// abandon loses an exchange whose connection cannot be had: the server ends
// the stream on this panic, which it is made for.
func (c *crossing) abandon(how How) {
	if how == Silent && c.n.hush() {
		defer c.n.unhush()
		timer := time.NewTimer(c.n.options.MaxSilence)
		defer timer.Stop()
		select {
		case <-c.r.Context().Done():
		case <-timer.C:
		case <-c.n.life.Done():
		}
	}
	panic(http.ErrAbortHandler)
}

// hush takes one of the places for silence; false if none is left.
func (n *Network) hush() bool {
	select {
	case n.silent <- struct{}{}:
		return true
	default:
		return false
	}
}

func (n *Network) unhush() { <-n.silent }

// linger makes the coming Close a reset (RST) instead of an orderly end (FIN),
// on whatever lies beneath TLS or a listener's wrapper.
func linger(conn net.Conn) {
	for range 4 { // layers; more is a loop
		if tcp, ok := conn.(interface{ SetLinger(sec int) error }); ok {
			_ = tcp.SetLinger(0)
			return
		}
		outer, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return
		}
		conn = outer.NetConn()
	}
}
