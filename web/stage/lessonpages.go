package stage

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"chargeonce/components"
	"chargeonce/web/control"
	"chargeonce/web/lesson"
)

// lessonPages are what a presenter clicks through. They only read: a run is
// asked for by the page's script.
func (s *Stage) lessonPages(mux *http.ServeMux) {
	mux.HandleFunc("GET /lessons", s.getLessons)
	mux.HandleFunc("GET /lessons/{id}", s.getLesson)
	mux.HandleFunc("GET /runs/{id}", s.getRunPage)
}

// ways lead from the first screen to the tours, the catalogue, and out.
func ways() []components.Link {
	var links []components.Link
	for _, tour := range lesson.Tours() {
		links = append(links, components.Link{Label: strconv.Itoa(tour.Minutes) + "-minute tour", Href: tourHref(tour, 0)})
	}
	return append(
		links,
		components.Link{Label: "All lessons", Href: "/lessons"},
		components.Link{Label: "Point your own client here", Href: "/connect"},
	)
}

func (s *Stage) getLessons(w http.ResponseWriter, r *http.Request) {
	view := components.Lessons{Page: page("Lessons")}
	for _, tour := range lesson.Tours() {
		card := components.TourCard{Minutes: tour.Minutes, Start: tourHref(tour, 0)}
		for _, id := range tour.Lessons {
			if l, err := lesson.ByID(id); err == nil {
				card.Titles = append(card.Titles, l.Title)
			}
		}
		view.Tours = append(view.Tours, card)
	}
	for _, l := range lesson.All() {
		view.Lessons = append(view.Lessons, components.LessonCard{
			ID: l.ID, Title: l.Title, Question: l.Question, Href: lessonHref(l.ID), Sides: lessonSides(l),
		})
	}
	s.show(w, r, http.StatusOK, components.LessonsPage(view))
}

// getLesson shows a lesson: `?run=` a recorded run of it, `?tour=` its place
// in that tour. What the stage no longer has is asked for anew by the script.
func (s *Stage) getLesson(w http.ResponseWriter, r *http.Request) {
	l, err := lesson.ByID(r.PathValue("id"))
	if err != nil {
		s.failPage(w, r, http.StatusNotFound, "There is no such lesson", "The catalogue has links to those that exist.")
		return
	}
	view := s.lessonView(l)
	if tour := r.URL.Query().Get("tour"); tour != "" {
		if view.Tour = tourStop(tour, l.ID); view.Tour != nil {
			view.Fresh += "?tour=" + url.QueryEscape(tour)
		}
	}
	run, err, found := s.runs.get(r.URL.Query().Get("run"))
	if !found || run.Lesson == l.ID { // a run of another lesson is none of this one
		view.Run = r.URL.Query().Get("run")
	}
	if found && err == nil && run.Lesson == l.ID && run.State != lesson.Running {
		view.Recording = recordingView(l, run)
	}
	s.show(w, r, http.StatusOK, components.LessonPage(view))
}

// getRunPage is the permanent address of a run, as long as the stage lives.
func (s *Stage) getRunPage(w http.ResponseWriter, r *http.Request) {
	run, err, found := s.runs.get(r.PathValue("id"))
	if !found {
		s.failPage(w, r, http.StatusNotFound, "There is no such run", "The stage keeps the latest runs while it lives; every lesson can make a new one.")
		return
	}
	l, unknown := lesson.ByID(run.Lesson)
	if err != nil || unknown != nil {
		s.failPage(w, r, http.StatusInternalServerError, "That run could not be made", "The stage's log says why; the lesson can make a new one.")
		return
	}
	if run.State == lesson.Running {
		http.Redirect(w, r, lessonHref(l.ID)+"?run="+run.ID, http.StatusSeeOther)
		return
	}
	view := s.lessonView(l)
	view.Run, view.Page.Title = run.ID, l.Title+", run "+run.ID
	view.Recording = recordingView(l, run)
	s.show(w, r, http.StatusOK, components.LessonPage(view))
}

func (s *Stage) lessonView(l lesson.Lesson) components.Lesson {
	code, err := codeOf(s.options.Source, l.Code)
	if err != nil {
		s.logf("stage: lesson %s: %v", l.ID, err) // the lesson is worth showing without it
	}
	view := components.Lesson{
		Page: page(l.Title), ID: l.ID, Title: l.Title, Setup: l.Setup,
		Question: l.Question, Answers: l.Answers, Right: l.Right,
		Sides: lessonSides(l), Code: code, Fresh: lessonHref(l.ID),
	}
	for _, lane := range l.Lanes {
		view.Lanes = append(view.Lanes, string(lane))
	}
	for _, outcome := range l.Counters {
		view.Counters = append(view.Counters, string(outcome))
	}
	return view
}

// lessonSides splits "NAIVE: no key" into name and meaning.
func lessonSides(l lesson.Lesson) []components.Side {
	side := func(id control.Side, label string) components.Side {
		name, means, _ := strings.Cut(label, ": ")
		return components.Side{ID: string(id), Name: name, Means: means}
	}
	return []components.Side{side(control.Naive, l.NaiveLabel), side(control.Safe, l.SafeLabel)}
}

func recordingView(l lesson.Lesson, run lesson.Run) *components.Recording {
	sides := lessonSides(l)
	again := url.Values{"seed": {strconv.FormatUint(run.Seed, 10)}}
	view := &components.Recording{Seed: run.Seed, Held: run.State == lesson.Held, Permalink: "/runs/" + run.ID, Again: lessonHref(l.ID) + "?" + again.Encode()}
	for _, c := range run.Checks {
		view.Checks = append(view.Checks, components.Check{
			Side: strings.ToUpper(string(c.Side)), Name: c.Name, Want: c.Want, Got: c.Got, Held: c.Held,
		})
	}
	for i, step := range run.Steps {
		before := lesson.Step{}
		if i > 0 {
			before = run.Steps[i-1]
		}
		view.Steps = append(view.Steps, stepView(step, before))
		view.Steps[i].Whole = whole(run.Steps, step)
	}
	for side, counts := range run.Arrivals {
		if view.Arrivals == nil {
			view.Arrivals = make(map[string][]int, len(run.Arrivals))
		}
		view.Arrivals[string(side)] = counts
	}
	if len(run.Board) > 0 {
		view.Boards = []components.Board{
			boardView(run, sides[0], func(c lesson.Cell) lesson.CellSide { return c.Naive }),
			boardView(run, sides[1], func(c lesson.Cell) lesson.CellSide { return c.Safe }),
		}
	}
	return view
}

// whole are the sides of which nothing is left to tell after a step.
func whole(all []lesson.Step, now lesson.Step) []string {
	var sides []string
	for _, side := range []control.Side{control.Naive, control.Safe} {
		last := uint64(0)
		for _, step := range all {
			last = max(last, step.Upto[side])
		}
		if last > 0 && now.Upto[side] == last {
			sides = append(sides, string(side))
		}
	}
	return sides
}

func stepView(step, before lesson.Step) components.LessonStep {
	view := components.LessonStep{Say: step.Say, Spoken: spoken(step, before), Curtain: step.Curtain, Ask: asking(step, before)}
	for _, side := range step.Board {
		view.Boards = append(view.Boards, string(side))
	}
	return view
}

// asking is what the question does at a step: it is put once, then it waits
// for the answer while the recording shows it, then it is told.
func asking(step, before lesson.Step) string {
	switch {
	case !step.Question:
		return ""
	case step.Answered:
		return "told"
	case before.Question:
		return "asked"
	default:
		return "open"
	}
}

// spoken is a step's sentence for the ears. Where one side alone has moved on
// and the sentence does not say which, the side comes first.
func spoken(step, before lesson.Step) string {
	text := strings.ReplaceAll(step.Say, "*", "")
	naive := step.Upto[control.Naive] != before.Upto[control.Naive]
	safe := step.Upto[control.Safe] != before.Upto[control.Safe]
	if naive == safe {
		return text
	}
	name := map[bool]string{true: "Naive", false: "Safe"}[naive]
	if strings.Contains(strings.ToLower(text), strings.ToLower(name)) {
		return text
	}
	return name + ": " + text
}

// boardView is one side's board. What it is over is summed from the cells that
// it shows, so that the total cannot say anything else.
func boardView(run lesson.Run, side components.Side, of func(lesson.Cell) lesson.CellSide) components.Board {
	view := components.Board{Side: side}
	over := control.Sums{}
	told := toldOwner(run)
	for _, c := range run.Board {
		one := of(c)
		cell := components.Cell{
			Name: c.Name, Owner: lesson.OwnerName(run.ID, c.Owner), Letters: c.Letters(),
			Captures: one.Books.Captures, Say: one.Say, Told: lesson.OwnerName(run.ID, c.Owner) == told,
		}
		for _, m := range one.Marks {
			cell.Marks = append(cell.Marks, components.Mark{Click: m.Click, What: m.What, At: m.At})
		}
		view.Cells = append(view.Cells, cell)
		for currency, amount := range one.Books.Overcharged {
			over[currency] += amount
		}
	}
	var parts []string
	for _, currency := range slices.Sorted(maps.Keys(over)) {
		if over[currency] > 0 {
			parts = append(parts, components.Money(over[currency], currency))
		}
	}
	view.Overcharged = strings.Join(parts, ", ")
	return view
}

// toldOwner is whose events were told step by step before the board.
func toldOwner(run lesson.Run) string {
	for _, step := range run.Steps {
		if owner := step.Owner[control.Naive]; owner != "" {
			return owner
		}
	}
	return ""
}

func lessonHref(id string) string { return "/lessons/" + url.PathEscape(id) }

// tourHref is a tour's nth lesson, from 0; "" beyond its ends.
func tourHref(tour lesson.Tour, n int) string {
	if n < 0 || n >= len(tour.Lessons) {
		return ""
	}
	return lessonHref(tour.Lessons[n]) + "?tour=" + strconv.Itoa(tour.Minutes)
}

// tourStop is a lesson's place in the tour of that many minutes; nil where
// there is no such tour or the lesson is not in it.
func tourStop(minutes, id string) *components.TourStop {
	for _, tour := range lesson.Tours() {
		n := slices.Index(tour.Lessons, id)
		if strconv.Itoa(tour.Minutes) == minutes && n >= 0 {
			return &components.TourStop{
				Minutes: tour.Minutes, Stop: n + 1, Of: len(tour.Lessons),
				Previous: tourHref(tour, n-1), Next: tourHref(tour, n+1), Ways: onward(tour),
			}
		}
	}
	return nil
}

// onward is where a tour's end leads: to the longer tours, the catalogue, and
// one's own hands.
func onward(done lesson.Tour) []components.Link {
	var links []components.Link
	for _, tour := range lesson.Tours() {
		if tour.Minutes > done.Minutes {
			links = append(links, components.Link{Label: strconv.Itoa(tour.Minutes) + "-minute tour", Href: tourHref(tour, 0)})
		}
	}
	return append(links,
		components.Link{Label: "All lessons", Href: "/lessons"},
		components.Link{Label: "Try it with your own hands", Href: "/stage"},
	)
}
