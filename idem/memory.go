package idem

import (
	"context"
	"maps"
	"sync"
)

// Memory is a store of keys that forgets everything when the process ends: for
// tests and for reading how an engine fits under the seam. It removes nothing,
// so it grows with the keys it has seen. The zero value is ready; it is safe
// for concurrent use.
type Memory struct {
	mu      sync.Mutex // makes transactions serial
	records map[Key]Record
}

// Update runs fn as one transaction. Writes reach the store only if fn returns
// nil; an error or a panic rolls them back. fn must not call Update.
func (m *Memory) Update(ctx context.Context, fn func(Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	tx := &memoryTx{base: m.records, written: make(map[Key]Record)}
	if err := fn(tx); err != nil {
		return err
	}
	if m.records == nil {
		m.records = make(map[Key]Record)
	}
	maps.Copy(m.records, tx.written)
	return nil
}

// memoryTx lays its own writes over the store's records.
type memoryTx struct {
	base    map[Key]Record
	written map[Key]Record
}

// get returns the stored record itself; only clones of it may leave.
func (tx *memoryTx) get(key Key) (Record, bool) {
	if record, ok := tx.written[key]; ok {
		return record, true
	}
	record, ok := tx.base[key]
	return record, ok
}

func (tx *memoryTx) InsertKey(record Record) (Record, bool, error) {
	if holder, taken := tx.get(record.Key); taken {
		return holder.Clone(), false, nil
	}
	tx.written[record.Key] = record.Clone()
	return record, true, nil
}

func (tx *memoryTx) SwapKey(record Record, fence uint64) (bool, error) {
	stored, ok := tx.get(record.Key)
	if !ok || !Swappable(stored, record, fence) {
		return false, nil
	}
	tx.written[record.Key] = record.Clone()
	return true, nil
}
