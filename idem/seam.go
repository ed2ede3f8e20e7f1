package idem

import "context"

// Tx is all that this package needs of somebody else's transaction. Both calls
// take part in that transaction: they commit or roll back with whatever else
// is written in it. An implementation must make conflicting transactions
// serial: of two that insert the same key, one sees the other's record. A
// record that goes in or comes out shares nothing with the stored one (see
// [Record.Clone]). [chargeonce/idem/idemtest] checks all of this.
type Tx interface {
	// InsertKey stores the record unless its key is taken. It always returns
	// who holds the key now; inserted says whether that is the given record.
	// (SQL: INSERT … ON CONFLICT DO NOTHING, then read the winner.)
	InsertKey(record Record) (holder Record, inserted bool, err error)
	// SwapKey replaces the stored record of the same key if [Swappable] allows
	// it. Take-over, recovery points, renewal and the final answer are all this
	// one call, so every write of a claim is fenced.
	SwapKey(record Record, fence uint64) (swapped bool, err error)
}

// Store runs transactions. The function may be called more than once for one
// transaction that has to be tried again, so no effect may leave it; nil
// commits, an error or a panic rolls everything back and comes through. Where
// ctx is over before the transaction begins, its error is returned and nothing
// runs. The function must not call Update: engines have one writer.
type Store interface {
	Update(ctx context.Context, fn func(Tx) error) error
}

// Swappable is the rule of [Tx.SwapKey], for engines to call: the stored fence
// must still be the given one, and a record that nobody holds, released or
// done, is replaced only under a higher fence. So a heartbeat that comes late
// can neither reopen what is finished nor make a free key busy again. A key
// that was forgotten and claimed anew counts its fences from 1 again; it is the
// resource that then tells an attempt of its earlier life from one of this.
func Swappable(stored, next Record, fence uint64) bool {
	switch {
	case stored.Fence != fence:
		return false
	case next.Fence > stored.Fence:
		return true
	}
	return next.Fence == stored.Fence && next.Resource == stored.Resource && stored.held()
}
