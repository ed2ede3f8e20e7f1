package api

import (
	"net/http"
	"strings"
	"testing"

	"chargeonce/ledger"
)

func TestTheInstantProviderAnswersOutOfTheKeyAlone(t *testing.T) {
	config, err := ParseFlags([]string{"--memory", "--provider", "instant"})
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, config)
	b := &bench{t: t, url: strings.TrimPrefix(r.line(), "listening on ")}
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	if again := b.want(http.StatusCreated, ask{}).charge(t); again.ID != paid.ID {
		t.Errorf("%s and %s", paid.ID, again.ID)
	}
	b.want(http.StatusCreated, refund(paid.ID, "r", 1000))
	declined := b.refused(http.StatusPaymentRequired, CodeCardDeclined, ask{key: "d", form: with("source", "tok_chargeDeclinedInsufficientFunds")})
	if declined.Error.DeclineCode != "insufficient_funds" {
		t.Errorf("%+v", declined)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
}

// TestTheInstantProviderSaysTheSameToTheSameKey, as if it had a book: work that
// is resumed asks it a second time.
func TestTheInstantProviderSaysTheSameToTheSameKey(t *testing.T) {
	var cards instant
	for card, code := range map[string]string{
		"tok_visa": "", "pm_card_chargeDeclined": "generic_decline", "tok_visa_chargeDeclinedExpiredCard": "expired_card", "tok_chargeDeclinedFraudulent": "fraudulent",
	} {
		first, err := cards.Capture(t.Context(), "cap_1", ledger.Capture{Card: card})
		again, errAgain := cards.Capture(t.Context(), "cap_1", ledger.Capture{Card: card})
		if err != nil || errAgain != nil || first != again || first.DeclineCode != code || first.Declined != strings.Contains(card, "Declined") {
			t.Errorf("%s: %+v, %+v", card, first, again)
		}
	}
	if _, found, err := cards.Lookup(t.Context(), "cap_1"); found || err != nil {
		t.Errorf("it has a book: %v, %v", found, err)
	}
}
