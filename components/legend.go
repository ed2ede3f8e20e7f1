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
