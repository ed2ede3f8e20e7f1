// Package control is the language in which a payments API process and the
// stage talk: the event schema of the live panel, the figures of the books,
// and the JSON lines of the control channel (see channel.go). It holds types
// and a codec, no behaviour, and imports nothing of ours.
package control

// Side names one of the two systems that the stage shows.
type Side string

// The two sides. Every event, child and fault belongs to one of them.
const (
	Safe  Side = "safe"
	Naive Side = "naive"
)

// Lane is the row of the panel on which an event is drawn.
type Lane string

// The lanes, from the customer's seat to the right-most box.
const (
	LaneCustomer Lane = "customer"
	LaneShop     Lane = "shop"
	LaneNetwork  Lane = "network"
	LaneAPI      Lane = "api"
	LaneProvider Lane = "provider"
	LaneReceipts Lane = "receipts"
)

// Kind says what sort of thing an event reports.
type Kind string

// The kinds of event. `request` and `response` travel on a wire; `decision`,
// `commit` and `provider` happen inside the API or the card provider; `wait`
// is the client's backoff; `fault` is what the network did to somebody, or that
// it was told to; `gate` is a request that is held, or its fate; `process` is a
// life sign of an API process; `webhook` is a delivery to the shop; `breaker`
// and `clock` are changes of the circuit breaker and of the retention clock;
// `note` is narration.
const (
	KindRequest  Kind = "request"
	KindDecision Kind = "decision"
	KindProvider Kind = "provider"
	KindCommit   Kind = "commit"
	KindResponse Kind = "response"
	KindWait     Kind = "wait"
	KindFault    Kind = "fault"
	KindGate     Kind = "gate"
	KindProcess  Kind = "process"
	KindWebhook  Kind = "webhook"
	KindBreaker  Kind = "breaker"
	KindClock    Kind = "clock"
	KindNote     Kind = "note"
)

// Outcome is what the panel gives a shape, a word and a colour.
type Outcome string

// The outcomes. A conflict and a busy answer are both 409 on the wire, so
// they differ here. Captured is not an outcome of a request but the mark of
// money taken at the card provider; Killed and Ready belong to processes, Ready
// to the first start as well. Unknown is an outcome of which there is no definite
// answer: never a failure. Refunded is money that goes back: wanted back by a
// customer, booked by our ledger, or given back by the card provider.
const (
	Started       Outcome = "started"
	Resumed       Outcome = "resumed"
	Replay        Outcome = "replay"
	Conflict      Outcome = "conflict"
	Busy          Outcome = "busy"
	Attempt       Outcome = "attempt"
	Silence       Outcome = "silence"
	Unknown       Outcome = "unknown"
	Declined      Outcome = "declined"
	ResultExpired Outcome = "result_expired"
	Fenced        Outcome = "fenced"
	BreakerOpen   Outcome = "breaker_open"
	Killed        Outcome = "killed"
	Ready         Outcome = "ready"
	Captured      Outcome = "captured"
	Reset         Outcome = "reset"
	Lost          Outcome = "lost"
	Held          Outcome = "held"
	Receipt       Outcome = "receipt"
	Refunded      Outcome = "refunded"
)

// Event is one thing that happened, as the live panel, the log, the narration
// and the export show it. Text is written once, in Go, and carries no secret
// and no card number.
type Event struct {
	Seq  uint64 `json:"seq"`           // set by the stage: gapless; from 1 in a run, in free play from a place of its life's own
	Run  string `json:"run,omitempty"` // empty: free play (the manual rig)
	Side Side   `json:"side"`
	Lane Lane   `json:"lane"`
	Kind Kind   `json:"kind"`

	Outcome Outcome `json:"outcome,omitempty"`
	Owner   string  `json:"owner,omitempty"`
	Key     string  `json:"key,omitempty"`     // the idempotency key on this arrow
	Attempt int     `json:"attempt,omitempty"` // attempt n …
	Of      int     `json:"of,omitempty"`      // … of m; 0: not known
	Gate    string  `json:"gate,omitempty"`

	Status   int    `json:"status,omitempty"` // HTTP status, 0 where there is none
	Amount   int64  `json:"amount,omitempty"` // minor units of Currency
	Currency string `json:"currency,omitempty"`
	AtMS     int64  `json:"at_ms"` // milliseconds since the Unix epoch; in a lesson run, since its start
	Text     string `json:"text"`

	// What the drawing needs to join marks.
	Scene       string `json:"scene,omitempty"`        // one story drawn together: an order, or an external client's key; set by the stage
	Trace       string `json:"trace,omitempty"`        // one request on the wire: same on every lane it crosses
	ProviderKey string `json:"provider_key,omitempty"` // the key that the card provider was given
	Charge      string `json:"charge,omitempty"`       // id of the charge
	Ms          int64  `json:"ms,omitempty"`           // length: a wait, a timeout, a provider call
	LeaseMS     int64  `json:"lease_ms,omitempty"`     // lease left at AtMS, in milliseconds
	Fence       uint64 `json:"fence,omitempty"`        // fence of the claim
	How         string `json:"how,omitempty"`          // of a fault: silent, reset, raw
	Reason      string `json:"reason,omitempty"`       // why a decision or a retry was taken
}
