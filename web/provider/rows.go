package provider

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

// rows is the book inside one transaction. Its layout, below
// "provider/ACCOUNT/":
//
//	op/KEYHASH        the operation of a key, JSON
//	capture/ID        which op row holds the capture ID
//	seq               how many operations were decided
//	all/SEQ           which op row was decided as the SEQth
//	owner/OWNER/SEQ   the same, by owner
//	total/OWNER       sums, so that no figure depends on how much is listed
//
// SEQ is 8 bytes big-endian, so that keys sort by it. What a client chose is
// hashed, or checked to hold no '/'.
type rows struct {
	tx      *badgerdb.Tx
	account string
}

// total is what one owner's cards were charged.
type total struct {
	Captured map[string]int64 `json:"captured"` // by currency, minor units, less refunds
	Captures int              `json:"captures"`
}

func (b rows) at(parts ...string) string {
	return "provider/" + b.account + "/" + strings.Join(parts, "/")
}

// operationRow is where the operation of a key lies.
func (b rows) operationRow(key idem.Key) string {
	id := key.ID()
	return b.at("op", hex.EncodeToString(id[:]))
}

// decided enters an operation whose fate was decided just now.
func (b rows) decided(row string, op Operation) error {
	if err := badgerdb.SetJSON(b.tx, row, op); err != nil {
		return fmt.Errorf("write operation: %w", err)
	}
	if err := b.list(row, op); err != nil {
		return fmt.Errorf("list operation: %w", err)
	}
	if op.Status == StatusCaptured {
		if err := badgerdb.SetJSON(b.tx, b.at("capture", op.ID), row); err != nil {
			return fmt.Errorf("index capture: %w", err)
		}
	}
	return b.addUp(op)
}

// list appends the operation to the two lists that readers go through. The
// counter is read and written, so no two operations share a place.
func (b rows) list(row string, op Operation) error {
	seq, _, err := badgerdb.GetJSON[uint64](b.tx, b.at("seq"))
	if err != nil {
		return err
	}
	seq++
	if err := badgerdb.SetJSON(b.tx, b.at("seq"), seq); err != nil {
		return err
	}
	place := string(binary.BigEndian.AppendUint64(nil, seq))
	if err := badgerdb.SetJSON(b.tx, b.at("all", place), row); err != nil {
		return err
	}
	return badgerdb.SetJSON(b.tx, b.at("owner", owner(op.Reference), place), row)
}

// addUp brings the owner's sums in line with the operation.
func (b rows) addUp(op Operation) error {
	if op.Status == StatusDeclined {
		return nil
	}
	row := b.at("total", owner(op.Reference))
	sums, known, err := badgerdb.GetJSON[total](b.tx, row)
	if err != nil {
		return fmt.Errorf("read sums: %w", err)
	}
	if !known {
		sums.Captured = make(map[string]int64)
	}
	switch op.Status {
	case StatusCaptured:
		sums.Captured[op.Currency] += op.Amount
		sums.Captures++
	case StatusRefunded:
		sums.Captured[op.Currency] -= op.Amount
	}
	if err := badgerdb.SetJSON(b.tx, row, sums); err != nil {
		return fmt.Errorf("write sums: %w", err)
	}
	return nil
}

// captured finds a capture by its id, and the row in which it lies.
func (b rows) captured(id string) (capture Operation, row string, known bool, err error) {
	row, known, err = badgerdb.GetJSON[string](b.tx, b.at("capture", id))
	if err != nil || !known {
		return Operation{}, "", false, err
	}
	capture, known, err = badgerdb.GetJSON[Operation](b.tx, row)
	return capture, row, known, err
}
