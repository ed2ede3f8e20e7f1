package naive

import (
	"net/http"

	"chargeonce/idem"
	"chargeonce/web/shop"
)

// sendKey lays a client beneath the shop's that sends another key than the
// journal's: what [Mistake.Key] makes of it.
func sendKey(key func(key, trace string) string) func(next http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return &keySender{key, next} }
}

type keySender struct {
	key  func(key, trace string) string
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (s *keySender) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context()) // the caller's request is not ours to change
	if key := r.Header.Get(idem.HeaderKey); key != "" {
		r.Header.Set(idem.HeaderKey, s.key(key, r.Header.Get(shop.HeaderTrace)))
	}
	return s.next.RoundTrip(r)
}
