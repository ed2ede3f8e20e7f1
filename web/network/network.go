package network

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxSilent bounds the connections that are kept open in silence, each a file
// and a goroutine. One more is reset instead.
const maxSilent = 1024

// Options configure a Network. The zero value is a wire with nobody on its far
// side: every request is reset.
type Options struct {
	// Boundary is this wire's name in events ("api", "provider", "webhook").
	Boundary string

	// Target gives the far side's base URL ("http://127.0.0.1:4711"); empty
	// while nobody listens there. It is asked for each delivery, so a restarted
	// process is found at its new address. Called concurrently.
	Target func() string

	// Identify says whose request this is and which idempotency key it bears,
	// from its headers and the first MaxBuffered bytes of its body; it must not
	// read the body itself. The bytes are missing where the sender still waits
	// for permission to send them (Expect: 100-continue). Called concurrently,
	// once a request. Nil: no owner, and the key as its header gives it.
	Identify func(r *http.Request, body []byte) (owner, key string)

	// HeaderFaults lets a request script its own fault by Chargeonce-Fault.
	// Where it is false the header is removed and has no effect.
	HeaderFaults bool

	// StripPrefix is cut from the front of each path ("/naive"), and put back
	// before a path in an answer's Location. Paths inside an answer's body, such
	// as a list's url, stay the target's own. A path without it is not found.
	StripPrefix string

	// Trace is told of each Event, from the request's own goroutine and with no
	// lock held. The request waits for it. Nil: nobody listens.
	Trace func(Event)

	// Record is given the whole exchange before each Event about it, under the
	// same conditions as Trace. Nil: bodies are not kept.
	Record func(Exchange)

	// MaxSilence is how long a silent connection stays open for a sender
	// without a timeout of its own; 0: 120 s. When it ends, the connection is
	// reset rather than closed, so that no library sends the request again.
	MaxSilence time.Duration
}

// Network is one wire. It is an http.Handler that forwards to Options.Target.
// All methods may be called concurrently.
type Network struct {
	options   Options
	transport http.RoundTripper

	life   context.Context // ends with Close; what was delivered outlives its sender but not this
	end    context.CancelFunc
	silent chan struct{} // one token for each connection in silence

	armed armory
	seen  memory
	wire  tally

	mu     sync.Mutex
	closed bool
	active sync.WaitGroup // requests on the wire; grows only while closed is false
}

// New returns a working wire. Close it when done.
func New(options Options) *Network {
	if options.MaxSilence == 0 {
		options.MaxSilence = MaxDelay
	}
	n := &Network{
		options:   options,
		transport: honestTransport(),
		silent:    make(chan struct{}, maxSilent),
	}
	n.life, n.end = context.WithCancel(context.Background())
	return n
}

// honestTransport sends what it is given exactly once. net/http sends a keyed
// request again by itself when a reused connection dies before the answer's
// first byte (Request.isReplayable and persistConn.shouldRetryRequest in its
// source); a fresh connection for each request takes that away. It adds no
// headers of its own and honours no proxy settings of the environment.
//
// DisableKeepAlives would do the same with `Connection: close`, but a Go server
// that is told to close does not wait for a body that it refused to read: its
// reset overtakes its answer.
func honestTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &http.Transport{
		DialContext:           dialer.DialContext,
		MaxIdleConnsPerHost:   -1, // no connection is kept, so none is used twice
		DisableCompression:    true,
		ExpectContinueTimeout: time.Second, // then the body goes unasked, as RFC 9110 section 10.1.1 allows
	}
}

// Arm makes f take the next f.Attempts requests that match its owner and key.
// Of several that match, the oldest takes the request. The error is a
// *FaultError, ErrFaultExists, ErrTooManyFaults or ErrClosed.
func (n *Network) Arm(f Fault) (id string, err error) {
	if err := f.Validate(); err != nil {
		return "", err
	}
	if n.life.Err() != nil {
		return "", ErrClosed
	}
	return n.armed.add(f)
}

// Disarm takes back one fault; false if it is not armed (any more). Requests
// that it took already keep their fate.
func (n *Network) Disarm(id string) bool { return n.armed.drop(id) }

// DisarmAll takes back all armed faults and returns how many there were.
func (n *Network) DisarmAll() int { return n.armed.clear() }

// Armed lists the armed faults, oldest first, Attempts being what is left.
func (n *Network) Armed() []Fault { return n.armed.list() }

// Wire counts the requests that senders put on this wire, by owner, lost ones
// included. The network's own second copy of a duplicated request is not one;
// a second request that an HTTP library sent behind its caller's back is.
func (n *Network) Wire() map[string]int { return n.wire.read() }

// Forget sets the counts of Wire to zero and forgets which header faults were
// used up, as befits fresh books. Armed faults stay.
func (n *Network) Forget() {
	n.wire.forget()
	n.seen.forget()
}

// Close resets what is silent, held back or not yet answered, and waits until
// no request is left. Requests that come later are reset. It may be called
// more than once.
func (n *Network) Close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.end()
	n.active.Wait()
}

// enter registers a request with Close; false if the wire is closed.
func (n *Network) enter() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.active.Add(1)
	}
	return !n.closed
}
