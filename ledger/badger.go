package ledger

import (
	"context"
	"errors"
	"fmt"

	"chargeonce/ledger/badgerdb"
)

// badgerStore is the default engine.
type badgerStore struct{ db *badgerdb.DB }

// OpenBadger opens a ledger on Badger, on disk or in memory. A directory that
// another process has open is [ErrLocked]. One that an older version has
// written is brought up to date first, and one of a later version is
// [ErrLaterVersion].
func OpenBadger(options badgerdb.Options) (Store, error) {
	db, err := badgerdb.Open(options)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", translate(err))
	}
	store := badgerStore{db}
	if err := store.upgrade(context.Background()); err != nil {
		return nil, errors.Join(fmt.Errorf("bring the ledger up to date: %w", translate(err)), db.Close())
	}
	return store, nil
}

// Update implements [Store].
func (s badgerStore) Update(ctx context.Context, fn func(Tx) error) error {
	return translate(s.db.Update(ctx, func(tx *badgerdb.Tx) error {
		return fn(&bookTx{bookReader: bookReader{tx}})
	}))
}

// View implements [Store].
func (s badgerStore) View(ctx context.Context, fn func(Reader) error) error {
	return translate(s.db.View(ctx, func(tx *badgerdb.Tx) error { return fn(bookReader{tx}) }))
}

// Failed implements [Store].
func (s badgerStore) Failed() <-chan struct{} { return s.db.Failed() }

// Close implements [Store].
func (s badgerStore) Close() error { return translate(s.db.Close()) }

// translate puts the engine's errors into our words, so that nobody above has
// to know which engine it is. The engine's own stays in the chain.
func translate(err error) error {
	if err == nil {
		return nil
	}
	for _, pair := range []struct{ theirs, ours error }{
		{badgerdb.ErrOutcomeUnknown, ErrOutcomeUnknown},
		{badgerdb.ErrClosed, ErrClosed},
		{badgerdb.ErrLocked, ErrLocked},
		{badgerdb.ErrDiskFull, ErrDiskFull},
		{badgerdb.ErrTooBig, ErrTooBig},
		{badgerdb.ErrConflict, ErrContention},
		{badgerdb.ErrCorrupt, ErrCorrupt},
	} {
		if errors.Is(err, pair.theirs) {
			return fmt.Errorf("%w: %w", pair.ours, err)
		}
	}
	return err
}
