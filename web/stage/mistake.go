package stage

import (
	"net/http"
	"strings"

	"chargeonce/web/shop"
)

// Mistake is what the naive side of a rig does wrong. The stage knows no
// mistake of its own: they are handed in, and take effect in the naive
// payments API process (by its --mistake flag) and under the naive shop's
// retry client.
type Mistake struct {
	ID    string // "no-key"
	Label string // "no key"
	// Wire is laid under the naive shop's retry client; nil: nothing is wrong
	// there.
	Wire func(http.RoundTripper) http.RoundTripper
	// Key is the key that an attempt of the naive shop carries, by the
	// journal's and the attempt's trace; nil: the journal's.
	Key func(key, trace string) string
	// Shop changes how the naive shop is built; nil: nothing is wrong there.
	Shop func(shop.Options) shop.Options
	// Keyless: the naive shop's requests carry no idempotency key, whatever
	// its journal says.
	Keyless bool
	// Gates are where a request can be held while the naive side makes this
	// mistake; nil: at every gate of that side.
	Gates []string
}

// sent is the key that an attempt really carries: "" for none.
func (m Mistake) sent(key, trace string) string {
	switch {
	case m.Keyless:
		return ""
	case m.Key != nil && trace != "":
		return m.Key(key, trace)
	}
	return key
}

// mistakeByID finds one of those that were handed in.
func mistakeByID(all []Mistake, id string) (Mistake, bool) {
	for _, m := range all {
		if m.ID == id {
			return m, true
		}
	}
	return Mistake{}, false
}

func mistakeIDs(all []Mistake) string {
	var ids []string
	for _, m := range all {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, ", ")
}

// firstMistake is the naive side's, until another is chosen.
func (o Options) firstMistake() Mistake {
	if len(o.Mistakes) == 0 {
		return Mistake{}
	}
	return o.Mistakes[0]
}
