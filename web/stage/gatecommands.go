package stage

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"chargeonce/web/control"
)

// killWithin bounds a kill and the restart after it.
const killWithin = 30 * time.Second

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

// refuseDown answers a command for which a process is missing: one that is down
// at the moment, or the stage's own, which is about to be.
func (s *Stage) refuseDown(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errChildDown):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "unavailable", "The payments API is down; it is being started again.", "")
	case errors.Is(err, errStopping):
		refuse(w, http.StatusServiceUnavailable, "unavailable", "The stage is shutting down.", "")
	default:
		s.fail(w, err)
	}
}

// postMistake chooses what the naive side of free play does wrong.
func (s *Stage) postMistake(w http.ResponseWriter, r *http.Request) {
	var wish struct {
		ID string `json:"id"`
	}
	if !command(w, r, &wish) {
		return
	}
	mistake, ok := mistakeByID(s.options.Mistakes, wish.ID)
	if !ok {
		refuse(w, http.StatusBadRequest, "parameter_invalid", "id must be one of: "+mistakeIDs(s.options.Mistakes), "id")
		return
	}
	// The old process ends either way, so the new one must come up even if
	// whoever asked for it has left.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), openWithin)
	defer cancel()
	if err := s.manual.makeMistake(ctx, mistake); err != nil {
		s.refuseDown(w, err)
		return
	}
	s.changed(s.manual.system(control.Naive), "The naive side's mistake is now: "+mistake.Label+".")
	answer(w, http.StatusOK, map[string]string{"id": mistake.ID, "label": mistake.Label})
}

func (s *Stage) postKill(w http.ResponseWriter, r *http.Request) {
	var target struct {
		Side string `json:"side"`
	}
	if !command(w, r, &target) {
		return
	}
	system, ok := s.sideOf(w, target.Side)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), killWithin)
	defer cancel()
	if err := system.child.kill(ctx); err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusOK, system.child.status())
}

// sideOf finds a side by its name; "" is the safe one.
func (s *Stage) sideOf(w http.ResponseWriter, name string) (*system, bool) {
	if name == "" {
		name = string(control.Safe)
	}
	for _, system := range s.manual.systems() {
		if string(system.options.Side) == name {
			return system, true
		}
	}
	refuse(w, http.StatusBadRequest, "parameter_invalid", "side must be one of: "+s.sideNames(), "side")
	return nil, false
}

func (s *Stage) sideNames() string {
	var names []string
	for _, system := range s.manual.systems() {
		names = append(names, string(system.options.Side))
	}
	return strings.Join(names, ", ")
}
