package retrypolicy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// MaxRequestBody bounds the body of a request in bytes: it is kept in memory
// for as long as the call lasts, so that each attempt can send it.
const MaxRequestBody = 16 << 20

const headerKey = "Idempotency-Key"

// outgoing is a request as every attempt sends it. It is not changed once it
// has been read, so that attempts cannot differ.
type outgoing struct {
	template *http.Request // without its body
	body     []byte
	key      string // empty: the request carries none
}

// readOutgoing checks the request and takes its body.
func readOutgoing(req *http.Request) (*outgoing, error) {
	// First, since the body is to be closed whatever else is wrong.
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(req)
	if err != nil {
		return nil, err
	}
	if err := sendable(req); err != nil {
		return nil, err
	}
	return &outgoing{template: template(req), body: body, key: key}, nil
}

// keyOf returns the key that the request carries, empty for none. A blank one
// is an error: on the wire nothing would be left of it, and the request would be
// repeated as if it had a key.
func keyOf(req *http.Request) (string, error) {
	keys := req.Header.Values(headerKey)
	if len(keys) == 0 {
		return "", nil
	}
	if len(keys) > 1 || strings.TrimSpace(keys[0]) == "" || !isPrintable(keys[0]) {
		return "", ErrBadKey
	}
	return keys[0], nil
}

// template copies what attempts share. The copy is deep where it matters, so
// that a caller who goes on using its request does not change a later attempt.
func template(req *http.Request) *http.Request {
	copied := req.Clone(req.Context())
	if copied.Header == nil {
		copied.Header = http.Header{}
	}
	copied.Body, copied.GetBody, copied.TransferEncoding = nil, nil, nil
	// The part of net/http that does this is its Client, which is not used here.
	if user := copied.URL.User; user != nil && copied.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		copied.SetBasicAuth(user.Username(), password)
	}
	return copied
}

// readBody reads and closes the body. It is closed early when the context
// ends, which frees a read that hangs.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, rightLength(req, 0)
	}
	ctx := req.Context()
	stop := context.AfterFunc(ctx, func() { _ = req.Body.Close() })
	body, err := io.ReadAll(io.LimitReader(req.Body, MaxRequestBody+1))
	if stop() {
		// What was read is in hand: failing to close it changes nothing.
		_ = req.Body.Close()
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the request's body: %w", err)
	case len(body) > MaxRequestBody:
		return nil, ErrBodyTooLarge
	}
	return body, rightLength(req, len(body))
}

func rightLength(req *http.Request, length int) error {
	if req.ContentLength > 0 && req.ContentLength != int64(length) {
		return fmt.Errorf("%w: it says %d and holds %d bytes", ErrBodyLength, req.ContentLength, length)
	}
	return nil
}

// request makes a request of its own for one send to target, so that nothing
// that a RoundTripper changes reaches the next one.
func (o *outgoing) request(ctx context.Context, target *url.URL) *http.Request {
	req, own := o.template.Clone(ctx), *target
	req.URL = &own
	req.Body = &opaqueBody{bytes.NewReader(o.body)}
	req.ContentLength = int64(len(o.body))
	return req
}

// opaqueBody hides from net/http what it would need to send a request again by
// itself. It stands for empty bodies too: a nil body or http.NoBody counts as
// replayable.
type opaqueBody struct{ from io.Reader }

func (b *opaqueBody) Read(p []byte) (int, error) { return b.from.Read(p) }

func (b *opaqueBody) Close() error { return nil }
