package stage

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"chargeonce/idem"
	"chargeonce/web/api"
	"chargeonce/web/shop"
)

// identifyRequest says whose request crosses the API's wire, as the API itself
// will see it: the owner of the credential and the key of the header. Both are
// empty where the API would refuse them, as it does a card number. Where the
// naive shop sends no key, its order stands in, so that a fault can still be
// aimed at one purchase.
func (s *system) identifyRequest(r *http.Request, body []byte) (owner, key string) {
	owner = api.OwnerName(r.Header)
	if parsed, err := idem.ParseKey(owner, r.Header.Values("Idempotency-Key")); err == nil && !api.IsCardNumber(parsed.Value) {
		return owner, parsed.Value
	}
	if s.options.Mistake.Keyless {
		if form, err := url.ParseQuery(string(body)); err == nil {
			key = form.Get("metadata[order]")
		}
	}
	return owner, key
}

// aim is how a fault names an order's requests on this side's wire.
func (s *system) aim(o shop.Order) string {
	if s.options.Mistake.Keyless {
		return o.ID
	}
	return o.Key
}

// identifyWebhook says whose event is delivered.
func identifyWebhook(_ *http.Request, body []byte) (owner, key string) {
	var event struct {
		ID      string `json:"id"`
		Account string `json:"account"`
	}
	if json.Unmarshal(body, &event) != nil {
		return "", ""
	}
	return event.Account, event.ID
}

// maxRemembered bounds the provider keys whose owner is remembered; the oldest
// is forgotten, and its look-ups then count for nobody.
const maxRemembered = 4096

// ownerMemory knows whose provider key is whose: a capture names its owner in
// the reference, a look-up by key does not. It is safe for concurrent use.
type ownerMemory struct {
	mu     sync.Mutex // guards what follows
	owners map[string]string
	keys   []string // oldest first
}

func newOwnerMemory() *ownerMemory { return &ownerMemory{owners: make(map[string]string)} }

// identifyCapture says whose request crosses the provider's wire.
func (m *ownerMemory) identifyCapture(r *http.Request, body []byte) (owner, key string) {
	key = r.Header.Get("Idempotency-Key")
	if key == "" {
		key = r.URL.Query().Get("key")
	}
	var order struct {
		Reference string `json:"reference"` // OWNER/CHARGE_ID
	}
	if json.Unmarshal(body, &order) == nil {
		owner, _, _ = strings.Cut(order.Reference, "/")
	}
	return m.remember(key, owner), key
}

// remember notes an owner, or recalls it where none is given.
func (m *ownerMemory) remember(key, owner string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if owner == "" || key == "" {
		return m.owners[key]
	}
	if _, known := m.owners[key]; !known {
		if len(m.keys) == maxRemembered {
			delete(m.owners, m.keys[0])
			m.keys = m.keys[1:]
		}
		m.keys = append(m.keys, key)
	}
	m.owners[key] = owner
	return owner
}
