//go:build linux || darwin

package badgerdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// dirLock is held for as long as the store is open. The kernel drops it with
// the process, so a kill leaves no stale lock. A nil lock is one of a store in
// memory.
type dirLock struct{ file *os.File }

// lockDir takes the directory for this store alone. Badger locks it too, but
// only after the point at which we already clean up.
func lockDir(dir string) (*dirLock, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("badgerdb: open lock file: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &dirLock{file}, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%w: %s", ErrLocked, dir)
	} else {
		err = fmt.Errorf("badgerdb: lock data directory: %w", err)
	}
	return nil, errors.Join(err, file.Close())
}

func (l *dirLock) release() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}

// freeSpace is what a process without privileges may still use, in bytes.
func freeSpace(dir string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return stat.Bavail * uint64(stat.Bsize), nil
}
