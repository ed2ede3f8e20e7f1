package api

import (
	"fmt"
	"net/http"

	"chargeonce/ledger"
)

// Decorate lays wrappers around the boundaries of a process. It is how a
// system that is wrong on purpose is made of the right one without the right
// one knowing it. Each function may be nil and is called once, while the
// process is built; Trace and Gate come first, Charger and Handler last.
type Decorate struct {
	// Trace wraps what the process tells the stage. A nil tracer stays nil.
	Trace func(Tracer) Tracer
	// Gate wraps where requests are held. A wrapper may announce points under
	// names of its own choice: they can be armed and held like the others.
	Gate func(Gate) Gate
	// Store wraps the ledger's store, as it was opened.
	Store func(ledger.Store) ledger.Store
	// Charger takes the place of the options' charger, which it may call.
	Charger func(Options) Charger
	// ProviderWire goes beneath the client of the card provider; its next is
	// never nil.
	ProviderWire func(next http.RoundTripper) http.RoundTripper
	// Handler wraps everything that is served.
	Handler func(http.Handler) http.Handler
	// Keyless says that what stands in for a request's key is nobody's to
	// see: a held request is told without it.
	Keyless bool
}

// decoration is what the configuration asks for: the wrappers that were handed
// in, or those of a mistake by its name.
func (c Config) decoration() (Decorate, error) {
	if c.Mistake == "" {
		return c.Decorate, nil
	}
	if c.Mistakes != nil {
		if found, ok := c.Mistakes(c.Mistake); ok {
			return found, nil
		}
	}
	return Decorate{}, fmt.Errorf("%w: --mistake: this program knows no mistake of that name", ErrUsage)
}

// decorated applies a wrapper, if there is one.
func decorated[T any](thing T, wrap func(T) T) T {
	if wrap == nil {
		return thing
	}
	return wrap(thing)
}
