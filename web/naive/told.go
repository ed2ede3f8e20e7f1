package naive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/api"
	"chargeonce/web/control"
)

// This file keeps the panel honest. The right code beneath speaks of claims,
// leases and stored answers; where this side has none, its events say so.

const (
	// rowRecord begins the name of an idempotency record among the rows of a
	// commit.
	rowRecord = "k/"
	// rowCharge begins the name of a charge among them.
	rowCharge = "c/"
	// rowAgenda begins the name of a record's place among those to be seen to.
	rowAgenda = "a/"
	// newKey is package idem's reason for a key that it has not met.
	newKey = "the key is new"
)

// tellKeyless retells a side on which no request has a key.
func tellKeyless(next api.Tracer) api.Tracer {
	return retold(next, func(e control.Event) (control.Event, bool) {
		if e.Kind == control.KindDecision && e.Outcome == control.Started {
			e.Text = "STARTED: the request carries no key, so there is nothing to look for; it counts as a new purchase."
			e.Reason = "no key"
		}
		e.Key = ""
		return unremembered(e), true
	})
}

// tellInner gives the events of charges under made-up keys the client's key
// back, and leaves out their decision: [lookFirst] has told its own.
func tellInner(next api.Tracer) api.Tracer {
	return retold(next, func(e control.Event) (control.Event, bool) {
		name, inner := nameOf(e.Key)
		if !inner {
			return e, true
		}
		e.Key = name
		return unremembered(e), e.Kind != control.KindDecision || e.Outcome != control.Started
	})
}

// tellForgotten says why a key looks new although a claim of it stood here: a
// key that really is new begins at fence 1.
func tellForgotten(next api.Tracer) api.Tracer {
	return retold(next, func(e control.Event) (control.Event, bool) {
		if e.Kind == control.KindDecision && e.Reason == newKey && e.Fence > 1 {
			e.Text = "STARTED: the unfinished claim was deleted at the restart, so the key looks new; " +
				"another charge begins, with a provider key of its own."
			e.Reason = "unfinished claims are deleted at the restart"
		}
		return e, true
	})
}

// retold decorates a tracer with a change to each event; false leaves the
// event out.
func retold(next api.Tracer, change func(control.Event) (control.Event, bool)) api.Tracer {
	if next == nil {
		return nil
	}
	return func(e control.Event) {
		if e, tell := change(e); tell {
			next(e)
		}
	}
}

// unremembered retells what happened under a key that nobody will ask for.
func unremembered(e control.Event) control.Event {
	e.Fence, e.LeaseMS = 0, 0 // a lease that keeps nobody out
	switch {
	case e.Kind == control.KindCommit:
		e.Text = "The pending charge is durable. Nothing says that its key is taken."
		if e.Status != 0 {
			e.Text = "The settled charge is durable, with its postings if money moved. No key leads to its answer."
		}
		e.Reason = withoutRecords(e.Reason)
	case e.Kind == control.KindNote && e.Charge != "":
		e.Text = "The attempt stops without an outcome, and nothing leads back to it: the next attempt begins another charge."
	}
	return e
}

// withoutRecords strikes the idempotency records out of a commit's rows.
func withoutRecords(rows string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(rows), func(row string) bool {
		return strings.HasPrefix(row, rowRecord) || strings.HasPrefix(row, rowAgenda)
	}), " ")
}

// tellLooked tells what the look came to: the one decision of the request.
func (m *lookFirst) tellLooked(ctx context.Context, key idem.Key, found idem.Decision) {
	m.hooks(func(e *control.Event) {
		e.Gate, e.Fence = AtLooked, 0
		if found.Outcome.Holds() {
			e.Text = "STARTED: the look finds no answer under this key, and writes nothing down: whoever looks now finds none either."
			e.Outcome, e.Reason, e.LeaseMS = control.Started, "no answer under this key", 0
		}
	}).Decided(ctx, key, found)
}

// tellInserted tells the third step. It books no money, so it carries no
// status: commit 2 has told that.
func (m *lookFirst) tellInserted(ctx context.Context, of ledger.ChargeRequest, result ledger.Result, rows []string) {
	charge := ledger.Charge{
		ID: result.Charge, Owner: of.Key.Owner, Key: of.Key.Value, Amount: of.Amount, Currency: of.Currency,
	}
	m.hooks(func(e *control.Event) {
		e.Gate, e.Fence, e.Status = AtInserted, 0, 0
		e.Text = fmt.Sprintf("Only now is the answer %d inserted under its key, in a transaction of its own.", result.Record.Answer.Status)
	}).Committed(ctx, ledger.Commit{Phase: 2, Work: ledger.Work{Charge: charge}, Record: result.Record, Rows: rows})
}

// hooks tell on behalf of a request as the right ledger's do, after a change.
// Where nobody looks, they do nothing.
func (m *lookFirst) hooks(change func(*control.Event)) ledger.Hooks { return hooksOf(m.Trace, change) }

// hooksOf tell a tracer what the right ledger's hooks would, after a change. A
// nil tracer is told nothing.
func hooksOf(trace api.Tracer, change func(*control.Event)) ledger.Hooks {
	return api.Hooks(func(e control.Event) {
		change(&e)
		if trace != nil {
			trace(e)
		}
	})
}
