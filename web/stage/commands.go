package stage

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"chargeonce/web/control"
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
	mux.HandleFunc("POST /stage/clock", s.postClock)
	mux.HandleFunc("GET /stage/exchange", s.getExchange)
	mux.Handle("GET /stage/live", s.hub)
}

func (s *Stage) getState(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, s.hub.snapshot(s.log).State)
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
	state.ClockMS = s.manual.system(control.Safe).clock.now().Milliseconds()
	state.UndoMS = s.undo.left().Milliseconds()
	return state
}

func (s *Stage) getBooks(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("run") != "" {
		s.getRunBooks(w, r)
		return
	}
	books, err := s.books(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusOK, books)
}

// books reads the figures of free play. A reader whose side is closed on the
// way, by a reset or another mistake, looks at the one that took its place.
func (s *Stage) books(ctx context.Context) (books control.Books, err error) {
	for range maxLooks {
		systems := s.manual.systems()
		books.Sides = make(map[control.Side]control.SideBooks)
		for _, system := range systems {
			if books.Sides[system.options.Side], err = system.sideBooks(ctx); err != nil {
				break
			}
		}
		if slices.Equal(systems, s.manual.systems()) {
			return books, err
		}
	}
	return books, err
}

// maxLooks bounds how often a reader of the books looks again: nobody presses
// keys faster than that.
const maxLooks = 4

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

// changed tells the panels that something was armed or disarmed.
func (s *Stage) changed(on *system, text string) {
	on.emit(control.Event{Lane: control.LaneNetwork, Kind: control.KindFault, Text: text})
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
