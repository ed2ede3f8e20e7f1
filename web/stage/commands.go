package stage

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"chargeonce/web/control"
	"chargeonce/web/network"
)

// commands are the control calls, used by the pages' buttons and by scripts.
func (s *Stage) commands(mux *http.ServeMux) {
	mux.HandleFunc("GET /stage/state", s.getState)
	mux.HandleFunc("GET /stage/books", s.getBooks)
	mux.HandleFunc("GET /stage/captures", s.getCaptures)
	mux.HandleFunc("POST /stage/faults", s.postFault)
	mux.HandleFunc("DELETE /stage/faults", s.deleteFaults)
	mux.HandleFunc("DELETE /stage/faults/{id}", s.deleteFault)
	mux.HandleFunc("POST /stage/gates", s.postGate)
	mux.HandleFunc("DELETE /stage/gates", s.deleteGates)
	mux.HandleFunc("POST /stage/holds/{hold}", s.postHold)
	mux.HandleFunc("POST /stage/kill", s.postKill)
	mux.HandleFunc("POST /stage/mistake", s.postMistake)
	mux.Handle("GET /stage/live", s.hub)
}

func (s *Stage) getState(w http.ResponseWriter, _ *http.Request) {
	state, _ := s.log.snapshot()
	live := s.live()
	live.Seq, live.Counters, live.Retries = state.Seq, state.Counters, state.Retries
	answer(w, http.StatusOK, live)
}

// live is what the state says beyond the run log.
func (s *Stage) live() control.State {
	state := control.State{
		Children: make(map[control.Side]control.Child),
		Faults:   []control.Fault{}, Gates: []control.Gate{}, Holds: []control.Hold{},
	}
	for _, system := range s.manual.systems() {
		state.Children[system.options.Side] = system.child.status()
		state.Faults = append(state.Faults, system.faults()...)
		armed, held := system.gates.state()
		state.Gates, state.Holds = append(state.Gates, armed...), append(state.Holds, held...)
	}
	state.Mistake = s.manual.mistake().ID
	return state
}

func (s *Stage) getBooks(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("run") != "" {
		s.getRunBooks(w, r)
		return
	}
	books := control.Books{Sides: make(map[control.Side]control.SideBooks)}
	for _, system := range s.manual.systems() {
		side, err := system.sideBooks(r.Context())
		if err != nil {
			s.fail(w, err)
			return
		}
		books.Sides[system.options.Side] = side
	}
	answer(w, http.StatusOK, books)
}

func (s *Stage) getCaptures(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("run") != "" { // never free play's in their place
		refuse(w, http.StatusNotFound, "resource_missing", "A run's card provider ends with it; its figures are in the run's books.", "run")
		return
	}
	system, ok := s.sideOf(w, r.URL.Query().Get("side"))
	if !ok {
		return
	}
	captures, err := system.captures(r.URL.Query().Get("owner"))
	if err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"data": captures})
}

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
		disarmed := 0
		for _, boundary := range boundaries {
			disarmed += system.boundary(boundary).DisarmAll()
		}
		if disarmed > 0 {
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

// changed tells the panels that something was armed or disarmed.
func (s *Stage) changed(on *system, text string) {
	on.emit(control.Event{Lane: control.LaneNetwork, Kind: control.KindFault, Text: text})
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

// captures is the card provider's own book.
func (s *system) captures(owner string) ([]control.Capture, error) {
	book, err := s.book.Book(owner)
	if err != nil {
		return nil, err
	}
	captures := make([]control.Capture, 0, len(book))
	for _, op := range book {
		captures = append(captures, control.Capture{
			Key: op.Key, Reference: op.Reference, Amount: op.Amount,
			Currency: op.Currency, Status: op.Status, Seen: op.Seen,
		})
	}
	return captures, nil
}

// parseAmount reads an amount in minor units from a form.
func parseAmount(text string) (int64, bool) {
	amount, err := strconv.ParseInt(text, 10, 64)
	return amount, err == nil
}
