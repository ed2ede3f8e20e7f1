package naive

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// libraryRetries counts attempts in its loop and leaves the wire to the library.
//
// Wrong: the shop hands each attempt to net/http as examples do, over kept
// connections and with a body that can be read again. Where such a connection
// dies before the answer's first byte, net/http takes the Idempotency-Key for
// leave to send the POST once more. No policy allowed it, no hook is told, no
// limit counts it; where the key is not honoured, it is a second charge.
//
// The public kind: the rule itself (golang/go, issue 19943, which asked for
// it); a controller that made the same address twice when a connection dropped,
// although its authors had meant to repeat no POST
// (digitalocean/netbox-ip-controller, pull request 14).
//
// Right: New of web/shop gives each attempt a connection of its own, and
// request of package retrypolicy a body that net/http cannot send again.
func libraryRetries() Mistake {
	return Mistake{ID: "library-retries", Label: "the library sends again", Gates: rightGates, Wire: trustLibrary}
}

// idleLong bounds how long a connection is kept for the next request.
const idleLong = 10 * time.Second

// trustLibrary takes the place of the shop's wire: kept connections, and bodies
// that can be sent again.
func trustLibrary(http.RoundTripper) http.RoundTripper {
	return &rewindable{&http.Transport{IdleConnTimeout: idleLong}}
}

type rewindable struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t *rewindable) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context()) // the caller's request is not ours to change
	if r.Body == nil {
		return t.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_ = r.Body.Close() // all of it is in hand
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	return t.next.RoundTrip(r)
}
