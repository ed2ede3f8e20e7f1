package badgerdb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
)

func TestOpenWantsADirectoryOrMemoryButNotBoth(t *testing.T) {
	for _, options := range []Options{{}, {Dir: t.TempDir(), InMemory: true}} {
		if db, err := Open(options); err == nil {
			t.Errorf("%+v was opened", options)
			_ = db.Close()
		}
	}
}

func TestRowsSurviveReopening(t *testing.T) {
	dir := t.TempDir()
	first := open(t, Options{Dir: dir})
	set(t, first, "a", "1")
	set(t, first, "empty", "")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(t, Options{Dir: dir})
	if value, ok := get(t, second, "a"); !ok || value != "1" {
		t.Fatalf("got %q, %v", value, ok)
	}
	// A table stores an empty value in another way than a memtable does.
	if value, ok := get(t, second, "empty"); !ok || value != "" {
		t.Fatalf("got %q, %v", value, ok)
	}
}

func TestTheDirectoryIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	open(t, Options{Dir: dir})
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); filepath.Separator == '/' && mode != 0o700 {
		t.Fatalf("mode %o", mode)
	}
}

func TestASecondOpenIsRefusedInOneClearLine(t *testing.T) {
	dir := t.TempDir()
	first := open(t, Options{Dir: dir})
	_, err := Open(Options{Dir: dir})
	checkLocked(t, err)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, Options{Dir: dir}) // a refused opener must not keep the lock either
}

func TestADirectoryThatABareBadgerHoldsIsRefused(t *testing.T) {
	dir := t.TempDir()
	bare, err := badger.Open(Options{Dir: dir}.badger())
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(Options{Dir: dir})
	checkLocked(t, err)
	if err := bare.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, Options{Dir: dir})
}

func checkLocked(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrLocked) {
		t.Fatalf("got %v, want ErrLocked", err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Fatalf("more than one line: %q", err)
	}
}
