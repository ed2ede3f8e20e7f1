package badgerdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
)

// A kill between making a log and sizing it leaves a file of length zero.
func TestEmptyLogsAreRemovedBeforeOpening(t *testing.T) {
	dir := t.TempDir()
	first := open(t, Options{Dir: dir})
	set(t, first, "a", "1")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"00090.mem", "000090.vlog"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bare, err := badger.Open(Options{Dir: dir}.badger())
	if err == nil {
		_ = bare.Close()
		t.Fatal("Badger now opens beside empty logs by itself: the pre-flight can go")
	}
	for _, name := range []string{"00091.mem", "000091.vlog"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	second := open(t, Options{Dir: dir})
	if value, ok := get(t, second, "a"); !ok || value != "1" {
		t.Fatalf("got %q, %v", value, ok)
	}
}

func TestPreflightTouchesNothingButEmptyLogs(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"1.mem": "", "1.vlog": "", "2.mem": "x", "2.vlog": "x", "MANIFEST": "", "3.sst": ""}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "4.mem"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := removeEmpty(dir); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range left {
		names = append(names, entry.Name())
	}
	if got, want := strings.Join(names, " "), "2.mem 2.vlog 3.sst 4.mem MANIFEST"; got != want {
		t.Fatalf("left %q, want %q", got, want)
	}
}

// While a store is open, an empty log may be one that it is just making.
func TestPreflightKeepsOffADirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	open(t, Options{Dir: dir})
	fresh := filepath.Join(dir, "00090.mem")
	if err := os.WriteFile(fresh, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Options{Dir: dir})
	checkLocked(t, err)
	if _, err := os.Stat(fresh); err != nil {
		t.Fatalf("the file of another store is gone: %v", err)
	}
}

// The log of a larger memtable does not fit into ours; Badger by itself would
// end the process.
func TestALogOfALargerMemtableIsTakenOver(t *testing.T) {
	const rows, size = 12, MaxValueSize
	dir, crashed := t.TempDir(), t.TempDir()
	larger, err := badger.Open(Options{Dir: dir}.badger().WithMemTableSize(3 * memTableSize).WithSyncWrites(false))
	if err != nil {
		t.Fatal(err)
	}
	for batch := range 5 { // 15 MiB in all
		err := larger.Update(func(txn *badger.Txn) error {
			for i := range rows {
				key := fmt.Appendf(nil, "%d/%d", batch, i)
				if err := txn.Set(key, bytes.Repeat([]byte{byte(i)}, size)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(crashed, os.DirFS(dir)); err != nil { // what a kill would leave
		t.Fatal(err)
	}
	if err := larger.Close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{crashed, dir} { // unclean and clean
		db := open(t, Options{Dir: dir})
		if value, ok := get(t, db, "4/11"); !ok || value != strings.Repeat("\x0b", size) {
			t.Fatalf("the last row is there: %v, %d bytes", ok, len(value))
		}
		set(t, db, "after", "1")
	}
}

func TestAFullDiskRefusesToOpenAndToWrite(t *testing.T) {
	free := uint64(DefaultMinFree - 1)
	options := Options{Dir: t.TempDir(), free: func(string) (uint64, error) { return free, nil }}
	if _, err := Open(options); !errors.Is(err, ErrDiskFull) {
		t.Fatalf("open: %v", err)
	}
	free = DefaultMinFree
	db := open(t, options) // refused before: its lock must be free again
	set(t, db, "a", "1")

	free = DefaultMinFree - 1
	if err := db.Update(context.Background(), func(tx *Tx) error { return tx.Set([]byte("a"), []byte("2")) }); !errors.Is(err, ErrDiskFull) {
		t.Fatalf("got %v", err)
	}
	if value, ok := get(t, db, "a"); !ok || value != "1" {
		t.Fatal("a full disk must not keep anybody from reading")
	}
	var value []byte
	if err := db.Update(context.Background(), func(tx *Tx) (err error) { value, _, err = tx.Get([]byte("a")); return err }); err != nil || string(value) != "1" {
		t.Fatalf("a transaction that only reads: %q, %v", value, err)
	}
	// A key that is taken is answered by whoever holds it, for which nothing is written.
	free = DefaultMinFree
	insertRecord(t, db, claimed("shop", "k", "ch_1"))
	free = 0
	if err := db.Update(context.Background(), func(tx *Tx) error {
		holder, inserted, err := tx.InsertKey(claimed("shop", "k", "ch_2"))
		if inserted || holder.Resource != "ch_1" {
			t.Errorf("inserted %v, held by %+v", inserted, holder)
		}
		return err
	}); err != nil {
		t.Errorf("a replay: %v", err)
	}
	free = DefaultMinFree
	set(t, db, "b", "1") // space has been made: it goes on
}

func TestFreeSpaceOfARealDirectoryIsKnown(t *testing.T) {
	free, err := freeSpace(t.TempDir())
	if err != nil || free == 0 {
		t.Fatalf("got %d, %v", free, err)
	}
	if _, err := freeSpace(filepath.Join(t.TempDir(), "missing")); err == nil && free != ^uint64(0) {
		t.Fatal("a missing directory has free space")
	}
}
