package control

// State is the answer of GET /stage/state, and the head of a snapshot.
type State struct {
	Seq      uint64                   `json:"seq"`      // of the last event
	Children map[Side]Child           `json:"children"` // one payments API process a side
	Faults   []Fault                  `json:"faults"`   // armed, oldest first
	Gates    []Gate                   `json:"gates"`
	Holds    []Hold                   `json:"holds"`
	ClockMS  int64                    `json:"clock_ms"` // offset of the retention clock
	Counters map[Side]map[Outcome]int `json:"counters"` // events seen, by outcome
	Retries  map[Side]int             `json:"retries"`  // attempts whose number is above 1
	Mistake  string                   `json:"mistake"`  // of the naive side
	UndoMS   int64                    `json:"undo_ms"`  // how long the last reset can still be undone; 0: there is none
}

// Child is a payments API process under the stage's care.
type Child struct {
	State    string `json:"state"` // starting, ready, down
	PID      int    `json:"pid,omitempty"`
	URL      string `json:"url,omitempty"`
	Restarts int    `json:"restarts"`
}

// Fault is an armed network fault, as POST /stage/faults takes it.
type Fault struct {
	ID         string `json:"id,omitempty"`
	Boundary   string `json:"boundary"` // api, provider, webhook
	Side       Side   `json:"side"`
	Owner      string `json:"owner,omitempty"` // absent: any
	Key        string `json:"key,omitempty"`   // absent: any
	Kind       string `json:"kind"`            // lose-request, lose-response, delay, duplicate, truncate, status
	How        string `json:"how,omitempty"`   // silent (default), reset, raw
	Attempts   int    `json:"attempts"`        // how many requests it still takes
	MS         int64  `json:"ms,omitempty"`
	Status     int    `json:"status,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"` // seconds
}

// Gate is an armed gate: the next Count requests stop there.
type Gate struct {
	ID     string `json:"id,omitempty"`
	Side   Side   `json:"side"`
	Gate   string `json:"gate"`
	Owner  string `json:"owner,omitempty"`
	Count  int    `json:"count"`
	Freeze bool   `json:"freeze,omitempty"`
}

// Hold is a request that stands at a gate and waits for its fate.
type Hold struct {
	Hold  string `json:"hold"`
	Side  Side   `json:"side"`
	Gate  string `json:"gate"`
	Owner string `json:"owner"`
	Key   string `json:"key"`
	Trace string `json:"trace,omitempty"` // of the request that stands there
}

// Snapshot is the websocket's frame for a client whose place in the run log
// the ring has left behind. Every other frame is one Event.
type Snapshot struct {
	Type   string  `json:"type"` // snapshot
	State  State   `json:"state"`
	Events []Event `json:"events"` // the most recent ones, oldest first
}
