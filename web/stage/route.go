package stage

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"chargeonce/web/control"
)

// route lays the pages, the control calls and both sides' wires to one server.
func (s *Stage) route() {
	if s.options.Host != "" {
		s.token = rand.Text()
	}
	guard := newGuard(s.listener.Addr(), s.options.Host, s.token)
	s.hub = newHub(s.logOf, s.live, guard.sameOrigin)
	mux := http.NewServeMux()
	s.commands(mux)
	s.runCommands(mux)
	s.exports(mux)
	s.resets(mux)
	s.pages(mux)
	s.lessonPages(mux)
	guarded := guard.wrap(mux)
	wires := guard.admit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		side := control.Safe
		if below(r.URL.Path, naivePrefix) {
			side = control.Naive
		}
		s.manual.system(side).api.ServeHTTP(w, r)
	}))
	s.server = &http.Server{
		// The wires come before every mux: they forward paths as they were
		// sent, which a mux would clean and redirect: /naive/../v1 to the other
		// side.
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if below(r.URL.Path, "/v1") || below(r.URL.Path, naivePrefix) {
				wires.ServeHTTP(w, r)
				return
			}
			guarded.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          quiet,
	}
}

// below tells the payments API's paths from the stage's own.
func below(path, prefix string) bool {
	rest, found := strings.CutPrefix(path, prefix)
	return found && (rest == "" || rest[0] == '/')
}

// logOf is the log of a run, or of free play; nil if there is no such run.
func (s *Stage) logOf(run string) *runLog {
	if run == "" {
		return s.log
	}
	return s.runs.logOf(run)
}
