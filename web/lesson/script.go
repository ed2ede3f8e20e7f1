package lesson

import (
	"context"
	"fmt"
)

// only is the purchase of a lesson that needs no other.
var only = Purchase{Order: "order-1", Amount: price, Currency: euro, Card: visa}

// paid waits for a click's definite answer, which must be that it is paid.
func paid(ctx context.Context, ticket Ticket) error {
	state, err := ticket.Wait(ctx)
	if err != nil {
		return err
	}
	return wantPaid("the click", state)
}

func wantPaid(click, state string) error {
	if state != Paid {
		return fmt.Errorf("%w: %s is %s", errUnpaid, click, state)
	}
	return nil
}
