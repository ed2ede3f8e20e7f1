package badgerdb

import (
	"encoding/json"
	"fmt"
)

// Getter is where [GetJSON] reads: a [Tx], or another store's transaction that
// reads like one.
type Getter interface {
	Get(key []byte) (value []byte, ok bool, err error)
}

// Setter is where [SetJSON] writes: a [Tx], or another store's transaction that
// writes like one.
type Setter interface {
	Set(key, value []byte) error
}

// GetJSON reads a row that [SetJSON] wrote. A row that does not decode into T
// is [ErrCorrupt], never a missing one.
func GetJSON[T any](tx Getter, key string) (value T, ok bool, err error) {
	data, ok, err := tx.Get([]byte(key))
	if err != nil || !ok {
		return value, false, err
	}
	if err := json.Unmarshal(data, &value); err != nil {
		var zero T
		return zero, false, fmt.Errorf("%w: %T: %w", ErrCorrupt, value, err)
	}
	return value, true, nil
}

// SetJSON writes a row as JSON. Its errors are those of [Tx.Set] and of the
// encoding.
func SetJSON(tx Setter, key string, value any) error {
	data, err := json.Marshal(value)
	if err == nil {
		return tx.Set([]byte(key), data)
	}
	err = fmt.Errorf("badgerdb: encode %T: %w", value, err)
	if own, ok := tx.(*Tx); ok {
		return own.refuse(err)
	}
	return err
}
