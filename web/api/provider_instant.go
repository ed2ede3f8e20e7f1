package api

import (
	"context"
	"strings"
	"unicode"

	"chargeonce/ledger"
)

// providerInstant is the provider that answers at once, out of the key alone.
const providerInstant = "instant"

// instant is a card provider without a book, for benchmarks: what it costs is
// nothing, so what is measured is the ledger. Its answers are functions of the
// key and the card. So the same key gets the same answer for ever, and it need
// not know which keys it has seen: a look-up finds nothing, and the call that
// follows says what the first one said. It is safe for concurrent use.
type instant struct{}

var _ ledger.Provider = instant{}

// Capture implements [ledger.Provider].
func (instant) Capture(ctx context.Context, key string, order ledger.Capture) (ledger.Captured, error) {
	if err := ledger.MayCall(ctx); err != nil {
		return ledger.Captured{}, err
	}
	if _, kind, declines := strings.Cut(order.Card, "chargeDeclined"); declines {
		return ledger.Captured{Declined: true, DeclineCode: declineCode(kind)}, nil
	}
	return ledger.Captured{ID: "op_" + key}, nil
}

// Refund implements [ledger.Provider].
func (instant) Refund(ctx context.Context, key, _ string, _ int64) (ledger.Refunded, error) {
	if err := ledger.MayCall(ctx); err != nil {
		return ledger.Refunded{}, err
	}
	return ledger.Refunded{ID: "op_" + key}, nil
}

// Lookup implements [ledger.Provider].
func (instant) Lookup(context.Context, string) (ledger.Captured, bool, error) {
	return ledger.Captured{}, false, nil
}

// declineCode is the code of a test card: InsufficientFunds stands for
// insufficient_funds, and nothing for generic_decline.
func declineCode(kind string) string {
	if kind == "" {
		return "generic_decline"
	}
	var code strings.Builder
	for i, r := range kind {
		if unicode.IsUpper(r) && i > 0 {
			code.WriteByte('_')
		}
		code.WriteRune(unicode.ToLower(r))
	}
	return code.String()
}
