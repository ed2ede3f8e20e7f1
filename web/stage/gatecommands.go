package stage

import (
	"errors"
	"net/http"

	"chargeonce/web/control"
)

// postGate arms a gate, and answers once the API process has it.
func (s *Stage) postGate(w http.ResponseWriter, r *http.Request) {
	var gate control.Gate
	if !command(w, r, &gate) {
		return
	}
	system, ok := s.sideOf(w, string(gate.Side))
	if !ok {
		return
	}
	gate.Side = system.options.Side
	id, err := system.gates.arm(r.Context(), gate)
	switch {
	case errors.Is(err, errBadGate):
		refuse(w, http.StatusBadRequest, "parameter_invalid", err.Error(), "")
	case err != nil:
		s.refuseDown(w, err)
	default:
		answer(w, http.StatusCreated, map[string]string{"id": id})
	}
}

func (s *Stage) deleteGates(w http.ResponseWriter, _ *http.Request) {
	for _, system := range s.manual.systems() {
		system.gates.clear()
	}
	w.WriteHeader(http.StatusNoContent)
}

// postHold decides the fate of a held request.
func (s *Stage) postHold(w http.ResponseWriter, r *http.Request) {
	var fate struct {
		Action string `json:"action"`
		MS     int64  `json:"ms"`
	}
	if !command(w, r, &fate) {
		return
	}
	for _, system := range s.manual.systems() {
		err := system.gates.decide(r.PathValue("hold"), fate.Action, fate.MS)
		switch {
		case errors.Is(err, errNoHold):
			continue
		case errors.Is(err, errBadFate):
			refuse(w, http.StatusBadRequest, "parameter_invalid", err.Error(), "action")
		case err != nil:
			s.refuseDown(w, err)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
		return
	}
	refuse(w, http.StatusNotFound, "resource_missing", "No request is held under that name; it may have gone on, or its process may have died.", "hold")
}
