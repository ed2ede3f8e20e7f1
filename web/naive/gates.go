package naive

import (
	"context"

	"chargeonce/ledger"
	"chargeonce/web/api"
)

// The points that only the naive side has. The others ([api.AtReceived],
// [ledger.AtProviderCalled], [api.AtAnswered]) are the right code's.
const (
	AtLooked   = "looked"   // the key was looked for; nothing is charged yet
	AtInserted = "inserted" // the charge is stored for good; the answer is not sent
)

var (
	// rightGates are those of the right code, where the API makes no mistake.
	rightGates = []string{api.AtReceived, ledger.AtBegin, ledger.AtClaimed, ledger.AtProviderCalled, ledger.AtCommitted, api.AtAnswered}
	// plainGates are those of a side that looks for no key apart from its
	// claim.
	plainGates = []string{api.AtReceived, ledger.AtProviderCalled, AtInserted, api.AtAnswered}
	// leaseGates are those of a side whose claim is a claim, though it lacks an
	// end.
	leaseGates = []string{api.AtReceived, ledger.AtClaimed, ledger.AtProviderCalled, AtInserted, api.AtAnswered}
	// halfGates are those of a side that writes twice what belongs together.
	halfGates = []string{api.AtReceived, ledger.AtProviderCalled, ledger.AtCommitted, AtInserted, api.AtAnswered}
	// racyGates are those of look, charge, insert.
	racyGates = []string{api.AtReceived, AtLooked, ledger.AtProviderCalled, AtInserted, api.AtAnswered}
)

// The points of the right code that are announced, and under which name.
// begin and claimed are left out: here they would promise what they do not
// keep.
var (
	plainPoints = map[string]string{
		api.AtReceived:          api.AtReceived,
		ledger.AtProviderCalled: ledger.AtProviderCalled,
		ledger.AtCommitted:      AtInserted,
		api.AtAnswered:          api.AtAnswered,
	}
	leasePoints = map[string]string{
		api.AtReceived:          api.AtReceived,
		ledger.AtClaimed:        ledger.AtClaimed,
		ledger.AtProviderCalled: ledger.AtProviderCalled,
		ledger.AtCommitted:      AtInserted,
		api.AtAnswered:          api.AtAnswered,
	}
	halfPoints = map[string]string{
		api.AtReceived:          api.AtReceived,
		ledger.AtProviderCalled: ledger.AtProviderCalled,
		ledger.AtCommitted:      ledger.AtCommitted,
		AtInserted:              AtInserted,
		api.AtAnswered:          api.AtAnswered,
	}
	// Commit 2 has no name here: the insert that counts comes after it.
	racyPoints = map[string]string{
		api.AtReceived:          api.AtReceived,
		AtLooked:                AtLooked,
		ledger.AtProviderCalled: ledger.AtProviderCalled,
		AtInserted:              AtInserted,
		api.AtAnswered:          api.AtAnswered,
	}
)

// announce lets the named points pass, under their names on this side.
func announce(names map[string]string) func(api.Gate) api.Gate {
	return func(next api.Gate) api.Gate {
		if next == nil {
			return nil
		}
		return func(ctx context.Context, point string) {
			if name, known := names[point]; known {
				next(ctx, name)
			}
		}
	}
}
