package naive

import (
	"context"
	"fmt"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/api"
	"chargeonce/web/control"
)

// twoTransactions books the charge, and then writes down that it has.
//
// Wrong: the ledger commits by itself, and the key's record with the answer is
// a transaction of its own. If the process dies between the two, the money is
// booked and nothing under the key says so. The next attempt finds work in
// progress and does it again: the card provider knows its key and charges
// nobody twice, but our own books have no such guard.
//
// The public kind: balances are updated in one database transaction and the
// state of what updated them in the next, with room for a crash between
// (blnkfinance/blnk, issue 233).
//
// Right: settle of package ledger writes answer, charge, postings and events in
// one transaction, so that a crash leaves all of them or none.
func twoTransactions() Mistake {
	return Mistake{
		ID: "two-transactions", Label: "charge and record in two transactions",
		Gates: halfGates, Gate: announce(halfPoints),
		Store:   func(s ledger.Store) ledger.Store { return &halves{s} },
		Charger: func(o api.Options) api.Charger { return &thenRecord{o} },
		Trace:   tellHalves,
	}
}

// thenRecord is the charger of twoTransactions: the right one over half a
// transaction, and then the other half.
type thenRecord struct{ api.Options }

// Charge implements [api.Charger].
func (m *thenRecord) Charge(ctx context.Context, request ledger.ChargeRequest) (ledger.Result, error) {
	ctx = context.WithoutCancel(ctx) // a client that hangs up leaves no charge without its record
	rest := &pocket{}
	result, err := m.Charger.Charge(context.WithValue(ctx, pocketKey{}, rest), request)
	if err != nil {
		return result, err
	}
	record, fence, withheld := rest.take()
	if !withheld {
		return result, nil // it is another request's charge
	}
	return result, m.record(ctx, request, record, fence)
}

// record is the second transaction.
func (m *thenRecord) record(ctx context.Context, of ledger.ChargeRequest, record idem.Record, fence uint64) error {
	var rows []string
	err := m.Store.Update(ctx, func(tx ledger.Tx) error {
		swapped, err := tx.SwapKey(record, fence)
		if err == nil && !swapped {
			err = fmt.Errorf("%w: the key has another holder", ledger.ErrOutcomeUnknown)
		}
		rows = tx.Rows()
		return err
	})
	if err != nil {
		return fmt.Errorf("store the answer: %w", err)
	}
	m.tellRecorded(ctx, of, record, rows)
	if m.Gate != nil {
		m.Gate(ctx, AtInserted)
	}
	return nil
}

// tellHalves tells of two commits where the right ledger makes one.
func tellHalves(next api.Tracer) api.Tracer {
	return retold(next, func(e control.Event) (control.Event, bool) {
		if e.Kind != control.KindCommit || e.Status == 0 || e.Charge == "" {
			return e, true
		}
		e.Text = "The settled charge and its postings are durable. The answer under its key is not: that is another transaction."
		if line, found := secondLine(e); found {
			e.Text = fmt.Sprintf("No answer stood under the key, so the charge is booked a second time, as %s.", line)
		}
		return e, true
	})
}

// tellRecorded tells of the second transaction. It books no money, so it
// carries no status.
func (m *thenRecord) tellRecorded(ctx context.Context, of ledger.ChargeRequest, record idem.Record, rows []string) {
	charge := ledger.Charge{
		ID: record.Resource, Owner: of.Key.Owner, Key: of.Key.Value, Amount: of.Amount, Currency: of.Currency,
	}
	hooksOf(m.Trace, func(e *control.Event) {
		e.Status = 0
		e.Text = fmt.Sprintf("Only now is the answer %d stored under its key, in a transaction of its own.", record.Answer.Status)
	}).Committed(ctx, ledger.Commit{Phase: 2, Work: ledger.Work{Charge: charge}, Record: record, Rows: rows})
}
