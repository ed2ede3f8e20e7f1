package stage

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// policy is the Content-Security-Policy of every page: nothing from elsewhere,
// nothing inline, no frame around it, no form that posts to elsewhere.
const policy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// guard protects a server that listens on a laptop from other people's pages:
// a Host that is not ours is refused (DNS rebinding), and so is a command that
// a page of another origin sends. Programs without an Origin may pass.
type guard struct {
	hosts map[string]bool // accepted Host headers, in lower case
	token string          // what a control call must show; "": nothing, on loopback
}

// tokenCookie keeps the token in the instructor's browser.
const tokenCookie = "chargeonce_token"

// newGuard accepts the names under which a listener on addr is reached. A name
// given by --host is accepted with and without the port.
func newGuard(addr net.Addr, host, token string) guard {
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		port = ""
	}
	hosts := make(map[string]bool)
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		hosts[net.JoinHostPort(name, port)] = true
	}
	if host != "" {
		host = strings.ToLower(host)
		hosts[host], hosts[net.JoinHostPort(host, port)] = true, true
	}
	return guard{hosts: hosts, token: token}
}

// admit lets nobody through to a handler who does not name one of our hosts,
// and no command of another origin's page.
func (g guard) admit(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "origin_forbidden", "This command came from a page of another origin.", "")
	}))
	commands := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.hosts[strings.ToLower(r.Host)] {
			refuse(w, http.StatusMisdirectedRequest, "host_unknown",
				"This server does not answer to that host name; start it with --host to change that.", "")
			return
		}
		commands.ServeHTTP(w, r)
	})
}

// wrap guards the stage's own pages and commands.
func (g guard) wrap(next http.Handler) http.Handler {
	return g.admit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		g.keepToken(w, r)
		if isCommand(r) && !g.shows(r) {
			refuse(w, http.StatusUnauthorized, "token_missing",
				"Control calls need the token that the stage printed when it started.", "")
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// formCommands are the commands of buttons without JavaScript.
var formCommands = map[string]bool{"/kill": true, "/mistake": true, "/reset": true, "/undo": true}

// isCommand tells the calls that change the stage from those that anybody in
// the room may make: look, pay, follow.
func isCommand(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead &&
		(strings.HasPrefix(r.URL.Path, "/stage/") || formCommands[r.URL.Path])
}

// shows reports whether a request carries the token, where one is needed.
func (g guard) shows(r *http.Request) bool {
	if g.token == "" {
		return true
	}
	shown := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if cookie, err := r.Cookie(tokenCookie); err == nil && shown == "" {
		shown = cookie.Value
	}
	return subtle.ConstantTimeCompare([]byte(shown), []byte(g.token)) == 1
}

// keepToken lets the instructor open the page once with ?token=.
func (g guard) keepToken(w http.ResponseWriter, r *http.Request) {
	if token := r.URL.Query().Get("token"); token != "" && r.Method == http.MethodGet {
		http.SetCookie(w, &http.Cookie{
			Name: tokenCookie, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
	}
}

// sameOrigin is the check of every websocket upgrade, which no other rule
// covers: a browser must come from a page of ours.
func (g guard) sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true // not a browser
	}
	from, err := url.Parse(origin)
	return err == nil && from.Host != "" && strings.EqualFold(from.Host, r.Host) && g.hosts[strings.ToLower(r.Host)]
}
