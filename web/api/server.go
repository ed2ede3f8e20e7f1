package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/control"
)

const (
	pathCharges = "/v1/charges"
	pathRefunds = "/v1/refunds"
	pathIntents = "/v1/payment_intents"
	pathBalance = "/v1/balance"
	// writeTimeout bounds the sending of one answer of a few kilobytes.
	writeTimeout = 10 * time.Second
	// defaultInFlight bounds memory: a request holds at most its body and the
	// tree decoded from it, some 300 kB.
	defaultInFlight = 2048
	// leastRetryAfter is the shortest wait that the header can express.
	leastRetryAfter = time.Second
)

// Charger makes charges; it is *[ledger.Ledger].
type Charger interface {
	Charge(ctx context.Context, request ledger.ChargeRequest) (ledger.Result, error)
}

// Payments makes refunds, makes payment intents and confirms them; it is *[ledger.Ledger] too. It is
// apart from [Charger], so that who wraps charges need not know of these.
type Payments interface {
	Refund(ctx context.Context, request ledger.RefundRequest) (ledger.Result, error)
	Intent(ctx context.Context, request ledger.IntentRequest) (ledger.Result, error)
	Confirm(ctx context.Context, request ledger.ConfirmRequest) (ledger.Result, error)
}

// Tracer is told what happened, after the fact, once for each event. It must
// return at once and may be called from many goroutines.
type Tracer func(control.Event)

// Gate is called with the context of a request at each of its points, and may
// block to hold the request there: "received" before any work, "answered"
// after the answer has left; the ledger announces those between.
type Gate func(ctx context.Context, point string)

// The points that the handler itself announces.
const (
	AtReceived = "received"
	AtAnswered = "answered"
)

// Options say what the handler serves. Charger and Store are needed; all else
// may be zero.
type Options struct {
	Charger   Charger      // makes the charges, over Store
	Payments  Payments     // makes refunds and intents, over Store; nil: none are made
	Carts     Carts        // changes carts, over Store; nil: there are none
	Endpoints Endpoints    // makes webhook endpoints, over Store; nil: there are none
	Store     ledger.Store // read for objects, lists and the books
	Terms     idem.Terms   // as the ledger has them; for Idempotency-Expires

	Offset      func() time.Duration // how far the retention clock is ahead; nil: not at all
	Trace       Tracer               // nil: nobody looks
	Gate        Gate                 // nil: nobody is held
	Log         *slog.Logger         // nil: silent. Never gets a key in clear, a body or a path as sent
	MaxInFlight int                  // requests at one time; 0: 2048
	// ConflictStatus answers a key that belongs to another request; 0: 409. 400
	// is Stripe's own, by which stripe-node picks its error class; 422 is the
	// IETF draft's.
	ConflictStatus int
	Inspect        bool // serves /-/books and /-/keys, without a credential: for the stage alone
}

// server is the handler behind [New].
type server struct {
	Options
	slots   chan struct{}
	replays replayCounter
}

// New serves the payments API.
func New(options Options) http.Handler {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Offset == nil {
		options.Offset = func() time.Duration { return 0 }
	}
	if options.MaxInFlight <= 0 {
		options.MaxInFlight = defaultInFlight
	}
	s := &server{Options: options, slots: make(chan struct{}, options.MaxInFlight)}
	mux := http.NewServeMux()
	for path, methods := range s.routes() {
		mux.Handle(path, s.route(path, methods))
	}
	return asWritten(mux, s.route("/", nil))
}
