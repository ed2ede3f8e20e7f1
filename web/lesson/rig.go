package lesson

import (
	"context"
	"net/http"
	"time"

	"chargeonce/web/control"
)

// What became of a click, as its [Ticket] tells.
const (
	Paid        = "paid"
	Declined    = "declined"
	Refused     = "refused"
	Unconfirmed = "unconfirmed" // the policy is exhausted and the outcome still unknown
)

// What may be done with a request that is held at a gate.
const (
	Deliver = "deliver"
	Drop    = "drop"
	Delay   = "delay"
	Kill    = "kill" // SIGKILL to the API process, while the request stands there
)

// Rig is what a script may do to one side of a run's rig. It is declared here
// and implemented by the stage. Every method may be called from several
// goroutines; every one ends when its context does. Owners are short names as
// in [Purchase].
type Rig interface {
	Clients
	Faults
	Recording
}

// Clients are who talks to the API.
type Clients interface {
	// Buy is one click: it places the order if it is new, starts a payment
	// loop of the shop and returns at once.
	Buy(ctx context.Context, purchase Purchase) (Ticket, error)
	// Send sends one request to the API, once: what a client without a retry
	// policy does. An answer of any status is no error.
	Send(ctx context.Context, request Request) (Answer, error)
	// Reboot takes the shop's memory away in the middle of whatever it does
	// and starts it again on its journal. It returns when the shop has begun
	// to ask about its open orders; tickets of before are [Unconfirmed].
	Reboot(ctx context.Context) error
}

// Faults are what goes wrong, each at a place and a count that the script
// names. There is no kill apart from a gate: where a process dies must be no
// accident.
type Faults interface {
	// Arm arms a network fault. Its side is filled in.
	Arm(ctx context.Context, fault control.Fault) error
	// Disarm takes back every network fault of the side.
	Disarm(ctx context.Context) error
	// Gate arms a gate for the next Count requests of an owner. Its side is
	// filled in. Gates of one owner count apart from those of others. It
	// returns when the gate is armed for certain: a request that is sent now
	// stops there.
	Gate(ctx context.Context, gate control.Gate) error
	// Held waits for the next request of an owner that stands at a gate, in
	// the order of arrival. Each hold is given out once; a call whose context
	// ends takes none.
	Held(ctx context.Context, owner string) (control.Hold, error)
	// Release decides the fate of a held request: [Deliver], [Drop], [Delay]
	// (with milliseconds) or [Kill]. It does not wait for what comes of it.
	Release(ctx context.Context, hold control.Hold, action string, ms int64) error
	// Clock moves the side's retention clock on; leases and timeouts do not
	// feel it. It returns when the API goes by the new time.
	Clock(ctx context.Context, advance time.Duration) error
}

// Recording is what can be seen of a run while it is made.
type Recording interface {
	// Await waits until the cue's event has happened in this run and returns
	// it; one that has happened before counts.
	Await(ctx context.Context, cue Cue) (control.Event, error)
	// Figures reads the stored books of this run's owners on this side.
	Figures(ctx context.Context) (Figures, error)
}

// Purchase is one click on "Pay".
type Purchase struct {
	// Order names the purchase: the same name (of the same owner) is the same
	// order, so the same key.
	Order string
	// Owner is a short name: "" is the run's own owner, "b" or "o07" another
	// of the same run. See [OwnerName].
	Owner    string
	Key      string // the order's idempotency key; "": one that the shop mints
	Number   string // the order's number, as its shop counts them, which the request names; "": one of a kind
	Amount   int64  // minor units
	Currency string // "eur"
	Card     string // a test card's token
}

// Request is one request that is sent without a policy.
type Request struct {
	Owner  string // as in [Purchase]
	Method string // "POST"
	Path   string // "/v1/refunds"
	// Form are the parameters of a body, by name; nil: there is no body.
	Form map[string]string
	// Key goes out as the idempotency key. KeyOf names an order of the same
	// owner instead, whose key it shall be; both "": there is none.
	Key, KeyOf string
	// Returns names an order of the same owner that its customer has brought
	// back: the shop journals that before the request is sent.
	Returns string
	Prefer  string // header of that name: "wait=2"; "": none
}

// Answer is what came back.
type Answer struct {
	Status int    // 0: nothing came back before the shop's timeout
	Dead   bool   // nothing came back, since the connection died
	Body   []byte // whole
	Header http.Header
}

// Ticket is what a click is waited for with.
type Ticket struct {
	// Wait returns when this click's payment loop has a definite answer or
	// gives up: [Paid], [Declined], [Refused] or [Unconfirmed], and all that
	// the shop tells of it is recorded. It may be called more than once.
	Wait func(ctx context.Context) (state string, err error)
}

// Figures are the stored books of one side's owners in one run.
type Figures struct {
	Owners   map[string]control.OwnerBooks // by short name
	Captures []control.Capture             // the card provider's own book
	Charges  []control.Charge              // the ledger
	Orders   []control.Order               // the shop's journal
	Records  []control.KeyRecord           // of the orders' keys, where the API has one
	Arrivals []int                         // of the lesson's storm, see [Run.Arrivals]
	Cart     map[string]int64              // of the run's own owner, quantities by SKU; nil: the script has sent nothing about it
}

// OwnerName is the name under which a run's owner stands in the books:
// "run_" and the run's id, and for others than its own "_" and the short name.
func OwnerName(run, short string) string {
	if short == "" {
		return "run_" + run
	}
	return "run_" + run + "_" + short
}

// Rigs is the rig of one run: two sides and their common recording.
type Rigs struct {
	ID          string // of the run
	Seed        uint64 // of all jitter
	Naive, Safe Rig
	Record      Record
	Arrivals    Arrivals // nil: no lesson with a storm can be run
}

// Arrivals computes how a storm meets the API if all its clients make the
// mistake of a side: requests in each 20 ms from the end of the outage on. The
// same run always gives the same figures.
type Arrivals func(side control.Side, storm Storm) ([]int, error)

// Record waits until what was recorded so far, events of both sides in order
// of their numbers, satisfies a condition, and returns it. When the context
// ends first it returns what there is, and the context's error. The condition
// is called under no lock and keeps nothing.
type Record func(ctx context.Context, until func([]control.Event) bool) ([]control.Event, error)
