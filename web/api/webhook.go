package api

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"chargeonce/ledger"
)

const (
	// outboxTick is how often the outbox is looked at without a reason. Commits
	// tell by themselves; this only mends a look that failed.
	outboxTick = 30 * time.Second
	// pendingPage is how many rows of the queue are read at a time.
	pendingPage = 256
	// lastAttempts is what attempts under way get to come to an end at a
	// shutdown. What is cut off is delivered again.
	lastAttempts = time.Second
)

// The points of a delivery at which a process can be told to die.
const (
	atDelivering   = "delivering"   // before an attempt
	atAcknowledged = "acknowledged" // the consumer has it; nothing is written yet
	atDelivered    = "delivered"    // that is durable
)

// webhookOptions say what a deliverer works with. All but the last three are
// needed.
type webhookOptions struct {
	Store   ledger.Store
	URL     string
	Sign    signer
	Timeout time.Duration // of one attempt

	Pass      func(point string) // where the process can be told to die
	Log       *slog.Logger
	Trace     Tracer            // nil: nobody looks
	Transport http.RoundTripper // nil: a connection pool of its own
	Random    func() float64    // in [0,1), for the jitter; nil: math/rand/v2
}

// deliverer brings the events of the outbox to one consumer, each until it is
// acknowledged with a 2xx, whatever number of attempts and processes that
// takes. Delivery is at least once: who receives an event may receive it
// again.
type deliverer struct {
	webhookOptions
	client *http.Client

	news    chan struct{} // there may be more in the outbox
	results chan result   // of attempts
	stop    context.CancelFunc
	cutOff  context.CancelFunc // ends the attempts under way
	ended   chan struct{}      // closed when nothing is under way any more
}

// startDeliverer begins with what an earlier process left undelivered.
func startDeliverer(o webhookOptions) *deliverer {
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Transport == nil {
		o.Transport = &http.Transport{MaxIdleConnsPerHost: maxOfEndpoint, IdleConnTimeout: time.Minute}
	}
	d := &deliverer{
		webhookOptions: o,
		client: &http.Client{
			Transport: o.Transport,
			// A consumer that has moved has not taken anything in.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		news: make(chan struct{}, 1), results: make(chan result, maxDeliveries), ended: make(chan struct{}),
	}
	running, stop := context.WithCancel(context.Background())
	attempts, cutOff := context.WithCancel(context.Background())
	d.stop, d.cutOff = stop, cutOff
	go d.run(running, attempts)
	return d
}

// wake says that something was committed. It never blocks; a nil deliverer
// delivers nothing.
func (d *deliverer) wake() {
	if d == nil {
		return
	}
	select {
	case d.news <- struct{}{}:
	default: // it has been told and has not looked yet
	}
}

// close starts no further attempt and gives those under way a moment.
func (d *deliverer) close() {
	d.stop()
	timer := time.AfterFunc(lastAttempts, d.cutOff)
	<-d.ended
	timer.Stop()
	d.cutOff()
	d.client.CloseIdleConnections()
}
