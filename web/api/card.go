package api

import "strings"

// tokens are the test cards, without the prefix that makes a token of them.
// All but the last three are Stripe's (https://docs.stripe.com/testing); those
// are ours, for a provider that is slow, fails once, or captures and says
// nothing. The provider keeps the same list: what is not in it would be called
// our own bug there, so it is refused here, before anything is claimed.
var tokens = map[string]bool{
	"visa": true, "visa_debit": true, "amex": true, "discover": true, "diners": true, "jcb": true, "unionpay": true,
	"mastercard": true, "mastercard_debit": true, "mastercard_prepaid": true,

	"chargeDeclined": true, "chargeDeclinedInsufficientFunds": true, "chargeDeclinedLostCard": true,
	"chargeDeclinedStolenCard": true, "chargeDeclinedExpiredCard": true, "chargeDeclinedIncorrectCvc": true,
	"chargeDeclinedProcessingError": true, "chargeDeclinedFraudulent": true,

	"chargeonceSlow": true, "chargeonceFails": true, "chargeonceSilent": true,
}

// KnownToken reports whether token names a test card: tok_X or pm_card_X, and
// for the declined ones also Stripe's longer spelling, tok_visa_chargeDeclined….
func KnownToken(token string) bool {
	name, isToken := strings.CutPrefix(token, "tok_")
	if !isToken {
		name, isToken = strings.CutPrefix(token, "pm_card_")
	}
	if short := strings.TrimPrefix(name, "visa_"); strings.HasPrefix(short, "chargeDeclined") {
		name = short
	}
	return isToken && tokens[name]
}

// card reads the card of a charge, which must have one.
func (p *params) card() string {
	card := p.cardIfAny()
	if card == "" {
		p.missing("source")
	}
	return card
}

// cardIfAny reads the card: source or payment_method, whichever is there. The
// card's own number has no place here in any form.
func (p *params) cardIfAny() string {
	names := []string{"card", "source", "payment_method"}
	for _, name := range names {
		if p.carriesNumber(name) {
			for _, name := range names {
				p.known[name] = true // the number is the news, not the rest
			}
			p.fail(CodeCardNumber, name, "Card numbers are refused: send a test token such as tok_visa. The number was not stored.")
			return ""
		}
	}
	source, method := p.text("source", 64), p.text("payment_method", 64)
	switch {
	case source != "" && method != "":
		p.fail(CodeParamInvalid, "payment_method", "Send either source or payment_method, not both.")
	case source != "" && !KnownToken(source):
		p.badToken("source")
	case method != "" && !KnownToken(method):
		p.badToken("payment_method")
	}
	return source + method // one of them is empty
}

func (p *params) badToken(name string) {
	p.fail(CodeTokenInvalid, name, "The parameter %q must be a test token such as tok_visa or pm_card_visa.", name)
}

// carriesNumber reports whether a card parameter is a number, or a group such
// as source[number]=…, which could hold nothing else.
func (p *params) carriesNumber(name string) bool {
	switch value := p.tree[name].(type) {
	case nil:
		return false
	case string:
		return holdsCardNumber(value)
	default:
		return true
	}
}
