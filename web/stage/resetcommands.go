package stage

import (
	"errors"
	"net/http"
)

// resets are the commands that give free play fresh books, and take that back.
func (s *Stage) resets(mux *http.ServeMux) {
	mux.HandleFunc("POST /stage/reset", s.postReset)
	mux.HandleFunc("POST /stage/undo", s.postUndo)
	mux.HandleFunc("POST /reset", s.postResetForm)
	mux.HandleFunc("POST /undo", s.postUndoForm)
}

func (s *Stage) postReset(w http.ResponseWriter, r *http.Request) {
	if !command(w, r, &struct{}{}) {
		return
	}
	left, err := s.reset(r.Context())
	if err != nil {
		s.refuseDown(w, err)
		return
	}
	answer(w, http.StatusOK, map[string]int64{"undo_ms": left.Milliseconds()})
}

func (s *Stage) postUndo(w http.ResponseWriter, r *http.Request) {
	if !command(w, r, &struct{}{}) {
		return
	}
	switch err := s.undoReset(r.Context()); {
	case errors.Is(err, errNothingToUndo):
		refuse(w, http.StatusConflict, "nothing_to_undo", nothingToUndo, "")
	case err != nil:
		s.refuseDown(w, err)
	default:
		answer(w, http.StatusOK, struct{}{})
	}
}

const nothingToUndo = "There is no reset to take back: none was made, or its ten seconds are over."

// postResetForm is the reset without JavaScript.
func (s *Stage) postResetForm(w http.ResponseWriter, r *http.Request) {
	if _, err := s.reset(r.Context()); err != nil {
		s.fail(w, err)
		return
	}
	http.Redirect(w, r, s.backTo(r), http.StatusSeeOther)
}

// postUndoForm takes it back without JavaScript.
func (s *Stage) postUndoForm(w http.ResponseWriter, r *http.Request) {
	switch err := s.undoReset(r.Context()); {
	case errors.Is(err, errNothingToUndo):
		s.failPage(w, r, http.StatusConflict, "There is nothing to undo", nothingToUndo)
	case err != nil:
		s.fail(w, err)
	default:
		http.Redirect(w, r, s.backTo(r), http.StatusSeeOther)
	}
}
