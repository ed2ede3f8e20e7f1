package lesson

import (
	"fmt"
	"strconv"
	"strings"

	"chargeonce/web/control"
)

// of is one figure of several owners in their order: "1 2 2". An owner that
// stands in no book counts as 0.
func of(figures Figures, owners []string, figure func(control.OwnerBooks) int) string {
	parts := make([]string, len(owners))
	for i, owner := range owners {
		parts[i] = strconv.Itoa(figure(figures.Owners[owner]))
	}
	return strings.Join(parts, " ")
}

// done promises how many idempotency records the API keeps of the run, and
// that each has its answer: none is left at work.
func (c *checks) done(figures Figures, want int) {
	done := 0
	for _, record := range figures.Records {
		if record.State == "done" {
			done++
		}
	}
	c.equal("idempotency records, and those that are done", fmt.Sprintf("%d, %d", want, want),
		fmt.Sprintf("%d, %d", len(figures.Records), done))
}

// ledgersKey promises how many captures the card provider made under keys that
// our ledger holds: by no other key can it ever ask about them.
func (c *checks) ledgersKey(figures Figures, want int) {
	held := make(map[string]bool)
	for _, charge := range figures.Charges {
		held[charge.ProviderKey] = true
	}
	known := 0
	for _, capture := range figures.Captures {
		if capture.Status == "captured" && held[capture.Key] {
			known++
		}
	}
	c.count("captures under a key that our ledger holds", want, known)
}

// paidOrders counts the orders that the shop's journal takes for paid.
func paidOrders(figures Figures) (n int) {
	for _, order := range figures.Orders {
		if order.State == Paid {
			n++
		}
	}
	return n
}

// ownCharges promises how many orders are paid by a charge of their own buyer:
// a receipt for somebody else's is none.
func (c *checks) ownCharges(figures Figures, want int) {
	owners := make(map[string]string)
	for _, charge := range figures.Charges {
		owners[charge.ID] = charge.Owner
	}
	own := 0
	for _, order := range figures.Orders {
		if order.State == Paid && owners[order.Charge] == order.Owner {
			own++
		}
	}
	c.count("orders paid by a charge of their own buyer", want, own)
}

// fullyPaid promises how many orders are paid by a charge of just their amount.
func (c *checks) fullyPaid(figures Figures, want int) {
	amounts := make(map[string]int64)
	for _, charge := range figures.Charges {
		amounts[charge.ID] = charge.Amount
	}
	full := 0
	for _, order := range figures.Orders {
		if order.State == Paid && amounts[order.Charge] == order.Amount {
			full++
		}
	}
	c.count("orders paid in full by their charge", want, full)
}

// refunds counts what the card provider's own book gave back.
func refunds(figures Figures) (n int) {
	for _, c := range figures.Captures {
		if c.Status == "refunded" {
			n++
		}
	}
	return n
}

// refusedFor is the parameter if the one order that was refused was refused
// for that, as the API's reason names it; else the reason.
func refusedFor(figures Figures, parameter string) string {
	reasons := []string{}
	for _, order := range figures.Orders {
		if order.State == Refused {
			reasons = append(reasons, order.Reason)
		}
	}
	if len(reasons) == 1 && strings.Contains(reasons[0], "differs in "+parameter) {
		return parameter
	}
	return fmt.Sprintf("%q", reasons)
}
