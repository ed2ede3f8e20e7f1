package naive

import (
	"crypto/rand"
	"net/http"
	"strings"

	"chargeonce/idem"
	"chargeonce/web/api"
	"chargeonce/web/control"
)

// freshProviderKey guards its own door and forgets the next one.
//
// Wrong: the API honours its clients' keys, and then calls the card provider
// with a key that is made up for each call. The provider honours keys as well,
// but its client, our API, gives it nothing to recognise: a call that is sent
// again after a silence is a new capture. The ledger shows one charge, since it
// books the one answer that arrived, and nothing in it ever looks wrong.
//
// The public kind: an idempotency key from a random generator in the function
// that calls the payment provider (omnuron/omniclaw, issue 72; of the same
// family tempoxyz/pympp, pull request 155).
//
// Right: Charge.ProviderKey of package ledger derives the key from the charge,
// which commit 1 made durable; Capture of web/api sends the same key and bytes
// on every attempt.
func freshProviderKey() Mistake {
	return Mistake{
		ID: "fresh-provider-key", Label: "a fresh key per provider call",
		Gates: plainGates, Gate: announce(plainPoints),
		ProviderWire: freshPerCall, Trace: tellFreshCalls,
	}
}

// freshPerCall lays a client beneath the API's that gives every call which
// moves money a key of its own. Asking by key is left alone: it asks for the
// key that our ledger holds, and finds nothing.
func freshPerCall(next http.RoundTripper) http.RoundTripper { return &freshCaller{next} }

type freshCaller struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (c *freshCaller) RoundTrip(r *http.Request) (*http.Response, error) {
	if key := r.Header.Get(idem.HeaderKey); key != "" {
		kind, _, _ := strings.Cut(key, "_") // "cap" or "ref": the provider's book stays readable
		r = r.Clone(r.Context())            // the caller's request is not ours to change
		r.Header.Set(idem.HeaderKey, kind+"_"+rand.Text())
	}
	return c.next.RoundTrip(r)
}

// tellFreshCalls takes the key out of what the API says of its calls: what it
// derived from the charge is not what crosses the wire. The provider itself
// tells of the keys that it is given.
func tellFreshCalls(next api.Tracer) api.Tracer {
	return retold(next, func(e control.Event) (control.Event, bool) {
		if e.ProviderKey != "" && (e.Kind == control.KindProvider || e.Kind == control.KindWait) {
			e.Text = strings.Replace(e.Text, "under key "+e.ProviderKey, "under a key made up for each call", 1)
			if !strings.Contains(e.Text, e.ProviderKey) { // else it asks by that key
				e.ProviderKey = ""
			}
		}
		return e, true
	})
}
