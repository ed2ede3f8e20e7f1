package web

import (
	"chargeonce/web/api"
	"chargeonce/web/naive"
	"chargeonce/web/stage"
)

// mistakes are what the naive side of a rig can do wrong, as the stage needs
// to know them. Its payments API process finds the rest by the same id.
func mistakes() []stage.Mistake {
	var all []stage.Mistake
	for _, m := range naive.All() {
		all = append(all, stage.Mistake{
			ID: m.ID, Label: m.Label, Wire: m.Wire, Key: m.Key, Shop: m.Shop, Keyless: m.Keyless, Gates: m.Gates,
		})
	}
	return all
}

// decorationOf is the same mistake as the API process is built with it.
func decorationOf(id string) (api.Decorate, bool) {
	m, ok := naive.ByID(id)
	return api.Decorate{
		Trace: m.Trace, Gate: m.Gate, Store: m.Store, Charger: m.Charger, Handler: m.Handler,
		ProviderWire: m.ProviderWire, Keyless: m.Keyless,
	}, ok
}
