package lesson

import (
	"context"
	"time"

	"chargeonce/web/control"
)

// Lesson is one scripted experiment with everything that is said about it.
// Lessons are read-only data and safe for concurrent use. Text between
// asterisks is bold.
type Lesson struct {
	ID, Title string
	// Mistake is what the naive side does wrong: "no-key", "look-then-insert",
	// "restart-forgets".
	Mistake               string
	NaiveLabel, SafeLabel string // "NAIVE: no key", "SAFE: one key per purchase"

	Lanes    []control.Lane    // that matter here, from the customer's seat rightwards
	Counters []control.Outcome // that matter here
	Setup    string            // what will be done to both sides
	Question string            // asked from the client's seat before the reveal
	Answers  []string          // at most four
	Right    int               // of Answers, from 1
	Sentence string            // the sentence that the lesson leaves
	NotFixed string            // what the rule does not fix
	Code     []CodeRef         // the lines that decide, on either side

	Beats []Beat  // how the recording is told, in order
	Board []Order // of a race: every order of its steps, each really executed; else nil

	// Patient: a request that is held at a gate stops the shop's clock, because
	// the order of steps is the experiment and its speed is not. A busy machine
	// would otherwise send an attempt 2 into it.
	Patient bool

	// Shop is the policy of the shop on both sides.
	Shop ShopPolicy
	// Storm is an outage whose load is computed beside the real run; nil: none.
	Storm *Storm
	// Complete is how long the API leaves unfinished work alone until it
	// completes it by itself; 0: for ever.
	Complete time.Duration

	// Script makes the experiment on one side. It is the same for both and
	// runs on both at once; it waits for conditions, never for time.
	Script func(ctx context.Context, side control.Side, rig Rig) error
	// Promises are what must hold at the end on one side, from its stored
	// books alone.
	Promises func(side control.Side, books Figures) []Check
}

// ShopPolicy is the shop's retry policy in a lesson. A field that is 0 stands
// for the rig's own: 10 attempts of 2 s, base 200 ms, cap 2 s.
type ShopPolicy struct {
	Attempts  int           // of one round
	Timeout   time.Duration // of one attempt
	Base, Cap time.Duration // of the backoff
	Recheck   time.Duration // between two rounds of asking about an unknown outcome
	// BreakAfter failures in a row open the shop's circuit breaker for
	// BreakFor; 0: it has none.
	BreakAfter int
	BreakFor   time.Duration
	// Budget is how many repeats all orders together may make at once; a tenth
	// of it comes back each second. 0: there is no bound.
	Budget int
}

// Storm is an outage that all clients of the API meet at the same moment. Its
// arrivals are computed on virtual time, from the run's seed.
type Storm struct {
	Clients int           // each with one payment to bring home, all begun at 0
	Shop    ShopPolicy    // of each, with the mistake of its side
	Outage  time.Duration // from 0
	Latency time.Duration // from a request's arrival to its answer or refusal
}

// CodeRef points at a function of this repository whose source is shown beside
// the lesson.
type CodeRef struct {
	Side    control.Side `json:"side"`
	Package string       `json:"package"` // its folder: "ledger", "web/naive"
	Func    string       `json:"func"`    // "claim"; of a method "(*Ledger).Charge"
}

// Beat is one press of the presenter's key: one sentence, and how far each
// side is revealed while it is read out. A beat reveals a side up to the
// furthest of its cues, and never hides again what was shown.
type Beat struct {
	Say         string
	Naive, Safe []Cue
	Question    bool // the question is asked here
	Answer      bool // the right answer is shown from here on
	Curtain     bool // what the client cannot see stays hidden, money and record included
	// Owner is whose events alone are shown, as in [Purchase]; "": everybody's.
	Owner string
	// Arrivals are the sides of whose storm the arrivals are shown.
	Arrivals []control.Side
	// Board are the sides whose board of all orders is shown; it takes the
	// place of Owner there.
	Board []control.Side

	closing bool // nothing is open any more: the question leaves the screen
}

// Order is one order of the steps of two racing requests.
type Order struct {
	Name  string   `json:"name"`  // "1" … "20", in lexical order of the clicks
	Owner string   `json:"owner"` // as in [Purchase]: books of its own
	Steps []string `json:"steps"` // "A.look", "B.look", "A.charge", …
}
