package ledger

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

// Rows of the books in Badger, beside the idempotency records that badgerdb
// keeps under "k/". Numbers are big-endian, so that keys sort like them. Owners
// and accounts have no '/' in them.
//
//	c/CHARGE                the charge
//	l/OWNER/SEQ             its id, in order of creation
//	o/OWNER                 the owner's totals
//	t/TRANSFER              the seq of its first posting: makes a transfer unique
//	p/SEQ                   a posting
//	b/ACCOUNT/CURRENCY      a balance
//	e/EVENT                 an event of the outbox
//	x/OWNER/SEQ             its id, in the order of the commits
//	q/SEQ                   it is still to be delivered
//	n/charge, n/posting, n/event  the last seq given out
const (
	rowCharge   = "c/"
	rowList     = "l/"
	rowOwner    = "o/"
	rowTransfer = "t/"
	rowPosting  = "p/"
	rowBalance  = "b/"
	rowEvent    = "e/"
	rowEvents   = "x/"
	rowQueue    = "q/"

	counterCharge  = "n/charge"
	counterPosting = "n/posting"
	counterEvent   = "n/event"
)

// badgerTx is one run of a transaction: the same Badger transaction for the
// idempotency record and for the books.
type badgerTx struct {
	badgerReader
	rows []string
}

var _ Tx = (*badgerTx)(nil)

// InsertKey implements [idem.Tx].
func (tx *badgerTx) InsertKey(record idem.Record) (idem.Record, bool, error) {
	holder, inserted, err := tx.inner.InsertKey(record)
	if inserted {
		tx.wrote(recordRow(record.Key))
	}
	return holder, inserted, err
}

// SwapKey implements [idem.Tx].
func (tx *badgerTx) SwapKey(record idem.Record, fence uint64) (bool, error) {
	swapped, err := tx.inner.SwapKey(record, fence)
	if swapped {
		tx.wrote(recordRow(record.Key))
	}
	return swapped, err
}

// PutCharge implements [Tx].
func (tx *badgerTx) PutCharge(c Charge) error {
	old, found, err := tx.Charge(c.ID)
	if err != nil {
		return err
	}
	totals, err := tx.owner(c.Owner)
	if err != nil {
		return err
	}
	if found {
		if err := mayFollow(old, c); err != nil {
			return err
		}
		c.Seq = old.Seq
		if totals, err = totals.with(old, -1); err != nil {
			return err
		}
	} else if c, err = tx.list(c); err != nil {
		return err
	}
	if totals, err = totals.with(c, 1); err != nil {
		return err
	}
	if err := tx.set(rowOwner+c.Owner, totals); err != nil {
		return err
	}
	return tx.set(rowCharge+c.ID, c)
}

// list gives a new charge its place in the owner's list.
func (tx *badgerTx) list(c Charge) (Charge, error) {
	seq, err := tx.next(counterCharge, 1)
	if err != nil {
		return Charge{}, err
	}
	c.Seq = seq
	return c, tx.setNumbered(rowList+c.Owner+"/", seq, c.ID)
}

// Post implements [Tx].
func (tx *badgerTx) Post(t Transfer) error {
	if err := t.Check(); err != nil {
		return err
	}
	if _, taken, err := badgerdb.GetJSON[uint64](tx.inner, rowTransfer+t.ID); err != nil || taken {
		if err == nil {
			err = fmt.Errorf("%w: %s", ErrTransferExists, t.ID)
		}
		return err
	}
	last, err := tx.next(counterPosting, uint64(len(t.Legs)))
	if err != nil {
		return err
	}
	first := last - uint64(len(t.Legs)) + 1
	if err := tx.set(rowTransfer+t.ID, first); err != nil {
		return err
	}
	for i, leg := range t.Legs {
		if err := tx.post(t, leg, first+uint64(i)); err != nil {
			return err
		}
	}
	return nil
}

func (tx *badgerTx) post(t Transfer, leg Leg, seq uint64) error {
	row := rowBalance + leg.Account + "/" + leg.Currency
	balance, _, err := badgerdb.GetJSON[int64](tx.inner, row)
	if err != nil {
		return err
	}
	if balance, err = add(balance, leg.Amount); err != nil {
		return fmt.Errorf("balance of %s: %w", leg.Account, err)
	}
	if err := tx.set(row, balance); err != nil {
		return err
	}
	return tx.setNumbered(rowPosting, seq, Posting{
		Transfer: t.ID, Account: leg.Account, Amount: leg.Amount,
		Currency: leg.Currency, Seq: seq, At: t.At,
	})
}

// Rows implements [Tx].
func (tx *badgerTx) Rows() []string { return tx.rows }

// next takes n numbers and returns the last of them. The counter is read and
// written, so two transactions can never give out the same one.
func (tx *badgerTx) next(counter string, n uint64) (uint64, error) {
	last, _, err := badgerdb.GetJSON[uint64](tx.inner, counter)
	if err != nil {
		return 0, err
	}
	return last + n, tx.set(counter, last+n)
}

func (tx *badgerTx) set(row string, value any) error {
	if err := badgerdb.SetJSON(tx.inner, row, value); err != nil {
		return err
	}
	tx.wrote(row)
	return nil
}

// setNumbered writes a row whose key ends in a binary number, and notes it with
// one that people can read.
func (tx *badgerTx) setNumbered(prefix string, seq uint64, value any) error {
	if err := badgerdb.SetJSON(tx.inner, prefix+ordinal(seq), value); err != nil {
		return err
	}
	tx.wrote(prefix + strconv.FormatUint(seq, 10))
	return nil
}

// wrote notes a row once, however often a transaction writes it.
func (tx *badgerTx) wrote(row string) {
	if !slices.Contains(tx.rows, row) {
		tx.rows = append(tx.rows, row)
	}
}

// recordRow is where badgerdb keeps the record of a key.
func recordRow(key idem.Key) string {
	id := key.ID()
	return recordPrefix(key.Owner) + hex.EncodeToString(id[:])
}

func recordPrefix(owner string) string { return "k/" + owner + "/" }
