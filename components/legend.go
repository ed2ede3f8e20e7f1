package components

// sheets are the style sheets of every page, in the order in which they may
// overrule each other.
var sheets = []string{
	"css/tokens.css", "css/base.css", "css/screens.css", "css/panel.css", "css/lanes.css", "css/paper.css", "css/lesson.css",
}

// entry is one counter: an outcome as events spell it, its word, whether it is
// shown before it has happened, and whether it stays where room is short.
type entry struct {
	outcome string
	word    string
	always  bool
	keep    bool
}

// legend orders the counters. A conflict and a busy answer are both 409 on
// the wire, so their words differ.
var legend = []entry{
	{"attempt", "ATTEMPT", true, true},
	{"silence", "SILENCE ?", true, false},
	{"started", "STARTED", true, false},
	{"resumed", "RESUMED", false, false},
	{"replay", "REPLAY", true, true},
	{"conflict", "409 CONFLICT", true, true},
	{"busy", "BUSY", true, true},
	{"killed", "PROCESS KILLED", false, false},
	{"declined", "402 DECLINED", false, false},
	{"refunded", "REFUNDED", false, false},
	{"unknown", "OUTCOME UNKNOWN", false, false},
	{"result_expired", "EXPIRED", false, false},
	{"fenced", "FENCED OFF", false, false},
	{"breaker_open", "BREAKER OPEN", false, false},
}

// column is the head of a table's column; figures are set to the right.
type column struct {
	name string
	sum  bool
}

// again says that the page should look again by itself: the outcome is
// unknown and somebody waits for it.
func (s Screen) again() bool {
	return s.Checkout != nil && s.Checkout.Checking
}

// back is where a person goes on from an error.
func (p Problem) back() Link {
	if p.Back.Href == "" {
		return Link{Label: "To the first screen", Href: "/"}
	}
	return p.Back
}

// gate is a point at which a request can be held.
type gate struct {
	name, means string
	only        string // the one mistake that passes it; "": all
	first       bool   // chosen when the page is loaded
}

// gates lists each side's gates in the order in which a request passes them.
// Just before the answer is sent lies what the demo is about.
var gates = map[string][]gate{
	"safe": {
		{name: "received", means: "before any work"},
		{name: "begin", means: "before commit 1"},
		{name: "claimed", means: "after commit 1: the key is claimed"},
		{name: "provider-called", means: "the provider has answered, before commit 2"},
		{name: "committed", means: "after commit 2: the answer is not sent", first: true},
		{name: "answered", means: "the answer has left"},
	},
	"naive": {
		{name: "received", means: "before any work"},
		{name: "looked", means: "the key was looked for, nothing is written", only: "look-then-insert"},
		{name: "provider-called", means: "the provider has answered"},
		{name: "inserted", means: "the charge is stored: the answer is not sent", first: true},
		{name: "answered", means: "the answer has left"},
	},
}
