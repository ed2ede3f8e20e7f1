package stage

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"chargeonce/components"
	"chargeonce/web/control"
	"chargeonce/web/network"
)

// maxCallers bounds the owners that /connect lists: a row of the room, not a
// register.
const maxCallers = 12

// tryKey is the form of the keys that /connect mints. Nothing else may stand
// there: the lines around it are made to be pasted into a shell.
var tryKey = regexp.MustCompile(`^try-[A-Z2-7]{8}$`)

// getConnectPage mints a key for the lines to copy. It stands in the page's own
// address, so that a reload shows the same lines.
func (s *Stage) getConnectPage(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	if !tryKey.MatchString(key) {
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, "/connect?"+url.Values{"key": {"try-" + rand.Text()[:8]}}.Encode(), http.StatusSeeOther)
		return
	}
	// The guard has let this host through, so it is one under which we are
	// known: the one by which this very browser has found us.
	view := connectView("http://"+r.Host, key, s.token != "")
	view.Page = page("Point your own client here")
	if err := s.callers(&view); err != nil {
		s.fail(w, err)
		return
	}
	s.show(w, r, http.StatusOK, components.ConnectPage(view))
}

// connectView fills in what does not change: the addresses and the programs.
func connectView(base, key string, byToken bool) components.Connect {
	const secret = "sk_test_you"
	naive := base + naivePrefix
	return components.Connect{
		Base: base, Naive: naive, Secret: secret, ByToken: byToken,
		Lose: shellCharge(base, secret, key, true), Repeat: shellCharge(base, secret, key, false),
		Twice: shellCharge(naive, secret, key, true) + "\n" + shellCharge(naive, secret, key, false),
		Arm:   shellArm(base, byToken), SDKs: sdkSnippets(base, secret),
	}
}

// callers are the owners from outside whose requests have crossed a wire since
// the stage started. It asks no other process, so it may be asked every second.
func (s *Stage) callers(view *components.Connect) error {
	found := make(map[string]*components.Caller)
	for _, system := range s.manual.systems() {
		captured, _, err := system.book.Totals()
		if err != nil {
			return fmt.Errorf("read the provider's book: %w", err)
		}
		for owner, requests := range system.api.Wire() {
			switch owner {
			case system.shop().Owner():
				continue
			case "", network.Others:
				view.Nameless += requests
				continue
			}
			if found[owner] == nil {
				found[owner] = &components.Caller{Owner: owner, KeysHref: "/keys?" + url.Values{"owner": {owner}}.Encode()}
			}
			called := components.Called{Requests: requests, Captured: sums(captured[owner])}
			if system.options.Side == control.Naive {
				found[owner].Naive = called
			} else {
				found[owner].Safe = called
			}
		}
	}
	names := slices.Sorted(maps.Keys(found))
	for _, name := range names[:min(len(names), maxCallers)] {
		view.Callers = append(view.Callers, *found[name])
	}
	view.More = max(0, len(names)-maxCallers)
	return nil
}

// sums prints amounts in several currencies; "" for none.
func sums(amounts control.Sums) string {
	var parts []string
	for _, currency := range slices.Sorted(maps.Keys(amounts)) {
		parts = append(parts, components.Money(amounts[currency], currency))
	}
	return strings.Join(parts, ", ")
}
