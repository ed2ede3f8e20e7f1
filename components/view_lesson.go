package components

import (
	"strconv"
	"strings"
)

// Lessons is the catalogue (`/lessons`): the tours first, then every lesson.
type Lessons struct {
	Page    Page
	Tours   []TourCard // the shortest first
	Lessons []LessonCard
}

// TourCard offers a guided tour.
type TourCard struct {
	Minutes int
	Start   string   // address of its first lesson
	Titles  []string // of its lessons, in order
}

// LessonCard offers one lesson. It asks the question and does not answer it.
type LessonCard struct {
	ID       string
	Title    string
	Question string
	Href     string
	Sides    []Side
}

// Lesson is one lesson (`/lessons/{id}`) or one recorded run of it
// (`/runs/{id}`). The script draws the recording, which it fetches; what
// belongs to the lesson, and what only has to be printed, is here. Text
// between asterisks is bold.
type Lesson struct {
	Page     Page
	ID       string
	Title    string
	Setup    string // what will be done to both sides: the first sentence
	Question string
	Answers  []string // at most four
	Right    int      // of Answers, from 1
	Sides    []Side   // top to bottom: naive above safe
	Lanes    []string // that matter here, as events name them
	Counters []string // outcomes that matter here, as events name them
	Code     []Code   // the lines that decide; empty: not shown

	Fresh     string     // address that makes a new run
	Recording *Recording // nil: not made yet, the script asks for one
	Run       string     // id of the run to show; "": a new one is made
	Tour      *TourStop  // nil: the lesson stands alone
}

// TourStop is a lesson's place in a tour, which is given on a projector.
type TourStop struct {
	Minutes  int
	Stop     int // from 1
	Of       int
	Previous string // address of the lesson before; "": none
	Next     string // of the one behind; "": this is the last
	Ways     []Link // where to go from the tour's end
}

// Code is a function of this repository as its file has it.
type Code struct {
	Side string // "naive" or "safe", whose decision it is
	Name string // "(*Ledger).Charge"
	File string // "ledger/ledger.go"
	Line int    // of its first line, comment included
	Text string // gofmt'd source
}

// Recording is what a finished run leaves to be printed.
type Recording struct {
	Seed   uint64
	Held   bool    // the promise
	Checks []Check // figures from the stored books, as promised and as found
	Steps  []LessonStep
	Boards []Board // of a race: one for each side; empty: none
	// Arrivals are requests at the API per slice of 20 ms after an outage, by
	// side; empty: not what the lesson is about.
	Arrivals map[string][]int

	Permalink string // address of this run
	Again     string // address that makes the same run once more
}

// LessonStep is one press of the presenter's key.
type LessonStep struct {
	Say     string
	Spoken  string   // for the ears: where one side alone moves on it says which
	Ask     string   // the question: "" is not there, "open" is put, "asked" waits for its answer, "told"
	Curtain bool     // what the client cannot see is hidden
	Boards  []string // sides whose board is shown; empty: the lanes are
	Whole   []string // sides of which all has been told
}

// Check is one promised figure.
type Check struct {
	Side string // "NAIVE"
	Name string
	Want string
	Got  string
	Held bool
}

// Board is every order of a race on one side, coloured by the books.
type Board struct {
	Side        Side
	Cells       []Cell
	Overcharged string // of all orders together, formatted; "": none
}

// Cell is one order: what each click did at which of its steps, and how often
// the card was charged.
type Cell struct {
	Name     string // "6"
	Owner    string // whose events replay it, as events name him
	Letters  string // "ABABAB"
	Captures int    // in the card provider's book
	Say      string // "A looks, B looks, …: 2 charges."
	Told     bool   // the order that was told step by step before
	Marks    []Mark
}

// Mark is something that click A (the upper row) or B did.
type Mark struct {
	Click string // "A" or "B"
	What  string // look, claim, charge, insert, commit, busy, replay
	At    int    // step of the order, from 1
}

// twice counts the orders that charged more than once, which is what the board
// is about; it is counted here so that no text can say otherwise.
func (b Board) twice() string {
	n := 0
	for _, cell := range b.Cells {
		if cell.Captures > 1 {
			n++
		}
	}
	return strconv.Itoa(n) + " of " + strconv.Itoa(len(b.Cells))
}

// overcharged says what the orders cost too much, all together.
func (b Board) overcharged() string {
	if b.Overcharged == "" {
		return ""
	}
	return ", " + b.Overcharged + " overcharged"
}

// name is the cell for ears.
func (c Cell) name(side Side) string {
	return side.Name + ", order " + c.Name + ", " + c.Letters + ": " + plural(c.Captures, "charge")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// Lengths of a cell's drawing, in its own units.
const (
	cellStep  = 16.6 // from one step of the order to the next
	cellFirst = 9    // centre of the first
	cellUpper = 18   // row of click A
	cellLower = 50   // row of click B
)

// x is a mark's centre.
func (m Mark) x() float64 { return cellFirst + float64(m.At-1)*cellStep }

// y is the row of a mark's click.
func (m Mark) y() float64 {
	if m.Click == "A" {
		return cellUpper
	}
	return cellLower
}

// until is where a waiting click's dots end: at its next mark.
func (c Cell) until(busy Mark) float64 {
	for _, m := range c.Marks {
		if m.Click == busy.Click && m.At > busy.At {
			return m.x()
		}
	}
	return busy.x()
}

// units prints a length of a drawing.
func units(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

// word is how the legend spells an outcome.
func word(outcome string) string {
	for _, entry := range legend {
		if entry.outcome == outcome {
			return entry.word
		}
	}
	// What only lessons count.
	return map[string]string{"captured": "CAPTURED", "reset": "RESET", "lost": "LOST", "ready": "READY", "receipt": "RECEIPT"}[outcome]
}

// long says that a sentence needs the smaller of the two sizes to stand on one
// line of a projector.
func (s LessonStep) long() bool { return len(s.Say) > 78 }

// mode is what the step shows below its sentence.
func (s LessonStep) mode() string {
	if len(s.Boards) > 0 {
		return "board"
	}
	return "lanes"
}

// noticed says whether a client learns of an outcome by itself.
func noticed(outcome string) bool {
	return outcome == "attempt" || outcome == "silence" || outcome == "reset"
}

// kind is the page's layout: a tour is given on a projector.
func (l Lesson) kind() string {
	if l.Tour != nil {
		return "telling projector"
	}
	return "telling"
}

func join(names []string) string { return strings.Join(names, " ") }

func upper(name string) string { return strings.ToUpper(name) }
