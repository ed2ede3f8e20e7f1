package ledger

import (
	"fmt"
	"unicode/utf8"

	"chargeonce/idem"
)

// Bounds of a request, in characters; Stripe's where Stripe states them.
const (
	MaxCard          = 64
	MaxID            = 64 // of a charge to refund; ours have some thirty
	MaxReason        = 64 // of a refund: a word of Stripe's list
	MaxDescription   = 1000
	MaxMetadata      = 50 // entries
	MaxMetadataName  = 40
	MaxMetadataValue = 500
	// cardDigits is the length of the shortest card numbers (ISO/IEC 7812): a
	// token that holds as many digits in a row may be one.
	cardDigits = 12
)

// Validate reports what is wrong with a request as an [*InvalidError], or nil.
// It is the last guard of the books, whatever the API in front has checked: a
// request that fails it claims nothing.
func (r ChargeRequest) Validate() error {
	if err := r.validatePayment(); err != nil {
		return err
	}
	if !validCard(r.Card) {
		return errCard
	}
	return nil
}

// Validate is as that of [ChargeRequest]; only what is confirmed needs a card.
func (r IntentRequest) Validate() error {
	if r.Confirm || r.Card != "" {
		return r.ChargeRequest.Validate()
	}
	return r.validatePayment()
}

// Validate is as that of [ChargeRequest].
func (r RefundRequest) Validate() error {
	if err := validClaim(r.Key, r.Fingerprint); err != nil {
		return err
	}
	if r.Charge == "" || len(r.Charge) > MaxID {
		return &InvalidError{"charge", "not the id of a charge"}
	}
	if r.Amount < 0 || r.Amount > MaxAmount {
		return &InvalidError{"amount", fmt.Sprintf("must be 1 to %d minor units", MaxAmount)}
	}
	if utf8.RuneCountInString(r.Reason) > MaxReason {
		return &InvalidError{"reason", fmt.Sprintf("longer than %d characters", MaxReason)}
	}
	return validMetadata(r.Metadata)
}

// errCard never repeats what was sent: it may be a card number.
var errCard = &InvalidError{"source", "not a test token; card numbers are not taken"}

func validClaim(key idem.Key, print idem.Fingerprint) error {
	if !key.Valid() {
		return &InvalidError{"idempotency_key", "not a valid owner and key"}
	}
	if print.Sum == "" {
		return &InvalidError{"fingerprint", "missing"}
	}
	return nil
}

// validatePayment is all but the card.
func (r ChargeRequest) validatePayment() error {
	if err := validClaim(r.Key, r.Fingerprint); err != nil {
		return err
	}
	if r.Amount < 1 || r.Amount > MaxAmount {
		return &InvalidError{"amount", fmt.Sprintf("must be 1 to %d minor units", MaxAmount)}
	}
	if _, ok := LookupCurrency(r.Currency); !ok {
		return &InvalidError{"currency", "not an active ISO 4217 code in lower case"}
	}
	if utf8.RuneCountInString(r.Description) > MaxDescription {
		return &InvalidError{"description", fmt.Sprintf("longer than %d characters", MaxDescription)}
	}
	return validMetadata(r.Metadata)
}

func validMetadata(metadata map[string]string) error {
	if len(metadata) > MaxMetadata {
		return &InvalidError{"metadata", fmt.Sprintf("more than %d entries", MaxMetadata)}
	}
	for name, value := range metadata {
		if n := utf8.RuneCountInString(name); n < 1 || n > MaxMetadataName {
			return &InvalidError{"metadata", fmt.Sprintf("a name is not 1 to %d characters long", MaxMetadataName)}
		}
		if utf8.RuneCountInString(value) > MaxMetadataValue {
			return &InvalidError{"metadata", fmt.Sprintf("a value is longer than %d characters", MaxMetadataValue)}
		}
	}
	return nil
}

// validCard takes the test tokens (letters, digits, '_' and '-') and refuses
// what may be a card number, so that none is ever stored.
func validCard(card string) bool {
	if card == "" || len(card) > MaxCard {
		return false
	}
	digits := 0
	for _, c := range []byte(card) {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
			digits = 0
		case c == '-': // does not interrupt a run: card numbers are written with dashes
		default:
			return false
		}
		if digits >= cardDigits {
			return false
		}
	}
	return true
}
