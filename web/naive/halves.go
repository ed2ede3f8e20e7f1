package naive

import (
	"context"
	"sync"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// pocket holds a finished record between the two transactions. It is safe for
// concurrent use.
type pocket struct {
	mu     sync.Mutex // guards what follows
	record *idem.Record
	fence  uint64
}

type pocketKey struct{}

func (p *pocket) put(record idem.Record, fence uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.record, p.fence = &record, fence
}

func (p *pocket) take() (record idem.Record, fence uint64, found bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.record == nil {
		return idem.Record{}, 0, false
	}
	return *p.record, p.fence, true
}

// halves is a store that commits a charge without its record.
type halves struct{ ledger.Store }

// Update implements [ledger.Store].
func (s *halves) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	rest, _ := ctx.Value(pocketKey{}).(*pocket)
	return s.Store.Update(ctx, func(tx ledger.Tx) error { return fn(&halfTx{again{Tx: tx}, rest}) })
}

type halfTx struct {
	again
	rest *pocket // nil: nobody would come back for the record
}

// SwapKey implements [idem.Tx]. A finished record is checked and withheld; the
// charge that it is about is booked by this transaction, whatever the books
// say.
func (tx *halfTx) SwapKey(record idem.Record, fence uint64) (bool, error) {
	tx.mine = record.Resource
	if record.Open() || tx.rest == nil {
		return tx.Tx.SwapKey(record, fence)
	}
	holder, err := tx.holder(record)
	if err != nil || !idem.Swappable(holder, record, fence) {
		return false, err
	}
	tx.rest.put(record, fence)
	return true, nil
}
