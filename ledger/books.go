package ledger

import (
	"fmt"
	"slices"
	"strconv"

	"chargeonce/ledger/badgerdb"
)

// Rows of the books, beside the idempotency records that the engine keeps under
// "k/". Numbers and times are big-endian, so that keys sort like them. Owners,
// accounts and ids have no '/' in them.
//
//	c/CHARGE                the charge
//	l/OWNER/SEQ             its id, in order of creation
//	r/REFUND                the refund
//	rl/OWNER/SEQ            its id, in order of creation
//	rc/CHARGE/SEQ           the same, for each charge
//	i/INTENT                the payment intent
//	il/OWNER/SEQ            its id, in order of creation
//	ct/OWNER/CART           the cart
//	w/ENDPOINT              the webhook endpoint
//	wl/OWNER/SEQ            its id, in order of creation
//	o/OWNER                 the owner's totals
//	t/TRANSFER              the seq of its first posting: makes a transfer unique
//	p/SEQ                   a posting
//	b/ACCOUNT/CURRENCY      a balance
//	e/EVENT                 an event of the outbox
//	x/OWNER/SEQ             its id, in the order of the commits
//	xt/OWNER/TYPE/SEQ       the same, for each type
//	q/SEQ                   it is still to be delivered
//	a/LIST/TIME/KEY         the idempotency record of a key, by when it is due
//	n/layout                the version of all this
//	n/WHAT                  the last seq given out to charges, postings, …
//	nc/OWNER                how many carts the owner has
const (
	rowCharge        = "c/"
	rowList          = "l/"
	rowRefund        = "r/"
	rowRefunds       = "rl/"
	rowChargeRefunds = "rc/"
	rowIntent        = "i/"
	rowIntents       = "il/"
	rowCart          = "ct/"
	rowEndpoint      = "w/"
	rowEndpoints     = "wl/"
	rowOwner         = "o/"
	rowTransfer      = "t/"
	rowPosting       = "p/"
	rowBalance       = "b/"
	rowEvent         = "e/"
	rowEvents        = "x/"
	rowEventsOfType  = "xt/"
	rowQueue         = "q/"
	rowAgenda        = "a/"

	counterCharge  = "n/charge"
	counterRefund  = "n/refund"
	counterIntent  = "n/intent"
	counterPosting = "n/posting"
	counterEvent   = "n/event"
	counterCarts   = "nc/"

	counterEndpoint = "n/endpoint"

	rowLayout = "n/layout"
)

// bookTx is one run of a transaction: the same transaction of the engine for
// the idempotency record and for the books.
type bookTx struct {
	bookReader
	rows []string
}

var _ Tx = (*bookTx)(nil)

// PutCharge implements [Objects].
func (tx *bookTx) PutCharge(c Charge) error {
	if err := c.checkRefunds(); err != nil {
		return err
	}
	old, found, err := tx.Charge(c.ID)
	if err != nil {
		return err
	}
	totals, err := tx.Owner(c.Owner)
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
func (tx *bookTx) list(c Charge) (Charge, error) {
	seq, err := tx.next(counterCharge, 1)
	if err != nil {
		return Charge{}, err
	}
	c.Seq = seq
	return c, tx.setNumbered(rowList+c.Owner+"/", seq, c.ID)
}

// Post implements [Tx].
func (tx *bookTx) Post(t Transfer) error {
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

func (tx *bookTx) post(t Transfer, leg Leg, seq uint64) error {
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
func (tx *bookTx) Rows() []string { return tx.rows }

// next takes n numbers and returns the last of them. The counter is read and
// written, so two transactions can never give out the same one.
func (tx *bookTx) next(counter string, n uint64) (uint64, error) {
	last, _, err := badgerdb.GetJSON[uint64](tx.inner, counter)
	if err != nil {
		return 0, err
	}
	return last + n, tx.set(counter, last+n)
}

func (tx *bookTx) set(row string, value any) error {
	if err := badgerdb.SetJSON(tx.inner, row, value); err != nil {
		return err
	}
	tx.wrote(row)
	return nil
}

// setNumbered writes a row whose key ends in a binary number, and notes it with
// one that people can read.
func (tx *bookTx) setNumbered(prefix string, seq uint64, value any) error {
	if err := badgerdb.SetJSON(tx.inner, prefix+ordinal(seq), value); err != nil {
		return err
	}
	tx.wrote(prefix + strconv.FormatUint(seq, 10))
	return nil
}

// wrote notes a row once, however often a transaction writes it.
func (tx *bookTx) wrote(row string) {
	if !slices.Contains(tx.rows, row) {
		tx.rows = append(tx.rows, row)
	}
}
