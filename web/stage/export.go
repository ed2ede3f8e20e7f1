package stage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"chargeonce/components"
	"chargeonce/web/control"
	"chargeonce/web/lesson"
)

// exports are what can be taken home: a page that plays by itself, the events
// as JSON lines, and the requests as a shell script. Of free play it is what is
// kept of it by now.
func (s *Stage) exports(mux *http.ServeMux) {
	mux.HandleFunc("GET /runs/{id}/export.html", s.ofRun(s.exportRun))
	mux.HandleFunc("GET /runs/{id}/events.jsonl", s.ofRun(func(w http.ResponseWriter, _ *http.Request, f finished) {
		exportEvents(w, "chargeonce-"+f.run.ID, f.run.Events)
	}))
	mux.HandleFunc("GET /runs/{id}/requests.sh", s.ofRun(func(w http.ResponseWriter, _ *http.Request, f finished) {
		exportScript(w, script{
			Name: "chargeonce-" + f.run.ID, Base: s.URL(), What: "run " + f.run.ID + " of the lesson " + f.lesson.ID,
			Mistake: f.lesson.Mistake, All: f.log.exchanges.all(),
		})
	}))
	mux.HandleFunc("GET /export/stage.html", s.exportStage)
	mux.HandleFunc("GET /export/events.jsonl", func(w http.ResponseWriter, _ *http.Request) {
		exportEvents(w, "chargeonce-stage", s.log.everything())
	})
	mux.HandleFunc("GET /export/requests.sh", func(w http.ResponseWriter, _ *http.Request) {
		exportScript(w, script{
			Name: "chargeonce-stage", Base: s.URL(), What: "free play",
			Mistake: s.manual.mistake().ID, All: s.log.exchanges.all(),
		})
	})
}

// finished is a run that has ended, with its lesson and its log.
type finished struct {
	run    lesson.Run
	lesson lesson.Lesson
	log    *runLog
}

// ofRun finds the finished run of a path, and answers itself where there is
// none.
func (s *Stage) ofRun(serve func(http.ResponseWriter, *http.Request, finished)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		id := r.PathValue("id")
		run, err, found := s.runs.get(id)
		l, unknown := lesson.ByID(run.Lesson)
		log := s.runs.logOf(id)
		switch {
		case !found || log == nil:
			s.refuseEither(w, r, refusal{http.StatusNotFound, "resource_missing", "There is no such run", noSuchRun, "id"})
		case err != nil || unknown != nil:
			s.logf("stage: run %s: %v", id, errors.Join(err, unknown))
			s.refuseEither(w, r, refusal{http.StatusInternalServerError, "internal_error", "That run could not be made", "The stage's log says why; the lesson can make a new one.", "id"})
		case run.State == lesson.Running:
			w.Header().Set("Retry-After", "1")
			s.refuseEither(w, r, refusal{http.StatusConflict, "run_in_progress", "That run is under way", "The run can be exported when it has ended.", "id"})
		default:
			serve(w, r, finished{run, l, log})
		}
	}
}

// exportRun is the lesson's page with the recording in it.
func (s *Stage) exportRun(w http.ResponseWriter, r *http.Request, f finished) {
	view := s.lessonView(f.lesson)
	view.Run, view.Fresh = f.run.ID, "#"
	view.Page = exportedPage(f.lesson.Title + ", run " + f.run.ID)
	view.Recording = recordingView(f.lesson, f.run)
	recorded := recording{
		Answers:   map[string]any{"/stage/runs/" + f.run.ID: f.run, "/stage/runs/" + f.run.ID + "/moments": f.run.Moments(nil)},
		Exchanges: fragments(r.Context(), f.log, f.run.Events),
	}
	html, err := selfContained(r.Context(), components.LessonPage(view), recorded)
	if err != nil {
		s.fail(w, err)
		return
	}
	download(w, "text/html; charset=utf-8", "chargeonce-"+f.lesson.ID+"-"+f.run.ID+".html", html)
}

// exportStage is the panel with what it shows now.
func (s *Stage) exportStage(w http.ResponseWriter, r *http.Request) {
	books, err := s.books(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	snapshot := s.hub.snapshot(s.log)
	// What was armed or held does not stand in a file for ever.
	snapshot.State.Faults, snapshot.State.Gates, snapshot.State.Holds = []control.Fault{}, []control.Gate{}, []control.Hold{}
	recorded := recording{
		Answers:   map[string]any{"/stage/state": snapshot.State, "/stage/books": books},
		Frames:    []any{snapshot},
		Exchanges: fragments(r.Context(), s.log, snapshot.Events),
	}
	screen := components.Screen{Page: exportedPage("What happened"), Panel: components.Panel{Sides: s.sides()}}
	html, err := selfContained(r.Context(), components.PanelScreen(screen), recorded)
	if err != nil {
		s.fail(w, err)
		return
	}
	download(w, "text/html; charset=utf-8", "chargeonce-stage.html", html)
}

// exportEvents writes one event a line, as the live panel gets them.
func exportEvents(w http.ResponseWriter, name string, events []control.Event) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, e := range events {
		_ = encoder.Encode(e) // our own type: it always encodes
	}
	download(w, "application/jsonl; charset=utf-8", name+".jsonl", lines.Bytes())
}

// download sends a file to be kept. It is not shown in place: a page of ours is
// not allowed the inline scripts of which an exported one consists.
func download(w http.ResponseWriter, kind, name string, body []byte) {
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	header.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // the client may be gone
}
