package badgerdb

import (
	"bytes"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// A scan reads this many rows or bytes before it hands them out. The iterator
// is closed in between, because a transaction may have only one.
const (
	scanChunkRows  = 128
	scanChunkBytes = 1 << 20
)

// ScanOptions say which rows of a prefix are wanted. The zero value: all of
// them, in ascending order of their keys.
type ScanOptions struct {
	Reverse bool   // descending
	After   []byte // start behind this whole key, in the direction of the scan; nil: at the end
	Limit   int    // rows at most; 0 or less: no limit
}

type row struct{ key, value []byte }

// Scan calls fn for the rows whose keys begin with prefix. Key and value are
// copies that belong to fn. An error of fn ends the scan and is returned.
// fn may read, write and scan in the same transaction; a row that it writes
// ahead of the scan may or may not be seen.
//
// A scan guards the rows that it found, but not the gaps between them: of two
// transactions that each find nothing and insert, both commit. A rule over a
// range needs a row of its own that both read and write.
func (tx *Tx) Scan(prefix []byte, options ScanOptions, fn func(key, value []byte) error) error {
	if tx.over {
		return ErrTxDone
	}
	left := options.Limit
	for after := options.After; ; {
		if err := tx.ctx.Err(); err != nil {
			return err
		}
		want := scanChunkRows
		if options.Limit > 0 {
			want = min(want, left)
		}
		rows, more, err := tx.chunk(prefix, after, options.Reverse, want)
		if err != nil {
			return err
		}
		for _, r := range rows {
			after = bytes.Clone(r.key)
			if err := fn(r.key, r.value); err != nil {
				return err
			}
		}
		left -= len(rows)
		if !more || options.Limit > 0 && left == 0 {
			return nil
		}
	}
}

// chunk reads up to want rows behind after; more says that it stopped for a
// bound and not for want of rows.
func (tx *Tx) chunk(prefix, after []byte, reverse bool, want int) (rows []row, more bool, err error) {
	start, shared := scanStart(prefix, after, reverse)
	options := badger.DefaultIteratorOptions
	options.PrefetchValues = false // a goroutine an item costs more than the copy
	options.Reverse, options.Prefix = reverse, shared
	it := tx.inner.NewIterator(options)
	defer it.Close()

	size := 0
	for it.Seek(start); it.Valid(); it.Next() {
		item := it.Item()
		key := item.KeyCopy(nil)
		if beyond(key, prefix, after, reverse) {
			continue
		}
		if !bytes.HasPrefix(key, prefix) {
			return rows, false, nil
		}
		value, err := item.ValueCopy(nil)
		if err != nil {
			return nil, false, fmt.Errorf("badgerdb: scan: %w", err)
		}
		rows = append(rows, row{key, value})
		size += len(key) + len(value)
		if len(rows) >= want || size >= scanChunkBytes {
			return rows, true, nil
		}
	}
	return rows, false, nil
}

// beyond reports whether the seek landed on a key just before the range.
func beyond(key, prefix, after []byte, reverse bool) bool {
	if len(after) > 0 && bytes.Equal(key, after) {
		return true
	}
	return reverse && !bytes.HasPrefix(key, prefix) && bytes.Compare(key, prefix) > 0
}

// scanStart is the key to seek, and a prefix that it shares with the range.
// Badger ends an iteration at the first key outside its prefix, and a seek in
// reverse from the bare prefix lands before all of its keys; so a reverse scan
// seeks the first key behind the range, under the prefix that both share.
func scanStart(prefix, after []byte, reverse bool) (start, shared []byte) {
	end := successor(prefix)
	switch {
	case !reverse && bytes.Compare(after, prefix) > 0:
		return after, prefix
	case !reverse:
		return prefix, prefix
	case len(after) > 0 && (end == nil || bytes.Compare(after, end) < 0):
		return after, prefix
	case end != nil:
		return end, prefix[:len(end)-1]
	}
	return nil, nil // nothing lies behind the range: start at the last key of all
}

// successor is the smallest key above all keys with the prefix; nil if there
// is none.
func successor(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xFF {
			end := bytes.Clone(prefix[:i+1])
			end[i]++
			return end
		}
	}
	return nil
}
