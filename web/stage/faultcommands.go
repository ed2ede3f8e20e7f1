package stage

import (
	"cmp"
	"math"
	"net/http"
	"strings"
	"time"

	"chargeonce/web/control"
	"chargeonce/web/network"
)

// postFault arms a network fault. It names the fault as DELETE takes it.
func (s *Stage) postFault(w http.ResponseWriter, r *http.Request) {
	var fault control.Fault
	if !command(w, r, &fault) {
		return
	}
	system, ok := s.sideOf(w, string(fault.Side))
	if !ok {
		return
	}
	wire := system.boundary(fault.Boundary)
	if wire == nil {
		refuse(w, http.StatusBadRequest, "parameter_invalid", "boundary must be api, provider or webhook", "boundary")
		return
	}
	id, err := wire.Arm(toNetwork(fault))
	if err != nil {
		refuse(w, http.StatusBadRequest, "parameter_invalid", err.Error(), "")
		return
	}
	s.changed(system, "A network fault is armed: "+fault.Kind+".")
	answer(w, http.StatusCreated, map[string]string{"id": system.faultID(fault.Boundary, id)})
}

func (s *Stage) deleteFaults(w http.ResponseWriter, _ *http.Request) {
	for _, system := range s.manual.systems() {
		if system.disarm() > 0 {
			s.changed(system, "All network faults are disarmed.")
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Stage) deleteFault(w http.ResponseWriter, r *http.Request) {
	for _, system := range s.manual.systems() {
		for _, boundary := range boundaries {
			id, ours := strings.CutPrefix(r.PathValue("id"), system.faultID(boundary, ""))
			if ours && system.boundary(boundary).Disarm(id) {
				s.changed(system, "A network fault is disarmed.")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
	}
	refuse(w, http.StatusNotFound, "resource_missing", "No such fault is armed; perhaps it has taken its last request.", "id")
}

// boundaries are the wires on which a fault can be armed.
var boundaries = []string{"api", "provider", "webhook"}

func (s *system) boundary(boundary string) *network.Network {
	switch boundary {
	case "api", "":
		return s.api
	case "provider":
		return s.provider
	case "webhook":
		return s.webhook
	}
	return nil
}

// disarm takes back every fault on every wire and says how many they were.
func (s *system) disarm() (disarmed int) {
	for _, boundary := range boundaries {
		disarmed += s.boundary(boundary).DisarmAll()
	}
	return disarmed
}

// faultID makes the names that each wire gives unique on the stage.
func (s *system) faultID(boundary, id string) string {
	if boundary == "" {
		boundary = "api"
	}
	return string(s.options.Side) + "-" + boundary + "-" + id
}

// faults lists what is armed on this side.
func (s *system) faults() []control.Fault {
	var all []control.Fault
	for _, boundary := range boundaries {
		for _, f := range s.boundary(boundary).Armed() {
			all = append(all, control.Fault{
				ID: s.faultID(boundary, f.ID), Boundary: boundary, Side: s.options.Side,
				Owner: f.Owner, Key: f.Key, Kind: string(f.Kind), How: string(f.How),
				Attempts: f.Attempts, MS: f.Delay.Milliseconds(), Status: f.Status, RetryAfter: f.RetryAfter,
			})
		}
	}
	return all
}

// toNetwork is a fault as the network takes it; where no number of requests is
// given it is one.
func toNetwork(f control.Fault) network.Fault {
	return network.Fault{
		Owner: f.Owner, Key: f.Key, Kind: network.Kind(f.Kind), How: network.How(f.How),
		Attempts: cmp.Or(f.Attempts, 1), Delay: milliseconds(f.MS),
		Status: f.Status, RetryAfter: f.RetryAfter,
	}
}

// milliseconds never wraps: what is out of range stays out of range.
func milliseconds(ms int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(max(-most, min(ms, most))) * time.Millisecond
}
