package network

import (
	"io"
	"sync"
	"sync/atomic"
)

// MaxBuffered is how much of a request's body is held in memory, in bytes: for
// Identify, and to deliver it twice. The API takes half of it at most, so only
// what will be refused anyway is longer, and that is streamed.
const MaxBuffered = 128 << 10

// upload is the part of a body that was not buffered, on its way from the
// sender's connection to the target's. The transport may still read it after
// it has returned an answer, so it can be given up from outside.
type upload struct {
	from io.Reader

	broken atomic.Bool // the sender stopped before the end
	over   atomic.Bool // reads are refused from now on

	mu sync.Mutex // held while a read is under way
}

// Read passes on what the sender sends.
func (u *upload) Read(p []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over.Load() {
		return 0, errDetached
	}
	n, err := u.from.Read(p)
	if err != nil && err != io.EOF {
		u.broken.Store(true)
	}
	return n, err
}

// stop refuses further reads, without waiting for one that is under way.
func (u *upload) stop() { u.over.Store(true) }

// wait returns when no read is under way. After stop none begins.
func (u *upload) wait() {
	u.mu.Lock()
	defer u.mu.Unlock()
}
