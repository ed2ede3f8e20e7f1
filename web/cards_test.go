package web

import (
	"testing"

	"chargeonce/web/api"
	"chargeonce/web/provider"
)

// The payments API checks tokens by itself, since it must not know the
// simulated provider; both lists must agree.
func TestTheAPIAcceptsEveryCardOfTheProvider(t *testing.T) {
	for _, card := range provider.Cards() {
		if !api.KnownToken(card.Token) {
			t.Errorf("the provider has %s, the API refuses it", card.Token)
		}
	}
}
