package idemtest

import (
	"context"
	"runtime"
	"sync"

	"chargeonce/idem"
)

// faulty is a store in memory. Its zero value keeps every promise; each field
// breaks one of them.
type faulty struct {
	key       func(idem.Key) any                                  // what a record lies under
	keep      func(idem.Record) idem.Record                       // what is kept of a record
	hand      func(idem.Record) idem.Record                       // what is handed out of it
	swappable func(stored, next idem.Record, fence uint64) bool   // the rule of the swap
	holder    func(stored, given idem.Record) (idem.Record, bool) // what an insert finds
	result    func(error) error                                   // what becomes of an error
	unlocked  bool                                                // transactions overlap
	through   bool                                                // writes do not wait for the commit
	blind     bool                                                // a transaction does not see its own writes
	swallow   bool                                                // a panic is swallowed
	deaf      bool                                                // the context is not looked at

	serial  sync.Mutex // makes transactions serial
	mu      sync.Mutex // guards records
	records map[any]idem.Record
}

func orDefault[F any](isNil bool, f, fallback F) F {
	if isNil {
		return fallback
	}
	return f
}

func clone(record idem.Record) idem.Record { return record.Clone() }

func (s *faulty) Update(ctx context.Context, fn func(idem.Tx) error) (err error) {
	if ctx.Err() != nil && !s.deaf {
		return ctx.Err()
	}
	if !s.unlocked {
		s.serial.Lock()
		defer s.serial.Unlock()
	}
	if s.swallow {
		defer func() { _ = recover() }()
	}
	tx := &faultyTx{store: s, written: make(map[any]idem.Record)}
	if err := fn(tx); err != nil {
		return orDefault(s.result == nil, s.result, func(err error) error { return err })(err)
	}
	if s.unlocked {
		runtime.Gosched() // let others in between the look and the write
	}
	for key, record := range tx.written {
		s.put(key, record)
	}
	return nil
}

func (s *faulty) put(key any, record idem.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records == nil {
		s.records = make(map[any]idem.Record)
	}
	s.records[key] = record
}

type faultyTx struct {
	store   *faulty
	written map[any]idem.Record
}

func (tx *faultyTx) under(key idem.Key) any {
	return orDefault(tx.store.key == nil, tx.store.key, func(k idem.Key) any { return k })(key)
}

func (tx *faultyTx) get(key idem.Key) (idem.Record, bool) {
	if record, ok := tx.written[tx.under(key)]; ok && !tx.store.blind {
		return record, true
	}
	tx.store.mu.Lock()
	defer tx.store.mu.Unlock()
	record, ok := tx.store.records[tx.under(key)]
	return record, ok
}

func (tx *faultyTx) put(record idem.Record) {
	kept := orDefault(tx.store.keep == nil, tx.store.keep, clone)(record)
	if tx.store.through {
		tx.store.put(tx.under(record.Key), kept)
		return
	}
	tx.written[tx.under(record.Key)] = kept
}

func (tx *faultyTx) InsertKey(record idem.Record) (idem.Record, bool, error) {
	stored, taken := tx.get(record.Key)
	if !taken {
		tx.put(record)
		return record, true, nil
	}
	stored = orDefault(tx.store.hand == nil, tx.store.hand, clone)(stored)
	if tx.store.holder != nil {
		holder, inserted := tx.store.holder(stored, record)
		if inserted {
			tx.put(record)
		}
		return holder, inserted, nil
	}
	return stored, false, nil
}

func (tx *faultyTx) SwapKey(record idem.Record, fence uint64) (bool, error) {
	stored, ok := tx.get(record.Key)
	rule := orDefault(tx.store.swappable == nil, tx.store.swappable, idem.Swappable)
	if !ok || !rule(stored, record, fence) {
		return false, nil
	}
	tx.put(record)
	return true, nil
}
