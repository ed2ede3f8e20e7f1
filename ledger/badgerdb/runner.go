package badgerdb

import (
	"context"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// MaxRuns is how often one transaction may run before [ErrConflict]. Writers
// take turns, so a conflict is rare; the bound keeps a bug from spinning.
const MaxRuns = 10

// Update runs fn as one read-write transaction. If fn returns nil, its writes
// are committed and synced to disk before Update returns; an error or a panic
// rolls everything back and is passed on. fn may run more than once: nothing
// but its last run may leave it, and it must not start another Update.
//
// ctx bounds the wait for the turn; once the commit has begun it is ignored.
// A transaction that only reads needs no space: [ErrDiskFull] comes after fn, and
// only where it has written.
// The errors are those of fn, of ctx, [ErrClosed], [ErrDiskFull], [ErrTooBig],
// [ErrConflict] and [ErrOutcomeUnknown]. After each but the last, nothing was
// written.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	if err := db.takeTurn(ctx); err != nil {
		return err
	}
	defer func() { <-db.writer }()
	for range MaxRuns {
		if err := ctx.Err(); err != nil {
			return err
		}
		if lost, err := db.runOnce(ctx, fn); !lost {
			return err
		}
	}
	return fmt.Errorf("%w: %d runs", ErrConflict, MaxRuns)
}

// takeTurn waits until no other transaction writes. Badger syncs each commit
// for itself, so writers that take turns lose no speed.
func (db *DB) takeTurn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case db.writer <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closing:
		return ErrClosed
	}
	// The one that had the turn before may have stopped the store.
	if db.hasFailed() {
		<-db.writer
		return ErrOutcomeUnknown
	}
	return nil
}

// runOnce runs fn and commits. lost says that another transaction won and that
// this one has to run again.
func (db *DB) runOnce(ctx context.Context, fn func(*Tx) error) (lost bool, err error) {
	tx := &Tx{ctx: ctx, inner: db.inner.NewTransaction(true), writes: true}
	defer tx.end()
	if err := fn(tx); err != nil {
		return false, err
	}
	if tx.broken != nil {
		return false, tx.broken // fn has ignored that a write was refused
	}
	if tx.wrote {
		if err := checkSpace(db.options); err != nil {
			return false, err
		}
	}
	return db.commit(tx)
}

// commit ends the transaction. Any error but a lost race or a refused size
// leaves open what reached the disk, and so does a panic in Badger: both stop
// the store.
func (db *DB) commit(tx *Tx) (lost bool, err error) {
	db.settled.Lock()
	defer db.settled.Unlock()
	definite := false
	defer func() {
		if !definite {
			db.stop()
		}
	}()
	err = db.options.commit(tx.inner)
	switch {
	case err == nil, errors.Is(err, badger.ErrConflict):
		definite = true
		return err != nil, nil
	case errors.Is(err, badger.ErrTxnTooBig):
		definite = true
		return false, ErrTooBig
	}
	return false, fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
}

// View runs fn on a snapshot of what was committed when it began. Views run
// side by side and never wait for writers, but for the length of a commit. The
// errors are those of fn and of ctx, [ErrClosed] and [ErrOutcomeUnknown].
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	inner, err := db.snapshot()
	if err != nil {
		return err
	}
	tx := &Tx{ctx: ctx, inner: inner}
	defer tx.end()
	return fn(tx)
}

func (db *DB) snapshot() (*badger.Txn, error) {
	db.settled.RLock()
	defer db.settled.RUnlock()
	if db.hasFailed() {
		return nil, ErrOutcomeUnknown
	}
	return db.inner.NewTransaction(false), nil
}
