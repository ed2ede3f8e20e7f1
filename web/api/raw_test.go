package api

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// readAll reads a response and closes it.
func readAll(t *testing.T, response *http.Response) answer {
	t.Helper()
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(body)}
}

// dial opens a connection of its own, for what net/http's client would not
// send.
func (b *bench) dial() net.Conn {
	b.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		b.t.Fatal(err)
	}
	return conn
}

// raw sends bytes as they are and reads one answer.
func (b *bench) raw(text string) answer {
	b.t.Helper()
	conn := b.dial()
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, text); err != nil {
		b.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return readAll(b.t, response)
}
