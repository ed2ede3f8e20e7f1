package lesson

import "chargeonce/web/control"

// State of a run.
type State string

// A run is running until its books are read; then its promise held or broke.
const (
	Running State = "running"
	Held    State = "held"
	Broken  State = "broken"
)

// Run is what is left of an experiment: enough to judge it and to tell it
// again, without the rig.
type Run struct {
	ID     string          `json:"id"`
	Lesson string          `json:"lesson"`
	Seed   uint64          `json:"seed"`
	State  State           `json:"state"`
	Checks []Check         `json:"checks"`
	Books  control.Books   `json:"books"`
	Events []control.Event `json:"events"`
	Steps  []Step          `json:"steps"`
	Board  []Cell          `json:"board,omitempty"`
	// Arrivals are requests at the API in each 20 ms from its recovery on,
	// where the lesson is about load: see [Storm].
	Arrivals map[control.Side][]int `json:"arrivals,omitempty"`
}

// Check is one figure that was promised.
type Check struct {
	Name string       `json:"name"`
	Side control.Side `json:"side"`
	Want string       `json:"want"`
	Got  string       `json:"got"`
	Held bool         `json:"held"`
}

// Step is what the page shows after one press of the key: everything is as of
// this step, so that nothing gives the ending away.
type Step struct {
	Say      string                                   `json:"say"`
	Upto     map[control.Side]uint64                  `json:"upto"`               // events with a number up to this are revealed
	Question bool                                     `json:"question"`           // the question is on the screen
	Answered bool                                     `json:"answered"`           // its answer too
	Curtain  bool                                     `json:"curtain"`            // closed, unless the presenter lifts it
	Closing  bool                                     `json:"closing"`            // the sentence that the lesson leaves, or what it does not fix
	Board    []control.Side                           `json:"board,omitempty"`    // sides whose board of all orders is shown
	Arrivals []control.Side                           `json:"arrivals,omitempty"` // sides of which [Run.Arrivals] are shown
	Owner    map[control.Side]string                  `json:"owner,omitempty"`    // whose events alone are shown, as events name him; absent: everybody's
	Money    map[control.Side]Money                   `json:"money"`
	Counters map[control.Side]map[control.Outcome]int `json:"counters"`
	Retries  map[control.Side]int                     `json:"retries"` // attempts whose number is above 1
	AtMS     int64                                    `json:"at_ms"`   // of the latest event revealed, since the run's start
}

// Money is the rows of one side, in minor units, each summed over owners
// without netting: one customer's overcharge never pays another's debt. In a
// step every row names every currency of the run.
type Money struct {
	Wanted      control.Sums `json:"wanted"`
	Ledger      control.Sums `json:"ledger"`
	Captured    control.Sums `json:"captured"`
	Overcharged control.Sums `json:"overcharged"`
	Unpaid      control.Sums `json:"unpaid"`
}

// Cell is one order of the board with what came of it on both sides. A click
// on it replays the events of its owner.
type Cell struct {
	Order
	Scene string   `json:"scene"` // of its events
	Naive CellSide `json:"naive"`
	Safe  CellSide `json:"safe"`
}

// CellSide is one order on one side.
type CellSide struct {
	Books control.OwnerBooks `json:"books"` // they alone colour the cell
	Marks []Mark             `json:"marks"`
	Say   string             `json:"say"` // "A looks, B looks, A charges, …: 2 charges."
}

// Mark is something that one of the two clicks did, for the drawing of a cell.
type Mark struct {
	Click string `json:"click"` // A or B, by order of arrival
	What  string `json:"what"`  // look, claim, charge, insert, commit, busy, replay
	At    int    `json:"at"`    // step of the order, from 1; one more than the last: after all of them
	Seq   uint64 `json:"seq"`   // of its event
}
