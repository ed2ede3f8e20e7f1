package api

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
)

// link is a request's tie to its client. It lets a request that was held at a
// gate go on without its client, and lets the client be cut off while the work
// goes on. It is safe for concurrent use, and it may outlive its handler: a
// connection that is closed already is closed for good.
type link struct {
	conn   net.Conn    // nil where the server does not tell (see [withConn])
	untie  func() bool // stops the client's going from ending the work
	wasCut atomic.Bool
}

type connKey struct{}

// withConn is an [http.Server]'s ConnContext: it lets a link reach the
// connection beneath a request. The server speaks HTTP/1.1 alone, where a
// connection carries one request at a time.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// newLink returns the context in which a request is handled: it ends with the
// client's, unless the link is untied before. end frees what it holds.
func newLink(r *http.Request) (ctx context.Context, l *link, end func()) {
	theirs := r.Context()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(theirs))
	l = &link{untie: context.AfterFunc(theirs, func() { cancel(context.Cause(theirs)) })}
	l.conn, _ = theirs.Value(connKey{}).(net.Conn)
	return ctx, l, func() {
		l.untie()
		cancel(nil)
	}
}

// stay lets the request go on whatever its client does. A nil link, of a
// context without a request, has no client.
func (l *link) stay() {
	if l != nil {
		l.untie()
	}
}

// cut resets the client's connection, as a machine that dies does, and lets
// the work go on.
func (l *link) cut() {
	if l == nil {
		return
	}
	l.untie() // first: net/http ends the request's context with its connection
	l.wasCut.Store(true)
	if l.conn == nil {
		return
	}
	if tcp, ok := l.conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // RST in place of FIN; on a dead connection there is nothing to reset
	}
	_ = l.conn.Close()
}

func (l *link) isCut() bool { return l != nil && l.wasCut.Load() }
