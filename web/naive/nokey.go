package naive

import (
	"net/http"

	"chargeonce/idem"
)

// noKey sends attempt after attempt without saying that they are one purchase.
//
// Wrong: the shop's retry loop repeats a POST that carries no idempotency key,
// and the API, which would ignore one, takes each request for a purchase of
// its own. An attempt whose answer was lost has charged the card all the same,
// and so does the next one.
//
// The public kind: a payment is sent again after a timeout or a failed write,
// by a retry that nobody thought of as a second purchase (odoo/odoo, pull
// request 150102: one payment here, three at the card processor).
//
// Right: chargeRequest of web/shop puts the key that the journal fixed before
// the first attempt on every attempt; keyOf of web/api refuses a charge
// without one; idem.Begin finds the earlier attempt by it.
func noKey() Mistake {
	return Mistake{
		ID: "no-key", Label: "no key", Keyless: true,
		Gates: plainGates, Gate: announce(plainPoints),
		Wire: dropKey, Handler: ignoreKey, Trace: tellKeyless,
	}
}

// dropKey is the shop's half: its requests leave without their key.
func dropKey(next http.RoundTripper) http.RoundTripper { return &keyDropper{next} }

type keyDropper struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (d *keyDropper) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context()) // the caller's request is not ours to change
	r.Header.Del(idem.HeaderKey)
	return d.next.RoundTrip(r)
}

// ignoreKey is the API's half: whatever key comes, or none, the right API
// beneath sees one that nobody will ever send again, and the client sees none.
func ignoreKey(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			r = r.Clone(r.Context())
			r.Header.Set(idem.HeaderKey, madeUp("none"))
		}
		next.ServeHTTP(&keylessAnswer{w}, r)
	})
}

// keylessAnswer takes what tells of keys out of an answer.
type keylessAnswer struct{ http.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (a *keylessAnswer) WriteHeader(status int) {
	for _, name := range []string{idem.HeaderKey, idem.HeaderReplayed, idem.HeaderOriginal, idem.HeaderExpires} {
		a.Header().Del(name)
	}
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap leaves flushing and deadlines to the writer beneath
// ([http.ResponseController]). The API calls WriteHeader before either.
func (a *keylessAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
