package naive

import (
	"net/http"

	"chargeonce/ledger"
	"chargeonce/web/api"
	"chargeonce/web/shop"
)

// Mistake is one thing done wrong. Where a decorator is nil, nothing is wrong
// there; the zero Mistake is the right code. Mistakes are read-only and safe
// for concurrent use. Each call of a decorator decorates for one process: it
// is called once, while that process is being built.
//
// The payments API is built with a mistake m like this, where m has the
// decorator:
//
//	store = m.Store(store)
//	trace, gate = m.Trace(trace), m.Gate(gate)      // for ledger and handler alike
//	options := api.Options{Charger: ledger, Store: store, Trace: trace, Gate: gate, …}
//	options.Charger = m.Charger(options)
//	handler := m.Handler(api.New(options))
type Mistake struct {
	ID    string // "no-key": for flags, links and lessons
	Label string // "no key": behind "NAIVE:" in the name of the lane
	// Keyless says that the shop's requests carry no key, whatever its journal
	// holds: what is shown of them must show none.
	Keyless bool
	// Key is the key that an attempt of the shop carries, by the journal's key
	// and the attempt's trace, LOOP.NUMBER; nil: the journal's. It is pure, so
	// that what is shown and what is sent are the same. The first attempt of
	// an order carries the journal's, since faults are aimed by that.
	Key func(key, trace string) string
	// Gates are the points at which a request can be held, in the order in
	// which it passes them. Each is announced once for a request that charges.
	Gates []string

	// Store decorates what the ledger and the handler keep their books in.
	Store func(ledger.Store) ledger.Store
	// Charger takes the place of options.Charger, which it may call. The
	// options are those of the handler that is about to be made.
	Charger func(options api.Options) api.Charger
	// Handler decorates the whole payments API.
	Handler func(http.Handler) http.Handler
	// ProviderWire goes beneath the API's client of the card provider; next
	// must not be nil.
	ProviderWire func(next http.RoundTripper) http.RoundTripper
	// Wire goes beneath the shop's retry client; next must not be nil.
	Wire func(next http.RoundTripper) http.RoundTripper
	// Shop changes how the shop is built: its policy, its consumer of
	// messages. It is called again when the shop starts again.
	Shop func(options shop.Options) shop.Options

	// Trace retells what the right code says, where it is not what this side's
	// program would know. A nil tracer stays nil.
	Trace func(api.Tracer) api.Tracer
	// Gate announces [Mistake.Gates] and no others. A nil gate stays nil.
	Gate func(api.Gate) api.Gate
}

// All lists the mistakes, the simplest first.
func All() []Mistake {
	return []Mistake{
		noKey(),
		freshKey(),
		lookThenInsert(),
		globalKeys(),
		noFingerprint(),
		freshProviderKey(),
		restartForgets(),
		noLease(),
		twoTransactions(),
		noFence(),
		noDedup(),
		retryEverything(),
		libraryRetries(),
		noJitter(),
		noBreaker(),
		keyInMemory(),
		givesUp(),
		shortRetention(),
		storesFailures(),
		retriesDeclines(),
	}
}

// ByID finds a mistake. The right code has no id: "" is found nowhere.
func ByID(id string) (Mistake, bool) {
	for _, m := range All() {
		if m.ID == id {
			return m, true
		}
	}
	return Mistake{}, false
}
