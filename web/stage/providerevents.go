package stage

import (
	"fmt"
	"strings"
	"time"

	"chargeonce/components"
	"chargeonce/web/control"
	"chargeonce/web/provider"
)

// onOperation shows the card provider's own doings.
func (s *system) onOperation(op provider.Operation) {
	owner, charge, _ := strings.Cut(op.Reference, "/")
	e := control.Event{
		Lane: control.LaneProvider, Kind: control.KindProvider, Outcome: control.Outcome(op.Outcome),
		Owner: owner, Charge: charge, ProviderKey: op.Key, Trace: op.Trace,
		Amount: op.Amount, Currency: op.Currency, Ms: op.Elapsed.Milliseconds(), AtMS: time.Now().UnixMilli(),
	}
	money := components.Money(op.Amount, op.Currency)
	switch e.Outcome {
	case control.Captured:
		e.Text = fmt.Sprintf("The card provider captures %s under key %s.", money, components.ShortKey(op.Key))
	case control.Replay:
		e.Text = fmt.Sprintf("The card provider knows key %s and repeats its answer: nothing is captured again.", components.ShortKey(op.Key))
	case control.Refunded:
		e.Text = fmt.Sprintf("The card provider gives %s back under key %s.", money, components.ShortKey(op.Key))
	case control.Declined:
		e.Text = "The card provider declines."
	default:
		e.Text = fmt.Sprintf("The card provider: %s.", op.Outcome)
	}
	s.emit(e)
}
