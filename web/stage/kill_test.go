package stage

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/web/control"
)

// A process that never comes back must not hold whoever asked for its end, by
// form or by script.
func TestAKillIsAnsweredEvenIfNoProcessComesBack(t *testing.T) {
	for name, ask := range map[string]func(s *Stage, w http.ResponseWriter){
		"form": func(s *Stage, w http.ResponseWriter) {
			r := httptest.NewRequest(http.MethodPost, "/kill", strings.NewReader(url.Values{"side": {"safe"}}.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			s.postKillForm(w, r)
		},
		"command": func(s *Stage, w http.ResponseWriter) {
			s.postKill(w, httptest.NewRequest(http.MethodPost, "/stage/kill", strings.NewReader(`{"side":"safe"}`)))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			side := func(name control.Side) *system {
				gone := &child{state: down, changed: make(chan struct{}), done: make(chan struct{})}
				return &system{options: systemOptions{Side: name}, child: gone}
			}
			s := &Stage{options: Options{Log: io.Discard}, manual: &rig{naive: side(control.Naive), safe: side(control.Safe)}}
			began, w := time.Now(), httptest.NewRecorder()
			ask(s, w)
			if took := time.Since(began); took != killWithin || w.Code != http.StatusInternalServerError {
				t.Errorf("%s: status %d after %v, want 500 after %v", name, w.Code, took, killWithin)
			}
		})
	}
}
