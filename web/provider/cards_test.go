package provider

import (
	"strings"
	"testing"
)

func TestEachDeclineCardHasItsReason(t *testing.T) {
	p := start(t, Options{})
	want := map[string]string{
		"tok_chargeDeclined":                           "generic_decline",
		"pm_card_chargeDeclined":                       "generic_decline",
		"pm_card_visa_chargeDeclined":                  "generic_decline",
		"tok_chargeDeclinedInsufficientFunds":          "insufficient_funds",
		"pm_card_visa_chargeDeclinedInsufficientFunds": "insufficient_funds",
		"tok_visa_chargeDeclinedLostCard":              "lost_card",
		"pm_card_chargeDeclinedStolenCard":             "stolen_card",
		"tok_chargeDeclinedExpiredCard":                "expired_card",
		"pm_card_chargeDeclinedIncorrectCvc":           "incorrect_cvc",
		"tok_chargeDeclinedProcessingError":            "processing_error",
		"tok_chargeDeclinedFraudulent":                 "fraudulent",
	}
	for token, code := range want {
		got := post(p, "/captures", token, order50(token))
		doc := got.document(t)
		if got.status != 402 || doc.Status != StatusDeclined || doc.DeclineCode != code {
			t.Errorf("%s: %d %+v, want 402 %s", token, got.status, doc, code)
		}
	}
	if captured, captures, err := p.Totals(); err != nil || len(captured) != 0 || len(captures) != 0 {
		t.Errorf("declines moved money: %v, %v (%v)", captured, captures, err)
	}
}

func TestOrdinaryCardsAndTheirTwinsCapture(t *testing.T) {
	p := start(t, Options{})
	for _, card := range Cards() {
		if card.declineCode != "" || card.quirk != quirkNone {
			continue
		}
		for _, token := range []string{card.Token, "pm_card_" + strings.TrimPrefix(card.Token, "tok_")} {
			got := post(p, "/captures", token, order50(token))
			if got.status != 201 || got.document(t).Status != StatusCaptured {
				t.Errorf("%s: %d %s, want 201 captured", token, got.status, got.body)
			}
		}
	}
}

func TestCardsCanBeOfferedInASelect(t *testing.T) {
	tokens, labels := map[string]bool{}, map[string]bool{}
	for _, card := range Cards() {
		if tokens[card.Token] || labels[card.Label] || card.Label == "" || !strings.HasPrefix(card.Token, "tok_") {
			t.Errorf("%+v: token or label is repeated, empty or strange", card)
		}
		tokens[card.Token], labels[card.Label] = true, true
	}
	for _, token := range []string{"tok_visa", "tok_chargeonceSlow", "tok_chargeonceFails", "tok_chargeonceSilent"} {
		if !tokens[token] {
			t.Errorf("%s is not offered", token)
		}
	}
	Cards()[0].Token = "changed"
	if Cards()[0].Token != "tok_visa" {
		t.Error("a caller's copy of the list is the list itself")
	}
}

func TestWhatIsNoTestTokenIsNoCard(t *testing.T) {
	for _, token := range []string{"", "visa", "tok_", "tok_nope", "pm_card_", "card_visa", "tok_Visa", "tok_tok_visa", "tok_visa_visa", "4242424242424242"} {
		if card, known := findCard(token); known {
			t.Errorf("%q is taken for %s", token, card.Token)
		}
	}
}
