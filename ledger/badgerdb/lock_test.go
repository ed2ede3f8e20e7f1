package badgerdb

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestAFolderIsLockedOnceUntilItIsReleased(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by", "lock")
	release, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("a second one: %v, want ErrLocked", err)
	}
	// What is kept in it has locks of its own.
	db, err := Open(Options{Dir: filepath.Join(dir, "store")})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Close(), release()); err != nil {
		t.Fatal(err)
	}
	again, err := Lock(dir)
	if err != nil {
		t.Fatalf("after its release: %v", err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}
