package provider

import (
	"slices"
	"strings"
	"time"
)

// SlowAnswer is how long the slow card's captures keep the caller waiting: as
// long as the stand-alone API's whole patience for one attempt, so that the
// attempt ends in silence although the money has moved.
const SlowAnswer = 5 * time.Second

// MaxSilence bounds a silence that the client does not end by hanging up. It
// exceeds every client timeout of ours, and frees the connection in the end.
const MaxSilence = 120 * time.Second

// quirk is what a card of ours does beside being captured or declined.
type quirk uint8

const (
	quirkNone   quirk = iota
	quirkSlow         // captures, answers after SlowAnswer, each time
	quirkFails        // the first request of a key gets 503 and captures nothing
	quirkSilent       // captures, never answers the first request of a key
)

// Card is a test card: a token that stands for a card, never a number. It is
// what a checkout offers in a select.
type Card struct {
	Token string // "tok_visa"; its twin "pm_card_visa" means the same card
	Label string // what a customer reads

	declineCode string // empty: the card captures
	quirk       quirk
}

// cards is the one list of test tokens. The names up to the last three, and
// all decline codes, are those of Stripe's documentation on testing and on
// declines; the last three are ours.
var cards = []Card{
	{Token: "tok_visa", Label: "Visa"},
	{Token: "tok_visa_debit", Label: "Visa debit"},
	{Token: "tok_mastercard", Label: "Mastercard"},
	{Token: "tok_mastercard_debit", Label: "Mastercard debit"},
	{Token: "tok_mastercard_prepaid", Label: "Mastercard prepaid"},
	{Token: "tok_amex", Label: "American Express"},
	{Token: "tok_discover", Label: "Discover"},
	{Token: "tok_diners", Label: "Diners Club"},
	{Token: "tok_jcb", Label: "JCB"},
	{Token: "tok_unionpay", Label: "UnionPay"},

	{Token: "tok_chargeDeclined", Label: "Declined", declineCode: "generic_decline"},
	{Token: "tok_chargeDeclinedInsufficientFunds", Label: "Declined: insufficient funds", declineCode: "insufficient_funds"},
	{Token: "tok_chargeDeclinedLostCard", Label: "Declined: lost card", declineCode: "lost_card"},
	{Token: "tok_chargeDeclinedStolenCard", Label: "Declined: stolen card", declineCode: "stolen_card"},
	{Token: "tok_chargeDeclinedExpiredCard", Label: "Declined: expired card", declineCode: "expired_card"},
	{Token: "tok_chargeDeclinedIncorrectCvc", Label: "Declined: incorrect security code", declineCode: "incorrect_cvc"},
	{Token: "tok_chargeDeclinedProcessingError", Label: "Declined: processing error", declineCode: "processing_error"},
	{Token: "tok_chargeDeclinedFraudulent", Label: "Declined: looks fraudulent", declineCode: "fraudulent"},

	{Token: "tok_chargeonceSlow", Label: "Slow provider: charges, answers after 5 s", quirk: quirkSlow},
	{Token: "tok_chargeonceFails", Label: "Failing provider: out at first, then charges", quirk: quirkFails},
	{Token: "tok_chargeonceSilent", Label: "Silent provider: charges, never answers at first", quirk: quirkSilent},
}

// Cards lists the test cards in the order in which a checkout shows them. The
// caller owns the copy.
func Cards() []Card { return slices.Clone(cards) }

// findCard resolves a token. Each card has two more spellings, Stripe's own:
// "pm_card_X" for "tok_X", and "visa_chargeDeclined…" for "chargeDeclined…".
func findCard(token string) (Card, bool) {
	name, isToken := strings.CutPrefix(token, "tok_")
	if !isToken {
		if name, isToken = strings.CutPrefix(token, "pm_card_"); !isToken {
			return Card{}, false
		}
	}
	if short := strings.TrimPrefix(name, "visa_"); strings.HasPrefix(short, "chargeDeclined") {
		name = short
	}
	at := slices.IndexFunc(cards, func(card Card) bool { return card.Token == "tok_"+name })
	if at < 0 {
		return Card{}, false
	}
	return cards[at], true
}
