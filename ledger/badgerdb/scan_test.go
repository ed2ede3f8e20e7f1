package badgerdb

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scan collects the keys that a scan visits, in a read-only transaction.
func scan(t testing.TB, db *DB, prefix string, options ScanOptions) (keys []string) {
	t.Helper()
	err := db.View(context.Background(), func(tx *Tx) error {
		return tx.Scan([]byte(prefix), options, func(key, value []byte) error {
			if !bytes.Equal(key, value) { // the tests store each key under itself
				t.Errorf("key %q has value %q", key, value)
			}
			keys = append(keys, string(key))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func store(t testing.TB, db *DB, keys ...string) {
	t.Helper()
	err := db.Update(context.Background(), func(tx *Tx) error {
		for _, key := range keys {
			if err := tx.Set([]byte(key), []byte(key)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestScanVisitsAPrefixInBothDirections(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		// a0 is the first key behind the prefix a/, where a scan in reverse seeks.
		store(t, db, "a", "a/", "a/1", "a/2", "a/\xff", "a/\xff\xff", "a0", "b/1", "\xff", "\xff\xff1")
		for _, test := range []struct {
			prefix  string
			options ScanOptions
			want    string
		}{
			{"a/", ScanOptions{}, "a/ a/1 a/2 a/\xff a/\xff\xff"},
			{"a/", ScanOptions{Reverse: true}, "a/\xff\xff a/\xff a/2 a/1 a/"},
			{"a/", ScanOptions{Limit: 2}, "a/ a/1"},
			{"a/", ScanOptions{Limit: 2, Reverse: true}, "a/\xff\xff a/\xff"},
			{"a/", ScanOptions{After: []byte("a/1")}, "a/2 a/\xff a/\xff\xff"},
			{"a/", ScanOptions{After: []byte("a/15")}, "a/2 a/\xff a/\xff\xff"},
			{"a/", ScanOptions{After: []byte("a/1"), Reverse: true}, "a/"},
			{"a/", ScanOptions{After: []byte("a/15"), Reverse: true}, "a/1 a/"},
			{"a/", ScanOptions{After: []byte("a/15"), Reverse: true, Limit: 1}, "a/1"},
			{"a/", ScanOptions{After: []byte("zz")}, ""},
			{"a/", ScanOptions{After: []byte("a"), Reverse: true}, ""},
			{"\xff", ScanOptions{Reverse: true}, "\xff\xff1 \xff"},
			{"c", ScanOptions{}, ""},
			{"c", ScanOptions{Reverse: true}, ""},
		} {
			if got := strings.Join(scan(t, db, test.prefix, test.options), " "); got != test.want {
				t.Errorf("%q %+v: got %q, want %q", test.prefix, test.options, got, test.want)
			}
		}
	})
}

// Whatever the rows, a scan agrees with sorting and filtering a list.
func TestScanAgreesWithAModel(t *testing.T) {
	db := open(t, Options{InMemory: true})
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab/")), 1, 4, -1)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		area := fmt.Sprintf("%06d/", round) // rows of earlier rounds stay behind
		keys := rapid.SliceOfNDistinct(text, 1, 30, rapid.ID[string]).Draw(rt, "keys")
		for i := range keys {
			keys[i] = area + keys[i]
		}
		store(t, db, keys...)
		prefix := area + rapid.StringOfN(rapid.SampledFrom([]rune("ab/")), 0, 2, -1).Draw(rt, "prefix")
		options := ScanOptions{
			Reverse: rapid.Bool().Draw(rt, "reverse"),
			Limit:   rapid.IntRange(0, 5).Draw(rt, "limit"),
		}
		if rapid.Bool().Draw(rt, "paged") {
			options.After = []byte(area + text.Draw(rt, "after"))
		}
		got, want := scan(t, db, prefix, options), model(keys, prefix, options)
		if !slices.Equal(got, want) {
			rt.Fatalf("prefix %q, %+v: got %q, want %q", prefix, options, got, want)
		}
	})
}

func model(keys []string, prefix string, options ScanOptions) (rows []string) {
	keys = slices.Sorted(slices.Values(keys))
	if options.Reverse {
		slices.Reverse(keys)
	}
	for _, key := range keys {
		order := strings.Compare(key, string(options.After))
		if options.Reverse {
			order = -order
		}
		passed := len(options.After) == 0 || order > 0
		if passed && strings.HasPrefix(key, prefix) && (options.Limit == 0 || len(rows) < options.Limit) {
			rows = append(rows, key)
		}
	}
	return rows
}

// More rows than one chunk holds, and numbers whose bytes reach 0xFF.
func TestPagesJoinWithoutGapsOrRepeats(t *testing.T) {
	const total = 3*scanChunkRows + 7
	each(t, func(t *testing.T, db *DB) {
		var keys []string
		for i := range uint64(total) {
			keys = append(keys, string(binary.BigEndian.AppendUint64([]byte("s/"), i<<55)))
		}
		store(t, db, keys...)
		for _, reverse := range []bool{false, true} {
			if whole := scan(t, db, "s/", ScanOptions{Reverse: reverse}); len(whole) != total {
				t.Errorf("reverse %v: %d rows at once", reverse, len(whole))
			}
			var paged []string
			options := ScanOptions{Reverse: reverse, Limit: 100}
			for page := scan(t, db, "s/", options); len(page) > 0; page = scan(t, db, "s/", options) {
				paged = append(paged, page...)
				options.After = []byte(page[len(page)-1])
			}
			want := slices.Clone(keys)
			if reverse {
				slices.Reverse(want)
			}
			if !slices.Equal(paged, want) {
				t.Errorf("reverse %v: %d rows in pages, not the %d in order", reverse, len(paged), total)
			}
		}
	})
}

func TestLargeRowsAreReadInSmallerChunks(t *testing.T) {
	db := open(t, Options{InMemory: true})
	for i := range 2 * scanChunkBytes / MaxValueSize {
		set(t, db, fmt.Sprintf("big/%02d", i), strings.Repeat("x", MaxValueSize))
	}
	err := db.View(context.Background(), func(tx *Tx) error {
		rows, more, err := tx.chunk([]byte("big/"), nil, false, scanChunkRows)
		if want := (scanChunkBytes + MaxValueSize - 1) / MaxValueSize; len(rows) != want || !more {
			t.Errorf("%d rows in a chunk, want %d; more %v", len(rows), want, more)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Badger itself panics on a second iterator in a read-write transaction.
func TestAScanMayReadWriteAndScanInside(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		store(t, db, "a/1", "a/2", "b/1")
		inner := 0
		err := db.Update(context.Background(), func(tx *Tx) error {
			return tx.Scan([]byte("a/"), ScanOptions{}, func(key, _ []byte) error {
				if err := tx.Delete(key); err != nil {
					return err
				}
				return tx.Scan([]byte("b/"), ScanOptions{}, func(_, _ []byte) error { inner++; return nil })
			})
		})
		if err != nil || inner != 2 {
			t.Fatalf("%v, %d rows inside", err, inner)
		}
		if left := scan(t, db, "a/", ScanOptions{}); len(left) > 0 {
			t.Fatalf("left %q", left)
		}
	})
}

func TestAScanSeesTheWritesOfItsOwnTransaction(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		store(t, db, "a/1", "a/2")
		var keys []string
		err := db.Update(context.Background(), func(tx *Tx) error {
			if err := errors.Join(tx.Delete([]byte("a/1")), tx.Set([]byte("a/3"), nil)); err != nil {
				return err
			}
			return tx.Scan([]byte("a/"), ScanOptions{}, func(key, _ []byte) error {
				keys = append(keys, string(key))
				return nil
			})
		})
		if got := strings.Join(keys, " "); err != nil || got != "a/2 a/3" {
			t.Fatalf("%v, saw %q", err, got)
		}
	})
}

func TestAScanEndsWithItsFunctionAndItsContext(t *testing.T) {
	db := open(t, Options{InMemory: true})
	store(t, db, "a/1", "a/2")
	enough := errors.New("enough")
	seen := 0
	err := db.View(context.Background(), func(tx *Tx) error {
		return tx.Scan([]byte("a/"), ScanOptions{}, func(_, _ []byte) error { seen++; return enough })
	})
	if !errors.Is(err, enough) || seen != 1 {
		t.Errorf("%v after %d rows", err, seen)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = db.View(ctx, func(tx *Tx) error {
		cancel()
		return tx.Scan([]byte("a/"), ScanOptions{}, func(_, _ []byte) error { return nil })
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
