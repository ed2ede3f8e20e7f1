package naive

import (
	"crypto/rand"
	"fmt"
	"strings"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/control"
)

// again is the transaction of a worker that books the charge it has under way,
// whatever the books say of it by now. In them a charge is a line that whoever
// finishes it adds: if one is there already, there are two.
//
// The right ledger does not let that happen by accident. It keeps one row for a
// charge and derives the transfer's id from it, so that a second booking has
// nowhere to go; this type is what a ledger without these two looks like.
type again struct {
	ledger.Tx
	mine string // id of the worker's charge; "": it has none under way
	line string // id of its second line; "": the books have no first
}

// Charge implements [ledger.Objects]: the worker takes its own charge for
// unsettled.
func (tx *again) Charge(id string) (ledger.Charge, bool, error) {
	charge, found, err := tx.Tx.Charge(id)
	if err != nil || !found || id != tx.mine || charge.Status != ledger.Succeeded {
		return charge, found, err
	}
	if tx.line == "" {
		tx.line = "ch_" + strings.ToLower(rand.Text())
	}
	charge.Status, charge.Capture, charge.Transfer = ledger.Pending, "", ""
	return charge, true, nil
}

// PutCharge implements [ledger.Objects].
func (tx *again) PutCharge(charge ledger.Charge) error {
	if tx.line != "" && charge.ID == tx.mine {
		charge.ID, charge.Transfer = tx.line, transferOf(tx.line)
	}
	return tx.Tx.PutCharge(charge)
}

// Post implements [ledger.Tx].
func (tx *again) Post(transfer ledger.Transfer) error {
	if tx.line != "" && transfer.ID == transferOf(tx.mine) {
		transfer.ID = transferOf(tx.line)
	}
	return tx.Tx.Post(transfer)
}

// transferOf is the id under which the ledger posts a charge.
func transferOf(charge string) string { return "tr_" + charge }

// holder is the record that stands under a key, found by asking for the key
// with a record that would be the next.
func (tx *again) holder(next idem.Record) (idem.Record, error) {
	holder, _, err := tx.InsertKey(next)
	if err != nil {
		return idem.Record{}, fmt.Errorf("read the key's holder: %w", err)
	}
	return holder, nil
}

// secondLine finds the id of a second line among the rows of a commit: a charge
// that is not the one of the event.
func secondLine(e control.Event) (id string, found bool) {
	if e.Kind != control.KindCommit || e.Charge == "" {
		return "", false
	}
	for _, row := range strings.Fields(e.Reason) {
		if id, found = strings.CutPrefix(row, rowCharge); found && id != e.Charge {
			return id, true
		}
	}
	return "", false
}
