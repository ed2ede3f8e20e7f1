package badgerdb

import (
	"encoding/json"
	"fmt"
)

// GetJSON reads a row that [SetJSON] wrote. A row that does not decode into T
// is [ErrCorrupt], never a missing one.
func GetJSON[T any](tx *Tx, key string) (value T, ok bool, err error) {
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
func SetJSON(tx *Tx, key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return tx.refuse(fmt.Errorf("badgerdb: encode %T: %w", value, err))
	}
	return tx.Set([]byte(key), data)
}
