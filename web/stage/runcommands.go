package stage

import (
	"errors"
	"net/http"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
)

// runCommands are the control calls of the lessons.
func (s *Stage) runCommands(mux *http.ServeMux) {
	mux.HandleFunc("POST /stage/lessons/{id}/runs", s.postRun)
	mux.HandleFunc("GET /stage/runs/{id}", s.getRun)
	mux.HandleFunc("GET /stage/runs/{id}/moments", s.getMoments)
	mux.HandleFunc("GET /stage/runs/{id}/moments/{naive}/{safe}", s.getMoments)
}

// postRun begins a run and does not wait for it: it takes longer than a request
// should, and the page follows it on the websocket.
func (s *Stage) postRun(w http.ResponseWriter, r *http.Request) {
	var wish struct {
		Seed uint64 `json:"seed"`
	}
	if !command(w, r, &wish) {
		return
	}
	l, err := lesson.ByID(r.PathValue("id"))
	if err != nil {
		refuse(w, http.StatusNotFound, "resource_missing", "There is no such lesson.", "id")
		return
	}
	id, err := s.runs.start(l, wish.Seed)
	switch {
	case errors.Is(err, errRunBusy):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusConflict, "run_in_progress", "A lesson is running; one at a time.", "")
	case err != nil:
		s.refuseDown(w, err)
	default:
		w.Header().Set("Location", "/stage/runs/"+id)
		answer(w, http.StatusAccepted, map[string]string{"id": id})
	}
}

// getRunBooks answers with the figures on which a finished run was judged.
func (s *Stage) getRunBooks(w http.ResponseWriter, r *http.Request) {
	run, ok := s.runOf(w, r.URL.Query().Get("run"), "run")
	switch {
	case !ok:
	case run.State == lesson.Running:
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusConflict, "run_in_progress", "The run's books are read when it ends.", "run")
	default:
		answer(w, http.StatusOK, run.Books)
	}
}

const noSuchRun = "There is no such run; the stage keeps the latest ones while it lives."

// getMoments answers with the figures as of each event, for who scrubs; of one
// owner on each side where a step tells of one.
func (s *Stage) getMoments(w http.ResponseWriter, r *http.Request) {
	if run, ok := s.runOf(w, r.PathValue("id"), "id"); ok {
		answer(w, http.StatusOK, run.Moments(map[control.Side]string{
			control.Naive: r.PathValue("naive"), control.Safe: r.PathValue("safe"),
		}))
	}
}

func (s *Stage) getRun(w http.ResponseWriter, r *http.Request) {
	if run, ok := s.runOf(w, r.PathValue("id"), "id"); ok {
		answer(w, http.StatusOK, run)
	}
}

// runOf finds the run that a parameter names, and answers itself where there is
// none, or none that could be made.
func (s *Stage) runOf(w http.ResponseWriter, id, param string) (lesson.Run, bool) {
	run, err, found := s.runs.get(id)
	switch {
	case !found:
		refuse(w, http.StatusNotFound, "resource_missing", noSuchRun, param)
	case err != nil:
		s.fail(w, err)
	}
	return run, found && err == nil
}
