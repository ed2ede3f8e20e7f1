package badgerdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// Tx is one transaction. It is valid until its function returns, and for one
// goroutine at a time.
type Tx struct {
	ctx    context.Context
	inner  *badger.Txn
	writes bool  // false: inside View
	over   bool  // the function has returned
	wrote  bool  // there is something to commit
	broken error // the first write that was refused: nothing may be committed
}

func (tx *Tx) end() {
	tx.over = true
	tx.inner.Discard()
}

// Get reads a row. The value is a copy that belongs to the caller. In a
// read-write transaction the read guards the key, found or not: if another
// transaction changes it before this one commits, this one runs again.
func (tx *Tx) Get(key []byte) (value []byte, ok bool, err error) {
	if tx.over {
		return nil, false, ErrTxDone
	}
	if err := checkKey(key); err != nil {
		return nil, false, err
	}
	item, err := tx.inner.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("badgerdb: get: %w", err)
	}
	value, err = item.ValueCopy(nil)
	if err != nil {
		return nil, false, fmt.Errorf("badgerdb: get value: %w", err)
	}
	return value, true, nil
}

// Set writes a row. Key and value are copied, so the caller may reuse them. It
// returns [ErrTooBig] beyond [MaxKeySize], [MaxValueSize] or the size of a
// transaction, and [ErrReadOnly] inside View. A transaction in which a write
// was refused commits nothing, even if its function ignores the error.
func (tx *Tx) Set(key, value []byte) error {
	if len(value) > MaxValueSize {
		return tx.refuse(fmt.Errorf("%w: a value of %d bytes, %d allowed", ErrTooBig, len(value), MaxValueSize))
	}
	return tx.write(key, func(key []byte) error { return tx.inner.Set(key, bytes.Clone(value)) })
}

// Delete removes a row; one that is not there is no error. Its errors are
// those of [Tx.Set].
func (tx *Tx) Delete(key []byte) error {
	return tx.write(key, tx.inner.Delete)
}

func (tx *Tx) write(key []byte, apply func(key []byte) error) error {
	if tx.over {
		return ErrTxDone
	}
	if !tx.writes {
		return ErrReadOnly
	}
	if err := checkKey(key); err != nil {
		return tx.refuse(err)
	}
	err := apply(bytes.Clone(key)) // Badger keeps the slice until the commit
	if errors.Is(err, badger.ErrTxnTooBig) {
		return tx.refuse(ErrTooBig)
	}
	if err != nil {
		return tx.refuse(fmt.Errorf("badgerdb: write: %w", err))
	}
	tx.wrote = true
	return nil
}

func (tx *Tx) refuse(err error) error {
	if tx.broken == nil {
		tx.broken = err
	}
	return err
}

// reservedPrefix is Badger's own corner of the key space.
var reservedPrefix = []byte("!badger!")

// checkKey comes before Badger's checks, whose messages print the key in full.
func checkKey(key []byte) error {
	switch {
	case len(key) == 0:
		return fmt.Errorf("%w: empty", ErrKey)
	case len(key) > MaxKeySize:
		return fmt.Errorf("%w: a key of %d bytes, %d allowed", ErrTooBig, len(key), MaxKeySize)
	case bytes.HasPrefix(key, reservedPrefix):
		return fmt.Errorf("%w: reserved", ErrKey)
	}
	return nil
}
