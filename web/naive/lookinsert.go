package naive

import (
	"context"
	"fmt"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/api"
)

// lookThenInsert checks the key, acts, and only then writes the key down.
//
// Wrong: it looks in one transaction and inserts in another, and the card is
// charged between the two. A second click that looks before the first one has
// inserted finds nothing and charges as well. Each step is right by itself;
// tried one after the other, as in most tests, it works.
//
// The public kind: check-then-act (CWE-367) around an idempotency key, as in
// alphagov/pay-connector, pull request 4460, and zonelessdev/zoneless, issue
// 134.
//
// Right: claim of package ledger writes the key and the pending charge in the
// transaction that looks, before anything is charged. idem.Tx.InsertKey lets
// the unique key decide, and whoever loses waits for the winner's answer.
func lookThenInsert() Mistake {
	return Mistake{
		ID: "look-then-insert", Label: "looks first, inserts later",
		Gates: racyGates, Gate: announce(racyPoints),
		Charger: func(o api.Options) api.Charger { return &lookFirst{o} },
		Trace:   tellInner,
	}
}

// lookFirst is the charger of lookThenInsert. Everything but the order of its
// steps is the right code's: the rule, the charge, the stored answer.
type lookFirst struct{ api.Options }

// Charge implements [api.Charger] in three steps that should have been one.
func (m *lookFirst) Charge(ctx context.Context, request ledger.ChargeRequest) (ledger.Result, error) {
	ctx = context.WithoutCancel(ctx) // a client that hangs up stops no charge here either

	found, err := m.look(ctx, request) // 1. do we know this key?
	if err != nil || !found.Outcome.Holds() {
		return resultOf(found), err
	}
	result, err := m.charge(ctx, request) // 2. no: charge. Who looks now does not find it either
	if err != nil {
		return result, err
	}
	return result, m.insert(ctx, request, result) // 3. too late
}

// look asks the right question, [idem.Begin], of a snapshot: nothing is
// written, so nothing is claimed.
func (m *lookFirst) look(ctx context.Context, request ledger.ChargeRequest) (found idem.Decision, err error) {
	asked := idem.Claim{Key: request.Key, Fingerprint: request.Fingerprint, Operation: request.Operation}
	err = m.Store.View(ctx, func(books ledger.Reader) (err error) {
		found, err = idem.Begin(unwritten{books}, asked, m.now(), m.Terms)
		return err
	})
	if err != nil {
		return idem.Decision{}, fmt.Errorf("look for the key: %w", err)
	}
	m.tellLooked(ctx, request.Key, found)
	m.announce(ctx, AtLooked)
	return found, nil
}

// charge has the right ledger charge under a key of its own, so that it and
// the card provider see a new purchase each time.
func (m *lookFirst) charge(ctx context.Context, request ledger.ChargeRequest) (ledger.Result, error) {
	request.Key.Value = madeUp(request.Key.Value)
	return m.Charger.Charge(ctx, request)
}

// insert stores the answer under the client's key. Where another request was
// first, the later answer stands: nobody looks twice.
func (m *lookFirst) insert(ctx context.Context, request ledger.ChargeRequest, result ledger.Result) error {
	var rows []string
	err := m.Store.Update(ctx, func(tx ledger.Tx) error {
		record := result.Record.Clone()
		record.Key = request.Key
		holder, inserted, err := tx.InsertKey(record)
		if err == nil && !inserted {
			record.Fence = holder.Fence + 1
			_, err = tx.SwapKey(record, holder.Fence)
		}
		rows = tx.Rows()
		return err
	})
	if err != nil {
		return fmt.Errorf("insert the answer: %w", err)
	}
	m.tellInserted(ctx, request, result, rows)
	m.announce(ctx, AtInserted)
	return nil
}

// unwritten passes a snapshot off as a transaction. What would be written is
// accepted and forgotten: this is the mistake in one type.
type unwritten struct{ ledger.Reader }

// InsertKey implements [idem.Tx].
func (u unwritten) InsertKey(record idem.Record) (idem.Record, bool, error) {
	holder, found, err := u.Record(record.Key)
	if err != nil || found {
		return holder, false, err
	}
	return record, true, nil
}

// SwapKey implements [idem.Tx].
func (unwritten) SwapKey(idem.Record, uint64) (bool, error) { return true, nil }

// resultOf is what a request that does not charge may answer.
func resultOf(found idem.Decision) ledger.Result {
	result := ledger.Result{Outcome: found.Outcome, Reason: found.Reason, Record: found.Record}
	if found.Outcome != idem.Conflict { // then the charge is another request's
		result.Charge = found.Record.Resource
	}
	return result
}

func (m *lookFirst) now() idem.Now {
	var offset time.Duration
	if m.Offset != nil {
		offset = m.Offset()
	}
	return idem.At(time.Now(), offset)
}

func (m *lookFirst) announce(ctx context.Context, point string) {
	if m.Gate != nil {
		m.Gate(ctx, point)
	}
}
