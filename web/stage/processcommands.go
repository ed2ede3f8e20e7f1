package stage

import (
	"context"
	"errors"
	"net/http"
	"time"

	"chargeonce/web/control"
)

// killWithin bounds a kill and the restart after it.
const killWithin = 30 * time.Second

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
	if err := s.choose(r.Context(), mistake); err != nil {
		s.refuseDown(w, err)
		return
	}
	answer(w, http.StatusOK, map[string]string{"id": mistake.ID, "label": mistake.Label})
}

// choose restarts the naive side of free play with a mistake, and tells so.
func (s *Stage) choose(ctx context.Context, mistake Mistake) error {
	// The old process ends either way, so the new one must come up even if
	// whoever asked for it has left.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), openWithin)
	defer cancel()
	if err := s.manual.makeMistake(ctx, mistake); err != nil {
		return err
	}
	s.changed(s.manual.system(control.Naive), "The naive side's mistake is now: "+mistake.Label+".")
	return nil
}

// postClock moves the retention clock of both sides of free play on.
func (s *Stage) postClock(w http.ResponseWriter, r *http.Request) {
	var wish struct {
		Advance string `json:"advance"`
	}
	if !command(w, r, &wish) {
		return
	}
	by, err := time.ParseDuration(wish.Advance)
	if err != nil {
		refuse(w, http.StatusBadRequest, "parameter_invalid", `advance must be a duration such as "25h" or "90m"`, "advance")
		return
	}
	// A client that leaves must not leave one side behind the other.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), openWithin)
	defer cancel()
	now, err := s.manual.advance(ctx, by)
	switch {
	case errors.Is(err, errBadClock):
		refuse(w, http.StatusBadRequest, "parameter_invalid", err.Error(), "advance")
	case err != nil:
		s.refuseDown(w, err)
	default:
		answer(w, http.StatusOK, map[string]int64{"clock_ms": now.Milliseconds()})
	}
}

// postKill is a real kill -9. It answers when the next process is ready, so that
// whoever scripts a demonstration need not ask for it.
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
	if err := system.kill(r.Context()); err != nil {
		s.refuseDown(w, err)
		return
	}
	answer(w, http.StatusOK, system.child.status())
}

// kill strikes the side's API process and waits for the next one, but not for
// ever: neither a script nor a form would say that it hangs.
func (s *system) kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, killWithin)
	defer cancel()
	return s.child.kill(ctx)
}
